// SPDX-License-Identifier: LGPL-2.1-or-later
/// The number of frames in flight.
#pragma once

#include <gst/base/gstbasetransform.h>

#include "format.h"
#include "gstcudacannyasynctransform.h"

/// How many frames are in flight, and how they leave.
struct GstCudaCannyQueueDepth {
  guint count;  ///< frames
  GstCudaCannyExit exit;
  const char* why;  ///< reason for the count, for the log
};

/// Chooses for these frames of both pads. `wanted` is the user's setting (0 = automatic). With
/// `needs_result`, no frame leaves unfinished.
GstCudaCannyQueueDepth gst_cuda_canny_choose_queue_depth(GstBaseTransform* trans,
                                                         const GstCudaCannyStream& in,
                                                         const GstCudaCannyStream& out,
                                                         guint wanted, bool needs_result);

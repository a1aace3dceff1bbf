// SPDX-License-Identifier: LGPL-2.1-or-later
/// The meta "cudacanny" of output buffers: what the detector found in the frame, and with which
/// settings. docs/reference/properties.md describes its fields.
#pragma once

#include <gst/gst.h>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "properties.h"

/// Registers the meta. Applications can look it up by name from then on.
void gst_cuda_canny_meta_register();

/// Gives a finished frame its meta, in place of one that the buffer has. The buffer must be
/// writable. `contours` and `components` are null if the user wants none. False if there is no
/// memory for them.
bool gst_cuda_canny_meta_set(GstBuffer* output, const GstCudaCannyFrameSettings& settings,
                             const canny::Result& result, const canny::Contours* contours,
                             const canny::Components* components);

/// Likewise for a frame in progress, with the fields that are known already.
void gst_cuda_canny_meta_set_unfinished(GstBuffer* output,
                                        const GstCudaCannyFrameSettings& settings);

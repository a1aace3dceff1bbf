// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's CUDA memory.
#pragma once

#include <gst/video/video.h>

#include "element_ref.h"

namespace bench {

/// Returns the device's context, which all elements of a pipeline must share (transfer none).
GstContext* cuda_context();

/// Copies frames of these caps to CUDA memory of that context.
Buffers to_cuda_memory(const Buffers& pictures, GstCaps* caps);

/// Waits until the device has finished a buffer in CUDA memory.
void wait_for_device(GstBuffer* buffer);

}  // namespace bench

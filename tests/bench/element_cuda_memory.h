// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's CUDA memory.
#pragma once

#include "element_ref.h"

namespace bench {

/// The device's context, which all elements of a pipeline are to share (transfer none).
GstContext* cuda_context();

/// The same frames of these caps, in CUDA memory of that context.
Buffers to_cuda_memory(const Buffers& pictures, GstCaps* caps);

/// Returns when the device has finished a buffer in CUDA memory.
void wait_for_device(GstBuffer* buffer);

}  // namespace bench

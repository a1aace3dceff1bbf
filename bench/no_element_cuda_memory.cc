// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for CUDA memory in a build without gstreamer-cuda.
#include "element_cuda_memory.h"

namespace bench {

GstContext* cuda_context() { throw NotRun("this build has no gstreamer-cuda"); }

Buffers to_cuda_memory(const Buffers&, GstCaps*) {
  cuda_context();
  return {};
}

void wait_for_device(GstBuffer*) {}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// The minimal cost of a frame: reads and writes its bytes once, with nothing in between.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

/// Queues a kernel that reads `bytes_per_pixel` (1 to 4) bytes and writes one for each of
/// `pixels` pixels, rounded down to a multiple of 16, in accesses of 16 bytes to which both
/// addresses are aligned.
cudaError_t copy(const void* input, void* output, std::size_t pixels, int bytes_per_pixel,
                 cudaStream_t stream);

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that belong to no detector.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace bench {

/// Keeps a stream busy while the host queues what comes next: queues a kernel of one thread that
/// ends after so many microseconds.
cudaError_t hold(unsigned microseconds, cudaStream_t stream);

/// The minimal cost of a frame: queues a kernel that reads `bytes_per_pixel` (1 to 4) bytes and
/// writes one for each of `pixels` pixels, rounded down to a multiple of 16, in accesses of 16
/// bytes to which both addresses are aligned.
cudaError_t copy(const void* input, void* output, std::size_t pixels, int bytes_per_pixel,
                 cudaStream_t stream);

}  // namespace bench

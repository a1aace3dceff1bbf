// SPDX-License-Identifier: LGPL-2.1-or-later
// Edge bits to the pixels of any output format, and their number, on the GPU.
#pragma once

#include <cuda_runtime.h>

#include "bitplane.h"
#include "canny.h"

namespace canny::cuda {

/// Writes every pixel of `output`, which is in device memory at any alignment.
Status store(const BitPlane& edges, const Frame& output, cudaStream_t stream);

/// Writes the number of edges to `*count` in device memory.
Status count(const BitPlane& edges, unsigned long long* count, cudaStream_t stream);

}  // namespace canny::cuda

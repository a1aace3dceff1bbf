// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA calls that must succeed for a benchmark to continue.
#pragma once

#include <cuda_runtime.h>

#include "check.h"

namespace bench {

/// Ends the program with the error's message.
inline void check(cudaError_t error) {
  if (error != cudaSuccess) fail(cudaGetErrorString(error));
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the memory in use on the current CUDA device.
#include "device.h"

#include <cuda_runtime_api.h>

#include <cstddef>

namespace load {

long used_device_kib() {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return -1;
  return static_cast<long>((total - free) / 1024);
}

}  // namespace load

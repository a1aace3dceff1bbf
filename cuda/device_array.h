// SPDX-License-Identifier: LGPL-2.1-or-later
// Memory of a device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "cuda/check.h"

namespace canny::cuda {

/// Memory that is allocated once it is needed, and converts to its address. Its device must be
/// current in every call, and at the end if it has not been released.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { release(); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// Allocates the memory unless it is there.
  Status allocate(std::size_t count) {
    if (data_ != nullptr) return {};
    CANNY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)));
    return {};
  }
  void release() {
    if (data_ == nullptr) return;
    cudaFree(data_);
    cudaGetLastError();
    data_ = nullptr;
  }
  operator T*() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace canny::cuda

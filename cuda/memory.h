// SPDX-License-Identifier: LGPL-2.1-or-later
// What ends with its owner: memory of the device and of the host, events, streams and graphs.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "canny/stage_marks.h"
#include "cuda/check.h"

namespace canny::cuda {

/// Gives things back. Their device must be current then, and no work pending on memory.
struct Destroy {
  void operator()(cudaEvent_t event) const { clear(cudaEventDestroy(event)); }
  void operator()(cudaStream_t stream) const { clear(cudaStreamDestroy(stream)); }
  void operator()(cudaGraph_t graph) const { clear(cudaGraphDestroy(graph)); }
  void operator()(cudaGraphExec_t graph) const { clear(cudaGraphExecDestroy(graph)); }
  static void clear(cudaError_t) { cudaGetLastError(); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

inline Status create_event(unsigned flags, Owned<cudaEvent_t>* event) {
  cudaEvent_t created;
  CANNY_CUDA_TRY(cudaEventCreateWithFlags(&created, flags));
  event->reset(created);
  return {};
}

/// Creates a stream that does not wait for the default stream.
inline Status create_stream(Owned<cudaStream_t>* stream) {
  cudaStream_t created;
  CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking));
  stream->reset(created);
  return {};
}

/// Memory that grows as needed, which discards its contents. To free it takes what Destroy does.
template <class T, bool kIsOnDevice>
class Array {
 public:
  /// Ensures room for at least `count` elements. The device must be current.
  Status reserve(std::size_t count) {
    if (count <= count_) return {};
    *this = {};
    void* memory = nullptr;
    if constexpr (kIsOnDevice)
      CANNY_CUDA_TRY(cudaMalloc(&memory, count * sizeof(T)));
    else
      CANNY_CUDA_TRY(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocDefault));
    data_.reset(static_cast<T*>(memory));
    count_ = count;
    return {};
  }
  T* data() const { return data_.get(); }
  std::size_t size() const { return count_; }
  operator T*() const { return data(); }

 private:
  struct Free {
    void operator()(T* data) const {
      Destroy::clear(kIsOnDevice ? cudaFree(data) : cudaFreeHost(data));
    }
  };

  std::unique_ptr<T, Free> data_;
  std::size_t count_ = 0;
};
template <class T>
using DeviceArray = Array<T, true>;
template <class T>
using PageLockedArray = Array<T, false>;

/// A point in a stream, for the times of stages: an event that set() creates unless it exists. The
/// device must be current in every call.
class Mark {
 public:
  Status set(cudaStream_t stream) {
    if (event_ == nullptr) CANNY_TRY(create_event(cudaEventDefault, &event_));
    CANNY_CUDA_TRY(cudaEventRecord(event_.get(), stream));
    return {};
  }
  Status nanoseconds_since(const Mark& first, std::uint64_t* nanoseconds) const {
    float milliseconds = 0;
    CANNY_CUDA_TRY(cudaEventElapsedTime(&milliseconds, first.event_.get(), event_.get()));
    *nanoseconds = static_cast<std::uint64_t>(std::lround(milliseconds * 1e6));
    return {};
  }

 private:
  Owned<cudaEvent_t> event_;
};

using StageMarks = canny::StageMarks<Mark>;

}  // namespace canny::cuda

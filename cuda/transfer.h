// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies of frames between host and device memory.
#pragma once

#include <cuda_runtime.h>

#include "canny/canny.h"

namespace canny::cuda {

/// Memory that grows as needed and keeps nothing when it does.
class Staging {
 public:
  enum class Kind { kDevice, kPageLocked };

  explicit Staging(Kind kind) : kind_(kind) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Status reserve(std::size_t bytes);
  std::uint8_t* data() const { return data_; }
  /// To be called last, with the device's context current and nothing in the memory in use.
  void release();

 private:
  const Kind kind_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The way of one frame at a time to the device.
class Upload {
 public:
  /// Queues the copy of a frame in host memory. `*on_device` is what it becomes. Frames in
  /// page-locked memory are read by the device itself; others are copied to such memory first,
  /// piece by piece, while the pieces before are on their way.
  Status queue(const ConstFrame& input, cudaStream_t stream, ConstFrame* on_device);
  void release();

 private:
  Status queue_plane(const ConstFrame& input, int i, cudaStream_t stream);
  Status queue_pieces(const ConstFrame& plane, std::size_t offset, cudaStream_t stream);

  Staging pixels_{Staging::Kind::kDevice};
  Staging page_locked_{Staging::Kind::kPageLocked};  // for frames in pageable memory
};

/// The way of one frame at a time from the device.
class Download {
 public:
  /// The frame `*on_device` that queue() will copy to `output` in host memory.
  Status place(const Frame& output, Frame* on_device);
  Status queue(const Frame& output, cudaStream_t stream);
  /// To be called when what queue() queued is done.
  void finish(const Frame& output) const;
  void release();

 private:
  Status queue_plane(const Frame& plane, int i, cudaStream_t stream);

  Staging pixels_{Staging::Kind::kDevice};
  Staging page_locked_{Staging::Kind::kPageLocked};
  bool is_staged_ = false;  // whether the frame goes through page-locked memory of our own
};

/// Copies `rows` rows in host memory, with several threads where that is faster.
void copy_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, std::uint8_t* to,
               std::ptrdiff_t to_stride, std::size_t row_bytes, int rows);

}  // namespace canny::cuda

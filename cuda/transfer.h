// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies frames between host and device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/chains.h"
#include "canny/edge_bits.h"
#include "cuda/contours/contours.h"

namespace canny::cuda {

/// Memory that grows as needed, which discards its contents.
class Staging {
 public:
  enum class Kind { kDevice, kPageLocked };

  explicit Staging(Kind kind) : kind_(kind) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  Status reserve(std::size_t bytes);
  std::uint8_t* data() const { return data_; }
  /// Call last, with the device's context current and no work pending on the memory.
  void release();

 private:
  const Kind kind_;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Copies frames to the device, one at a time. The pictures of a batch lie there one after the
/// other.
class Upload {
 public:
  /// Queues the copy of a frame in host memory to `*on_device`. The device reads page-locked frames
  /// directly. Other frames are first copied to page-locked memory, piece by piece, while the bus
  /// transfers the previous pieces.
  Status queue(const ConstFrame& input, cudaStream_t stream, ConstFrame* on_device);
  void release();

 private:
  Status queue_plane(const ConstFrame& picture, int i, std::size_t offset, cudaStream_t stream);

  Staging pixels_{Staging::Kind::kDevice};
  Staging page_locked_{Staging::Kind::kPageLocked};  // for frames in pageable memory
  std::size_t bytes_ = 0;                            // of all pictures
};

/// Copies frames from the device, one at a time, likewise.
class Download {
 public:
  /// Sets `*on_device` to the frame that queue() copies to `output` in host memory.
  Status place(const Frame& output, Frame* on_device);
  Status queue(const Frame& output, cudaStream_t stream);
  /// Call when the copies of queue() are done.
  void finish(const Frame& output) const;
  void release();

 private:
  Status find_staged(const Frame& output);
  Status queue_plane(const Frame& plane, std::size_t offset, cudaStream_t stream);

  Staging pixels_{Staging::Kind::kDevice};
  Staging page_locked_{Staging::Kind::kPageLocked};
  bool is_staged_ = false;  // whether the frame goes through `page_locked_`
};

/// Copies a picture from device memory to `*memory`, where `*in_host` is, and waits for that.
Status copy_picture(const ConstFrame& picture, cudaStream_t stream,
                    std::vector<std::uint8_t>* memory, ConstFrame* in_host);

/// Copies edges from the device as bits, one frame at a time.
class BitsDownload {
 public:
  /// Sets `*on_device` to the memory for output_bits() of so many pictures of this size.
  Status place(int width, int height, unsigned pictures, std::uint32_t** on_device);
  Status queue(cudaStream_t stream);
  /// The bits of picture i. Call when the copy of queue() is done.
  void finish(unsigned i, EdgeBits* bits) const;
  void release();

 private:
  std::size_t picture_bytes_ = 0, bytes_ = 0;
  Staging words_{Staging::Kind::kDevice};
  Staging page_locked_{Staging::Kind::kPageLocked};
};

/// Gets the chains of a frame from the device, one frame at a time.
class ContourDownload {
 public:
  /// Sets `*target` to memory for the chains of frames of this size.
  Status place(int width, int height, ContourTarget* target);
  const ContourNumbers& numbers() const { return *target_.numbers; }
  /// Call when the frame is complete.
  void finish(Chains* chains) const;
  void release() { page_locked_.release(); }

 private:
  ContourTarget target_ = {};
  Staging page_locked_{Staging::Kind::kPageLocked};
};

/// Copies the addresses of the pictures of a frame in device memory to the device.
class AddressUpload {
 public:
  /// Replaces `frame->batch.data`, unless it is null, as pictures_of() expects. Later work on
  /// `stream` finds the addresses there.
  template <class Byte>
  Status queue(cudaStream_t stream, BasicFrame<Byte>* frame);
  void release();

 private:
  Staging on_device_{Staging::Kind::kDevice}, page_locked_{Staging::Kind::kPageLocked};
};

}  // namespace canny::cuda

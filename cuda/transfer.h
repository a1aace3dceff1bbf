// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies frames, and what belongs to them, between host and device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/chains.h"
#include "canny/edge_bits.h"
#include "canny/frame_components.h"
#include "canny/rectangles.h"
#include "cuda/contours/contours.h"
#include "cuda/hysteresis/components.h"
#include "cuda/memory.h"
#include "cuda/region.h"

namespace canny::cuda {

/// Copies frames to the device, one at a time. The pictures of a batch lie there one after the
/// other.
class Upload {
 public:
  /// Queues the copy of a frame in host memory to `*on_device`. The device reads page-locked frames
  /// directly. Other frames are first copied to page-locked memory, piece by piece, while the bus
  /// transfers the previous pieces.
  Status queue(const ConstFrame& input, cudaStream_t stream, ConstFrame* on_device);

 private:
  Status queue_plane(const ConstFrame& plane, std::size_t offset, cudaStream_t stream);

  DeviceArray<std::uint8_t> pixels_;
  PageLockedArray<std::uint8_t> page_locked_;  // for frames in pageable memory
  std::size_t bytes_ = 0;                      // of all pictures
};

/// Copies frames from the device, one at a time, likewise.
class Download {
 public:
  /// Sets `*on_device` to the frame that queue() copies to `output` in host memory.
  Status place(const Frame& output, Frame* on_device);
  Status queue(const Frame& output, cudaStream_t stream);
  /// Call when the copies of queue() are done.
  void finish(const Frame& output) const;

 private:
  Status queue_plane(const Frame& plane, std::size_t offset, cudaStream_t stream);

  DeviceArray<std::uint8_t> pixels_;
  PageLockedArray<std::uint8_t> page_locked_;
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

 private:
  std::size_t picture_bytes_ = 0, bytes_ = 0;
  DeviceArray<std::uint8_t> words_;
  PageLockedArray<std::uint8_t> page_locked_;
};

/// Gets the chains of a frame from the device, one frame at a time.
class ContourDownload {
 public:
  /// Sets `*target` to memory for the chains of frames of this size, or to that of `chains` if they
  /// are for the device and need no offsets, which are found on the host.
  Status place(int width, int height, const Chains& chains, ContourTarget* target);
  const ContourNumbers& numbers() const { return *target_.numbers; }
  /// Call when the frame is complete.
  void finish(Chains* chains) const;

 private:
  ContourTarget target_ = {};
  bool is_on_device_ = false;  // whether the chains are
  PageLockedArray<std::uint8_t> page_locked_;
};

/// Page-locked memory for the components of a frame.
class ComponentMemory {
 public:
  /// Sets `*list` to memory for the components of at least `min_pixels` pixels.
  Status place(int width, int height, unsigned pictures, unsigned min_pixels, ComponentList* list);
  /// Whether all components are there, perhaps before the frame is complete. May wait for a while.
  bool come_soon(unsigned pictures) const;
  /// The components of picture i. Call when they are there.
  void finish(unsigned i, FrameComponents* components) const;

 private:
  ComponentList list_;
  PageLockedArray<std::uint8_t> page_locked_;
};

/// Copies the addresses of the pictures of a frame in device memory to the device.
class AddressUpload {
 public:
  /// Replaces `frame->batch.data`, unless it is null, as pictures_of() expects. Later work on
  /// `stream` finds the addresses there.
  template <class Byte>
  Status queue(cudaStream_t stream, BasicFrame<Byte>* frame);

 private:
  DeviceArray<std::uint8_t> on_device_;
  PageLockedArray<std::uint8_t> page_locked_;
};

/// Copies regions to the device, one at a time.
class RegionUpload {
 public:
  /// Prepares a region of a frame of this size. Copies what is not in device memory yet; later work
  /// on `stream` finds it there.
  Status queue(const Region& region, int width, int height, cudaStream_t stream,
               RegionSource* source);
  /// Whether the last region had anything to copy.
  bool has_copied() const { return has_copied_; }

 private:
  Status queue_boxes(const Region& region, int width, int height, cudaStream_t stream,
                     RegionSource* source);
  Status copy(std::size_t bytes, std::size_t capacity, cudaStream_t stream);

  bool has_copied_ = false;
  Upload mask_;
  RectangleRows rectangles_;
  DeviceArray<std::uint8_t> on_device_;
  PageLockedArray<std::uint8_t> page_locked_;
};

}  // namespace canny::cuda

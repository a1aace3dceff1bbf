// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies frames between host and device.
#pragma once

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/edge_bits.h"
#include "canny/rectangles.h"
#include "opencl/frame.h"
#include "opencl/shared_memory.h"

namespace canny::opencl {

/// The planes of a frame in a buffer, which has the memory from `begin` on.
template <class Byte>
Image image_of(const BasicFrame<Byte>& frame, const Buffer& buffer, const std::uint8_t* begin);

/// Brings frames to or from the device, one at a time.
class Transfer {
 public:
  /// Sets image(): to the frame's own memory if that can be shared, or else to memory of the
  /// device.
  template <class Byte>
  Status open(const Queue& queue, const BasicFrame<Byte>& frame);
  const Image& image() const { return image_; }
  bool is_shared() const { return shared_.is_open(); }
  /// Call when the frame is done, or no work is pending.
  void finish() { shared_.release(); }

 protected:
  Image image_;
  SharedMemory shared_;
  Buffer pixels_;
  HostMemory staged_;  // of devices with memory of their own
};

/// Gives frames to the device.
class Upload : public Transfer {
 public:
  /// Opens a frame, whose pixels must stay until finish(), and queues the copy unless it is shared.
  /// If the device has memory of its own, the host copies them to HostMemory piece by piece, while
  /// the device copies the previous pieces.
  Status queue(const Queue& queue, const ConstFrame& frame);
};

/// Gets frames from the device.
class Download : public Transfer {
 public:
  /// Queues what brings the pixels of an open frame to it, or to HostMemory. No byte between its
  /// rows is written.
  Status queue(const Queue& queue, const Frame& frame);
  /// Copies the pixels from HostMemory. Call when the frame is done, before finish().
  void copy(const Frame& frame) const;
};

/// Copies regions to the device, one at a time.
class RegionUpload {
 public:
  /// Queues the copy of a frame's region: a bit for each pixel, like Front::candidate().
  Status queue(const Queue& queue, const ConstFrame& frame);
  const Buffer& bits() const { return bits_; }

 private:
  std::vector<std::uint64_t> row_;
  HostMemory words_;  // being copied
  RectangleRows rectangles_;
  Buffer bits_;
};

/// Copies edges from the device, one frame at a time.
class BitsDownload {
 public:
  /// Queues a copy of edges, like Front::candidate(), that later frames do not change.
  Status keep(const Queue& queue, const Buffer& edges, const Frame& of);
  /// Queues the copy of what was kept, and finish() stores it when that is done.
  Status queue(const Queue& queue);
  void finish(EdgeBits* bits) const;

 private:
  Buffer kept_;
  std::size_t bytes_ = 0;
  HostMemory words_;
};

}  // namespace canny::opencl

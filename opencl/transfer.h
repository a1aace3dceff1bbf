// SPDX-License-Identifier: LGPL-2.1-or-later
// Copies frames between host and device.
#pragma once

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "canny/edge_bits.h"
#include "canny/rectangles.h"
#include "opencl/image.h"
#include "opencl/queue.h"

namespace canny::opencl {

/// A frame's place in a buffer, one plane after the other, rows in the order of their addresses.
Image place(const ConstFrame& frame, const Buffer& buffer);
Image place(const Frame& frame, const Buffer& buffer);

/// Copies frames to the device, one at a time.
class Upload {
 public:
  /// Queues the copy of a frame's pixels, which must stay until it is done, to its place() in
  /// pixels(). If the device has memory of its own, the host copies them to HostMemory piece by
  /// piece, while the device copies the previous pieces.
  Status queue(const Queue& queue, const ConstFrame& frame);
  const Buffer& pixels() const { return pixels_; }
  /// Call with no work pending.
  void release();

 private:
  Status queue_pieces(const Queue& queue, const Rows<const std::uint8_t>& rows, std::size_t offset);

  Buffer pixels_;
  HostMemory staged_;
};

/// Copies frames from the device, one at a time.
class Download {
 public:
  /// Allocates pixels(), where the frame comes from its place().
  Status reserve(const Queue& queue, const Frame& frame);
  const Buffer& pixels() const { return pixels_; }
  /// Queues the copy to the frame, or to HostMemory. No byte between its rows is written.
  Status queue(const Queue& queue, const Frame& frame);
  /// Call when that is done.
  void finish(const Frame& frame) const;
  /// Call with no work pending.
  void release();

 private:
  Buffer pixels_;
  HostMemory staged_;
  bool is_staged_ = false;
};

/// Copies regions to the device, one at a time.
class RegionUpload {
 public:
  /// Queues the copy of a frame's region: a bit for each pixel, like Front::candidate().
  Status queue(const Queue& queue, const ConstFrame& frame);
  const Buffer& bits() const { return bits_; }
  /// Call with no work pending.
  void release();

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
  Status keep(const Queue& queue, const Buffer& edges, int width, int height);
  /// Queues the copy of what was kept, and finish() stores it when that is done.
  Status queue(const Queue& queue);
  void finish(EdgeBits* bits) const;
  /// Call with no work pending.
  void release();

 private:
  Buffer kept_;
  std::size_t row_bytes_ = 0, bytes_ = 0;
  HostMemory words_;
};

}  // namespace canny::opencl

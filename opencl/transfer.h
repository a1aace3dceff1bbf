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

/// Queues the copy of a frame's pixels to its place(). They must stay until it is done.
Status queue_upload(const Queue& queue, const ConstFrame& frame, Buffer* buffer);
/// Likewise from there to the frame. No byte between its rows is written.
Status queue_download(const Queue& queue, const Buffer& buffer, const Frame& frame);

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
  std::vector<std::uint32_t> words_;  // being copied
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
  std::size_t row_bytes_ = 0;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace canny::opencl

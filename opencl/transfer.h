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

/// Gives frames to the device, one at a time.
class Upload {
 public:
  /// Sets image() to a frame whose pixels must stay until finish(): to the frame's own memory if
  /// that can be shared, or else to memory of the device, and queues the copy. If the device has
  /// memory of its own, the host copies them to HostMemory piece by piece, while the device copies
  /// the previous pieces.
  Status queue(const Queue& queue, const ConstFrame& frame);
  const Image& image() const { return image_; }
  bool is_shared() const { return shared_.is_open(); }
  /// Call when the frame is done, or no work is pending.
  void finish() { shared_.release(); }

 private:
  Status queue_pieces(const Queue& queue, const Rows<const std::uint8_t>& rows, std::size_t offset);

  Image image_;
  SharedMemory shared_;
  Buffer pixels_;
  HostMemory staged_;
};

/// Gets frames from the device, one at a time.
class Download {
 public:
  /// Sets image() to where the device writes a frame: to the frame's own memory if that can be
  /// shared, or else to memory of the device.
  Status open(const Queue& queue, const Frame& frame);
  const Image& image() const { return image_; }
  bool is_shared() const { return shared_.is_open(); }
  /// Queues what brings the pixels to the frame, or to HostMemory. No byte between its rows is
  /// written.
  Status queue(const Queue& queue, const Frame& frame);
  /// Copies the pixels from HostMemory. Call when the frame is done.
  void copy(const Frame& frame) const;
  /// Call after that, or with no work pending.
  void finish() { shared_.release(); }

 private:
  Image image_;
  SharedMemory shared_;
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

 private:
  Buffer kept_;
  std::size_t bytes_ = 0;
  HostMemory words_;
};

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// The edges of a frame as chains of pixels: the contours of a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "canny.h"

namespace canny {

class Arena;
class EdgeBits;
class Tracer;
struct Chains;

/// A pixel of a frame.
struct Point {
  std::uint16_t x = 0;  ///< column, to the right
  std::uint16_t y = 0;  ///< row, downwards
};

/// The way from the center of a pixel to the edge, in 1/256 pixel.
struct Offset {
  std::int16_t x = 0, y = 0;
};

/// A place between pixels. The center of a pixel has the numbers of its column and row.
struct Position {
  double x = 0, y = 0;
};

/// The points of a chain, in the order of its path. They belong to a Contours.
struct Chain {
  const Point* points = nullptr;
  std::size_t size = 0;
  const Offset* offsets = nullptr;  ///< of the points; null without Contours::set_precision()

  const Point* begin() const noexcept { return points; }
  const Point* end() const noexcept { return points + size; }

  /// Where the edge is at point `i`, for chains with offsets.
  Position position(std::size_t i) const noexcept {
    return {points[i].x + offsets[i].x / 256.0, points[i].y + offsets[i].y / 256.0};
  }

  /// Whether there are three points or more and the last one is a neighbor of the first one.
  bool is_closed() const noexcept {
    if (size < 3) return false;
    const int x = points[size - 1].x - points[0].x, y = points[size - 1].y - points[0].y;
    return x >= -1 && x <= 1 && y >= -1 && y <= 1;
  }
};

/// Memory of a CUDA device, at multiples of 4 bytes, that a caller provides for the chains of a
/// frame.
struct DeviceChains {
  Point* points = nullptr;        ///< of all chains, one after the other; null = no such memory
  std::uint32_t* ends = nullptr;  ///< for each chain, the number of points up to its end
  std::size_t most_points = 0, most_chains = 0;  ///< for which there is room
};

/// Chains of edge pixels. Each point is one of the 8 neighbors of the point before it in its chain,
/// and each edge pixel is in exactly one chain, once. docs/reference/edge-map.md defines the
/// chains, which depend on the edge map alone. They are in the order of their first points: row by
/// row, in a row from the left. There are at most kMaxContourPoints points: in this order, later
/// edge pixels do not count.
///
/// A Contours keeps its memory from frame to frame of the same size. One thread at a time may use
/// it. While a frame is in flight whose chains it gets, it must not move, trace a map or serve
/// another frame.
class CANNY_API Contours {
 public:
  Contours() noexcept;
  ~Contours();
  Contours(Contours&&) noexcept;
  Contours& operator=(Contours&&) noexcept;

  /// Leaves out chains of fewer points, from the next frame on that is submitted or traced. 0 and
  /// 1, the default, keep all.
  void set_min_points(std::uint32_t points) noexcept;

  /// Whether a Detector also finds the offsets of points, from the next frame on that is submitted.
  /// On every backend, wait() finds them with Options::threads threads of the CPU, in a pass over
  /// the frame of their own that takes longer than an edge map on the CPU, and 4 bytes per pixel.
  /// Input in device memory is copied to the host. The default is false.
  void set_precision(bool has_offsets) noexcept;

  /// Has a Detector write the chains to memory of its CUDA device instead, from the next frame on
  /// that is submitted. From submit() on until wait() has returned, nothing else may use that
  /// memory. Of chains that have no room, the first points and ends are there. The numbers of
  /// chains and points, and offsets, are in host memory as ever; points(), ends() and operator[]
  /// have nothing. Detectors on other devices refuse such frames with kInvalidFrame. trace() does
  /// not use the memory.
  void set_memory(const DeviceChains& memory) noexcept;

  /// Traces an edge map: each pixel other than 0 is an edge. The map is a frame of kGray8 in host
  /// memory, of 1x1 to kMaxSide x kMaxSide pixels; without effect are its chroma, region and
  /// contours. After a failure there are no chains. BasicFrame::contours traces the edges of a
  /// Detector without this detour, on the CUDA device or with Options::threads threads. A map alone
  /// has no offsets.
  /// @retval kInvalidSize, kInvalidFrame, kOutOfMemory
  Status trace(const ConstFrame& edges) noexcept;

  std::size_t size() const noexcept;  ///< number of chains
  /// Whether there are more edges than kMaxContourPoints, or than set_memory() has room for.
  bool is_full() const noexcept;
  /// A chain, for `i` below size(). It is valid until the next frame.
  Chain operator[](std::size_t i) const noexcept;

  /// All points, one chain after the other, and their number. Null if they are in device memory.
  const Point* points() const noexcept;
  std::size_t point_count() const noexcept;
  /// The offsets of all points, or null.
  const Offset* offsets() const noexcept;
  /// For each chain, the number of points up to its end. Null if these are in device memory.
  const std::uint32_t* ends() const noexcept;

 private:
  friend class Detector;
  struct Impl;

  void clear() noexcept;
  // Makes room for the next frame: its edge map, and its chains, if a backend traces them. Else
  // trace_bits() does.
  void reserve(int width, int height, EdgeBits** bits, Chains** chains);
  void trace_bits(Tracer* tracer, Arena* arena);

  std::unique_ptr<Impl> impl_;
  std::uint32_t min_points_ = 1;
  bool wants_offsets_ = false;
  DeviceChains memory_;
};

}  // namespace canny

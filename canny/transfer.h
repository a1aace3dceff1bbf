// SPDX-License-Identifier: LGPL-2.1-or-later
// What backends of devices share: where frames lie in the device's memory, and what is copied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "canny/backend.h"
#include "canny/frame.h"
#include "canny/view.h"

namespace canny {

/// The alignment of rows in a device's memory, for the widest loads and stores of kernels.
inline constexpr std::size_t kRowAlignment = 16;

inline std::size_t pitch_of(int row_bytes) {
  return (row_bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

/// The bytes of the planes before plane i in a device's memory, where they follow each other.
template <class Byte>
std::size_t plane_offset(const BasicFrame<Byte>& frame, int i) {
  std::size_t bytes = 0;
  for (int before = 0; before < i; ++before) {
    const BasicFrame<Byte> rows = plane(frame, before);
    bytes += pitch_of(row_bytes(rows)) * static_cast<std::size_t>(rows.height);
  }
  return bytes;
}

/// The bytes of a frame in a device's memory.
template <class Byte>
std::size_t frame_bytes(const BasicFrame<Byte>& frame) {
  return plane_offset(frame, plane_count(frame));
}

/// The bytes of a frame's pixels, 0 unless it is in host memory.
template <class Byte>
std::uint64_t host_bytes(const BasicFrame<Byte>& frame) {
  std::uint64_t bytes = 0;
  if (frame.memory != Memory::kHost) return bytes;
  for (int i = 0; i < plane_count(frame); ++i) {
    const BasicFrame<Byte> rows = plane(frame, i);
    bytes += static_cast<std::uint64_t>(row_bytes(rows)) * rows.height;
  }
  return bytes;
}

/// Removes the color of an output in host memory that does not show the input: at once, so that
/// nothing is downloaded for it.
inline void remove_color(Job* job) {
  Frame& output = job->output;
  if (shows_input(job->plan.view) || output.memory != Memory::kHost) return;
  for (int i = 0; i < chroma_planes(output); ++i) fill_rows(chroma_plane(output, i), kNeutral);
  output.chroma = {};
}

}  // namespace canny

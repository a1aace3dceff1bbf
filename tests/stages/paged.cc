// SPDX-License-Identifier: LGPL-2.1-or-later
// Moves the planes of frames.
#include "paged.h"

#include <cstdlib>
#include <cstring>

#include "canny/frame.h"

namespace paged {
namespace {

// The bytes from the first to the last one of a plane's rows.
std::size_t extent(const canny::Frame& plane) {
  return static_cast<std::size_t>(std::abs(plane.stride_bytes)) * (plane.height - 1) +
         canny::row_bytes(plane);
}

// Moves a plane of the frame by this many bytes.
void move(canny::Frame* frame, int plane, std::ptrdiff_t bytes) {
  if (plane == 0) {
    frame->data += bytes;
  } else if (canny::planes(frame->format) > 1) {
    (plane == 1 ? frame->green : frame->blue).data += bytes;
  } else {
    if (plane == 1 || frame->chroma.step_bytes == 2) frame->chroma.u.data += bytes;
    if (plane == 2 || frame->chroma.step_bytes == 2) frame->chroma.v.data += bytes;
  }
}

template <class To, class From>
canny::BasicFrame<To> converted(const canny::BasicFrame<From>& frame) {
  const auto rows = [](const canny::BasicPlane<From>& plane) {
    return canny::BasicPlane<To>{const_cast<To*>(plane.data), plane.stride_bytes};
  };
  canny::BasicFrame<To> result;
  result.data = const_cast<To*>(frame.data);
  result.stride_bytes = frame.stride_bytes;
  result.width = frame.width;
  result.height = frame.height;
  result.format = frame.format;
  result.memory = frame.memory;
  result.green = rows(frame.green);
  result.blue = rows(frame.blue);
  const auto& chroma = frame.chroma;
  result.chroma = {rows(chroma.u), rows(chroma.v), chroma.step_bytes, chroma.shift_x,
                   chroma.shift_y};
  result.region = frame.region;
  return result;
}

}  // namespace

canny::ConstFrame to_read(const canny::Frame& frame) {
  return converted<const std::uint8_t>(frame);
}

canny::Frame to_write(const canny::ConstFrame& frame) { return converted<std::uint8_t>(frame); }

Copy::Copy(const canny::ConstFrame& from, Block::At at) : frame_(to_write(from)) {
  const canny::Frame original = frame_;
  for (int i = 0; i < canny::plane_count(original); ++i) {
    const canny::Frame plane = canny::plane(original, i);
    const std::uint8_t* lowest = canny::lowest_row(plane);
    move(&frame_, i, add(lowest, extent(plane), at) - lowest);
  }
  if (from.region == nullptr) return;
  region_ = *from.region;
  frame_.region = &region_;
  if (region_.mask.data == nullptr) return;
  const canny::Frame mask = to_write(canny::mask_frame(region_, from.width, from.height));
  const std::uint8_t* lowest = canny::lowest_row(mask);
  region_.mask.data += add(lowest, extent(mask), at) - lowest;
}

std::uint8_t* Copy::add(const std::uint8_t* lowest, std::size_t bytes, Block::At at) {
  blocks_.push_back(std::make_unique<Block>(bytes, at));
  std::memcpy(blocks_.back()->data(), lowest, bytes);
  return blocks_.back()->data();
}

canny::ConstFrame Copy::const_frame() const { return to_read(frame_); }

void Copy::restore(const canny::Frame& to) const {
  for (int i = 0; i < canny::plane_count(to); ++i) {
    const canny::Frame plane = canny::plane(to, i);
    std::memcpy(canny::lowest_row(plane), blocks_[i]->data(), extent(plane));
  }
}

}  // namespace paged

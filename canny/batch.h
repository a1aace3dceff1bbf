// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of a batch, as frames of their own.
#pragma once

#include <cstddef>

#include "canny/canny.h"

namespace canny {

/// The bytes from the first picture to picture i.
template <class Byte>
std::ptrdiff_t offset_of_picture(const BasicFrame<Byte>& frame, unsigned i) {
  const BasicBatch<Byte>& batch = frame.batch;
  return batch.data != nullptr ? batch.data[i] - batch.data[0]
                               : static_cast<std::ptrdiff_t>(i) * batch.stride_bytes;
}

/// `count` pictures of a frame, from picture `first` on. Fills, contours and components stay those
/// of the first picture.
template <class Byte>
BasicFrame<Byte> part_of(const BasicFrame<Byte>& frame, unsigned first, unsigned count) {
  const std::ptrdiff_t offset = offset_of_picture(frame, first);
  BasicFrame<Byte> part = frame;
  for (Byte** data :
       {&part.data, &part.green.data, &part.blue.data, &part.chroma.u.data, &part.chroma.v.data})
    if (*data != nullptr) *data += offset;
  if (part.region != nullptr) part.region += first;
  if (part.batch.data != nullptr) part.batch.data += first;
  part.batch.count = count;
  return part;
}

/// Picture i as a frame. The distance that its batch has, of which the picture is the only one, is
/// that to the picture whose fills the frame has: see fill_frame().
template <class Byte>
BasicFrame<Byte> picture_of(const BasicFrame<Byte>& frame, unsigned i) {
  if (frame.batch.count == 1) return frame;
  BasicFrame<Byte> picture = part_of(frame, i, 1);
  picture.batch = {1, offset_of_picture(frame, i), nullptr};
  return picture;
}

}  // namespace canny

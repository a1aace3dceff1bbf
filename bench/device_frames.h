// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in device memory, which calls use in turn.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bench.h"
#include "canny/canny.h"
#include "check_cuda.h"
#include "device_blocks.h"

namespace bench {

/// Returns how many buffers calls use in turn, so that no call finds its data in the L2 cache: more
/// than 192 MiB in all, well beyond the cache, but at most 256 buffers; and always more than the
/// frames in flight.
inline int rotation(std::size_t bytes_per_call) {
  const std::size_t count = (std::size_t{192} << 20) / bytes_per_call + 1;
  return static_cast<int>(std::clamp<std::size_t>(count, canny::kMaxFramesInFlight + 1, 256));
}

/// Buffers for outputs, which are tight_frame()s.
class Outputs {
 public:
  Outputs(int count, int width, int height, canny::PixelFormat format = canny::PixelFormat::kGray8,
          unsigned pictures = 1)
      : width_(width),
        height_(height),
        format_(format),
        pictures_(pictures),
        blocks_(count, tight_bytes(width, height, format) * pictures) {}

  canny::Frame operator[](int i) const {
    return tight_frame(blocks_[i], width_, height_, format_, canny::Memory::kDevice, pictures_);
  }
  int count() const { return blocks_.count(); }
  const DeviceBlocks& blocks() const { return blocks_; }

  /// Erases the outputs. The device must be idle.
  void clear() { blocks_.clear(); }
  /// Whether each of the first `count` holds these bytes. The device must be idle.
  bool hold(const Output& expected, int count) const {
    Output bytes(expected.size());
    for (int i = 0; i < count; ++i) {
      check(cudaMemcpy(bytes.data(), blocks_[i], bytes.size(), cudaMemcpyDeviceToHost));
      if (bytes != expected) return false;
    }
    return true;
  }

 private:
  int width_, height_;
  canny::PixelFormat format_;
  unsigned pictures_;
  DeviceBlocks blocks_;
};

/// Copies of a picture, and an output for each.
class DeviceFrames {
 public:
  DeviceFrames(const Picture& picture, canny::PixelFormat output)
      : picture_(picture),
        inputs_(rotation(picture.bytes.size() +
                         tight_bytes(picture.shape.width, picture.shape.height, output) *
                             picture.shape.batch.count),
                picture.bytes.size()),
        outputs_(inputs_.count(), picture.shape.width, picture.shape.height, output,
                 picture.shape.batch.count) {
    inputs_.fill(picture.bytes.data());
  }

  int count() const { return inputs_.count(); }
  canny::ConstFrame input(int i) const {
    return picture_.frame(inputs_[i], canny::Memory::kDevice);
  }
  canny::Frame output(int i) const { return outputs_[i]; }
  const DeviceBlocks& inputs() const { return inputs_; }
  const Outputs& outputs() const { return outputs_; }
  Outputs& outputs() { return outputs_; }

 private:
  const Picture& picture_;
  DeviceBlocks inputs_;
  Outputs outputs_;
};

}  // namespace bench

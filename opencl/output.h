// SPDX-License-Identifier: LGPL-2.1-or-later
// The output: from edges, or what another view shows, to pixels.
#pragma once

#include <optional>

#include "canny/canny.h"
#include "canny/plan.h"
#include "opencl/frame.h"

namespace canny::opencl {

/// Writes edge maps and other views. For one thread at a time.
class Output {
 public:
  /// Compiles the kernels. The queue must outlive this. Call once, before anything else. Where work
  /// items could write blocks of 16 bytes, they do so only if `writes_blocks`.
  Status open(const Queue& queue, bool writes_blocks);

  /// Queues writing the pixels of a frame of the size and format of `output`, without its chroma.
  Status run(const Buffer& edges, const Frame& output, const Image& to);
  /// Likewise for a view that shows the input, which has the format and the chroma of `output`.
  Status paint(const Plan& plan, const Buffer& edges, const Frame& output, const Image& from,
               const Image& to);
  /// Likewise a view that shows values, a byte a pixel, row by row.
  Status show(const Plan& plan, const Buffer& values, const Frame& output, const Image& to);

 private:
  const Queue* queue_ = nullptr;
  Program program_;
  Kernel write_edges_, write_edge_blocks_, write_values_, write_value_blocks_, paint_pixels_,
      paint_chroma_;
  bool writes_blocks_ = true;
  Buffer palette_;
  std::optional<Palette> written_palette_;  // in palette_
};

}  // namespace canny::opencl

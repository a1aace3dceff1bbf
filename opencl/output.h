// SPDX-License-Identifier: LGPL-2.1-or-later
// The output: from edges to pixels.
#pragma once

#include "canny/canny.h"
#include "opencl/image.h"
#include "opencl/queue.h"

namespace canny::opencl {

/// Writes edge maps. For one thread at a time.
class Output {
 public:
  /// Compiles the kernels. The queue must outlive this. Call once, before anything else.
  Status open(const Queue& queue);

  /// Queues writing the pixels of a frame of this size and format, without chroma of its own, and
  /// counting its edges.
  Status run(const Buffer& edges, PixelFormat format, int width, int height, const Image& image);
  /// Waits for the number of edges of the last frame.
  Status read_count(cl_uint* count) const { return count_.read(*queue_, count, sizeof *count); }

 private:
  const Queue* queue_ = nullptr;
  Program program_;
  Kernel write_edges_, count_edges_;
  Buffer count_;
};

}  // namespace canny::opencl

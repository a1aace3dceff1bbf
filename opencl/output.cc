// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of the output.
#include "opencl/output.h"

#include <algorithm>

#include "canny/bits.h"
#include "canny/frame.h"

namespace canny::opencl {
namespace {

constexpr char kSource[] =
#include "output.inc"
    ;

// As in output.cl.
struct Target {
  cl_long offset[3], stride[3];
  cl_int width, height;
  cl_int planes, bytes;
  cl_uint edge, other;
};

}  // namespace

Status Output::open(const Queue& queue) {
  queue_ = &queue;
  CANNY_TRY(program_.build(queue, kSource, "-cl-std=CL1.2"));
  CANNY_TRY(count_.reserve(queue, sizeof(cl_uint)));
  CANNY_TRY(write_edges_.open(queue, program_, "write_edges"));
  return count_edges_.open(queue, program_, "count_edges");
}

Status Output::run(const Buffer& edges, PixelFormat format, int width, int height,
                   const Image& image) {
  const PixelLayout& at = layout(format);
  Target target = {{}, {}, width, height, at.planes, at.bytes, at.edge, at.other};
  std::copy_n(image.offset, 3, target.offset);
  std::copy_n(image.stride, 3, target.stride);
  CANNY_TRY(write_edges_.run(*queue_, width, height, 1, edges, target, *image.buffer));
  const int words = (width + kWordBits - 1) / kWordBits;
  CANNY_TRY(count_.fill(*queue_, 0));
  return count_edges_.run(*queue_, words, height, 1, edges, words, count_);
}

}  // namespace canny::opencl

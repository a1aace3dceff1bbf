// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of the output.
#include "opencl/output.h"

#include <algorithm>
#include <cstring>

#include "canny/frame.h"
#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kOutputSource[] =
#include "planes.inc"

#include "output.inc"
    ;

// As in output.cl.
struct Target {
  Planes at;
  cl_int width, height;
  cl_int planes, bytes;
  cl_int sample_bytes, unused;
  cl_uint edge, other;
};

Target target_of(const Frame& output, const Image& to) {
  const PixelLayout& at = layout(output.format);
  const int sample_bytes = at.has_floats() ? at.sample_bytes() : 0;
  return {to.pixels, output.width, output.height, at.planes, at.bytes, sample_bytes,
          0,         at.edge,      at.other};
}

// Whether each row consists of whole blocks of pixels, at multiples of their size, but for the last
// one.
constexpr int kBlockBytes = 16;
bool has_blocks(const Target& target) {
  const auto is_aligned = [](cl_long byte) { return byte % kBlockBytes == 0; };
  return kBlockBytes % target.bytes == 0 &&
         std::all_of(target.at.offset, target.at.offset + target.planes, is_aligned) &&
         std::all_of(target.at.stride, target.at.stride + target.planes, is_aligned);
}

// As in output.cl.
struct PaintArguments {
  Planes from, to;  // of pixels, or U and V
  cl_int width, height;
  Paint paint;
  cl_int unused;
};

}  // namespace

Status Output::open(const Queue& queue, bool writes_blocks) {
  queue_ = &queue;
  writes_blocks_ = writes_blocks;
  CANNY_TRY(program_.build(queue, kOutputSource));
  CANNY_TRY(write_edges_.open(program_, "write_edges"));
  CANNY_TRY(write_edge_blocks_.open(program_, "write_edge_blocks"));
  CANNY_TRY(palette_.reserve(queue, sizeof(Palette)));
  CANNY_TRY(write_values_.open(program_, "write_values"));
  CANNY_TRY(write_value_blocks_.open(program_, "write_value_blocks"));
  CANNY_TRY(paint_pixels_.open(program_, "paint_pixels"));
  return paint_chroma_.open(program_, "paint_chroma");
}

Status Output::run(const Buffer& edges, const Frame& output, const Image& to) {
  const Target target = target_of(output, to);
  if (!writes_blocks_ || !has_blocks(target))
    return write_edges_.run({target.width, target.height}, edges, target, *to.buffer);
  return write_edge_blocks_.run({blocks(target.width, kBlockBytes / target.bytes), target.height},
                                edges, target, *to.buffer);
}

Status Output::paint(const Plan& plan, const Buffer& edges, const Frame& output, const Image& from,
                     const Image& to) {
  PaintArguments arguments = {from.pixels,
                              to.pixels,
                              output.width,
                              output.height,
                              make_paint(plan.view, plan.edge_color, output),
                              0};
  CANNY_TRY(
      paint_pixels_.run({output.width, output.height}, edges, arguments, *from.buffer, *to.buffer));
  if (!has_chroma(output)) return {};
  arguments.from = from.chroma;
  arguments.to = to.chroma;
  const int columns = chroma_samples(output.width, output.chroma.shift_x);
  const int rows = chroma_samples(output.height, output.chroma.shift_y);
  return paint_chroma_.run({columns, rows}, edges, arguments, columns, *from.buffer, *to.buffer);
}

Status Output::show(const Plan& plan, const Buffer& values, const Frame& output, const Image& to) {
  if (!written_palette_ || std::memcmp(&plan.palette, &*written_palette_, sizeof(Palette)) != 0) {
    written_palette_.reset();
    CANNY_TRY(palette_.write(*queue_, &plan.palette, sizeof(Palette)));
    written_palette_ = plan.palette;
  }
  const Target target = target_of(output, to);
  const int width = target.width, height = target.height;
  if (!writes_blocks_ || !has_blocks(target))
    return write_values_.run({width, height}, values, palette_, target, *to.buffer);
  return write_value_blocks_.run({blocks(width, 4), height}, values, palette_, target, *to.buffer);
}

}  // namespace canny::opencl

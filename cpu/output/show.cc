// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns values, or edges and the input, into pixels.
#include "cpu/output/show.h"

#include <hwy/base.h>

#include <algorithm>
#include <cstring>

#include "canny/frame.h"

namespace canny::cpu {
namespace {

using Word = Plane::Word;

bool bit(const Word* row, int x) { return (row[x / Plane::kBits] >> x % Plane::kBits & 1) != 0; }

// ---- values ----

// Writes kBytes bytes of each pixel, from byte `first` on.
template <int kBytes>
void write_pixels(const Palette& palette, const std::uint8_t* values, int count, int first,
                  std::uint8_t* out) {
  for (int i = 0; i < count; ++i, out += kBytes) {
    const std::uint32_t pixel = palette.pixel[values[i]] >> 8 * first;
    for (int byte = 0; byte < kBytes; ++byte)
      out[byte] = static_cast<std::uint8_t>(pixel >> 8 * byte);
  }
}

// Writes the samples of floats.
void write_samples(const Plan& plan, const std::uint8_t* values, const Columns& columns,
                   const Frame& output, int y) {
  const PixelLayout& pixel = layout(output.format);
  const auto [first, count] = columns;
  const int bytes = pixel.sample_bytes(), in_pixel = pixel.bytes / bytes;
  for (int color = 0; color < in_pixel * pixel.planes; ++color) {
    const Frame rows = plane(output, color / in_pixel);
    std::uint8_t* out = rows.data + y * rows.stride_bytes + first * pixel.bytes;
    out += color % in_pixel * bytes;
    for (int i = 0; i < count; ++i, out += pixel.bytes) {
      const std::uint32_t byte = plan.palette.pixel[values[i]] >> 8 * color & 255;
      std::memcpy(out, &plan.palette.sample[byte], bytes);  // the lowest bytes
    }
  }
}

// ---- colors over the input ----

// A row of the input, its edges, and the row of the output.
struct PaintedRow {
  const Paint& paint;
  const Word* edges;
  const std::uint8_t* in;
  std::uint8_t* out;
  int width;

  int alpha(bool is_edge) const { return is_edge ? paint.edge_alpha : paint.other_alpha; }
};

// Pixels of whole bytes.
void paint_bytes(const PaintedRow& row) {
  const Paint paint = row.paint;  // a copy, which the bytes written here can't be part of
  for (int x = 0; x < row.width; ++x) {
    const int alpha = row.alpha(bit(row.edges, x));
    for (int byte = 0; byte < paint.bytes; ++byte) {
      const int i = x * paint.bytes + byte, component = paint.of_byte[byte];
      const std::uint8_t sample = row.in[i];
      row.out[i] =
          component == kNotPainted ? sample : blend(paint.component[component], sample, alpha);
    }
    if (paint.shared_chroma == kNotPainted) continue;
    const int i = x * paint.bytes + paint.shared_chroma, pair = x & ~1;
    const bool is_edge = bit(row.edges, pair) || bit(row.edges, pair + 1);
    row.out[i] = blend(paint.component[1 + x % 2], row.in[i], row.alpha(is_edge));
  }
}

// Pixels that are words of colors.
void paint_words(const PaintedRow& row) {
  const Paint paint = row.paint;
  for (int x = 0; x < row.width; ++x) {
    const int alpha = row.alpha(bit(row.edges, x));
    const std::uint32_t word = row.in[2 * x] | row.in[2 * x + 1] << 8;
    const std::uint32_t painted =
        blend_bits(paint.component[0], word, paint.place[0], 5, alpha) |
        blend_bits(paint.component[1], word, paint.place[1], paint.green_bits, alpha) |
        blend_bits(paint.component[2], word, paint.place[2], 5, alpha);
    row.out[2 * x] = static_cast<std::uint8_t>(painted);
    row.out[2 * x + 1] = static_cast<std::uint8_t>(painted >> 8);
  }
}

// Samples of one component, `step` bytes apart; bit i of `edges` is that of sample i.
void paint_samples(const PaintedRow& row, int component, int step) {
  const int color = row.paint.component[component];
  for (int i = 0; i < row.width; ++i)
    row.out[i * step] = blend(color, row.in[i * step], row.alpha(bit(row.edges, i)));
}

// Whether samples of chroma that cover 2^shift_x pixels of these rows cover an edge.
void find_covered(const Plane& edges, int first_row, int last_row, int shift_x, int samples,
                  Word* covered) {
  std::fill_n(covered, (samples + Plane::kBits - 1) / Plane::kBits, 0);
  const Word all = (Word{1} << (1 << shift_x)) - 1;
  for (int i = 0; i < samples; ++i) {
    const int x = i << shift_x;
    Word block = 0;
    for (int y = first_row; y < last_row; ++y)
      block |= edges.word(x / Plane::kBits, y) >> x % Plane::kBits & all;
    covered[i / Plane::kBits] |= Word{block != 0} << i % Plane::kBits;
  }
}

}  // namespace

void write_values(const Plan& plan, const std::uint8_t* values, const Columns& columns,
                  const Frame& output, int y) {
  const PixelLayout& pixel = layout(output.format);
  const auto [first, count] = columns;
  if (pixel.has_floats()) return write_samples(plan, values, columns, output, y);
  if (pixel.planes == 3) {
    for (int color = 0; color < pixel.planes; ++color) {
      const Frame rows = plane(output, color);
      std::uint8_t* const out = rows.data + y * rows.stride_bytes + first;
      write_pixels<1>(plan.palette, values, count, color, out);
    }
    return;
  }
  const auto write = pixel.bytes == 1   ? write_pixels<1>
                     : pixel.bytes == 2 ? write_pixels<2>
                     : pixel.bytes == 3 ? write_pixels<3>
                                        : write_pixels<4>;
  std::uint8_t* const out = output.data + y * output.stride_bytes + first * pixel.bytes;
  write(plan.palette, values, count, 0, out);
}

void write_classes(const Plan& plan, const Plane& candidate, const Plane& strong,
                   const Frame& output, int y) {
  std::uint8_t values[Plane::kBits];
  for (int x = 0; x < output.width; x += Plane::kBits) {
    const int count = std::min(Plane::kBits, output.width - x);
    for (int i = 0; i < count; ++i) {
      const std::uint8_t weak = bit(candidate.row(y), x + i) ? kCandidateValue : 0;
      values[i] = bit(strong.row(y), x + i) ? kStrongValue : weak;
    }
    write_values(plan, values, {x, count}, output, y);
  }
}

void write_added(const Plan& plan, const Plane& from, const Plane& to, std::uint8_t value,
                 const Frame& output, int y) {
  for (int i = 0; i < to.words_per_row(); ++i) {
    for (Word added = to.word(i, y) & ~from.word(i, y); added != 0; added &= added - 1) {
      const int x = i * Plane::kBits + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(added));
      write_values(plan, &value, {x, 1}, output, y);
    }
  }
}

std::uint32_t paint_row(const Paint& paint, const Plane& edges, const ConstFrame& input,
                        const Frame& output, int y) {
  for (int i = 0; i < paint.planes; ++i) {
    const ConstFrame from = plane(input, i);
    const Frame to = plane(output, i);
    const PaintedRow row = {paint, edges.row(y), from.data + y * from.stride_bytes,
                            to.data + y * to.stride_bytes, output.width};
    if (paint.planes == 3)
      paint_samples(row, i, 1);
    else if (paint.green_bits > 0)
      paint_words(row);
    else
      paint_bytes(row);
  }
  return static_cast<std::uint32_t>(count_ones(edges.row(y), edges.words_per_row()));
}

void paint_chroma_row(const Paint& paint, const Plane& edges, const ConstFrame& input,
                      const Frame& output, int row) {
  const auto& from = input.chroma;
  const auto& to = output.chroma;
  const int samples = chroma_samples(output.width, to.shift_x);
  const int first_row = row << to.shift_y;
  const int last_row = std::min(first_row + (1 << to.shift_y), output.height);
  Word covered[kMaxSide / Plane::kBits];
  find_covered(edges, first_row, last_row, to.shift_x, samples, covered);
  const PaintedRow u = {paint, covered, from.u.data + row * from.u.stride_bytes,
                        to.u.data + row * to.u.stride_bytes, samples};
  const PaintedRow v = {paint, covered, from.v.data + row * from.v.stride_bytes,
                        to.v.data + row * to.v.stride_bytes, samples};
  paint_samples(u, 1, to.step_bytes);
  paint_samples(v, 2, to.step_bytes);
}

}  // namespace canny::cpu

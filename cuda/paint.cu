// SPDX-License-Identifier: LGPL-2.1-or-later
// Blends a color with the pixels of a frame, those of edges or the others. A warp takes a tile, a
// column per lane.
#include "cuda/paint.h"

#include <algorithm>

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/edges.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr int kNotPainted = -1;

// A plane of the input and of the output.
struct PaintedPlane {
  BasicPlane<const std::uint8_t> from;
  BasicPlane<std::uint8_t> to;
};

// What blocks need of the formats and the plan.
struct PaintArguments {
  PaintedPlane planes[3];  // of pixels
  PaintedPlane u, v;       // of chroma, null without
  int step_bytes, shift_x, shift_y;
  int plane_count, bytes;
  int component[4];         // of each byte, or kNotPainted
  int shared_chroma;        // the byte that is U in even and V in odd columns, or kNotPainted
  int r, g, b, green_bits;  // of words of colors
  int color[3], edge_alpha, other_alpha;
  int has_words;  // whether pixels consist of bytes, and 4 of these can be read and written at a
                  // time
};

template <class In, class Out>
PaintedPlane painted_plane(const In& from, const Out& to) {
  return {{from.data, from.stride_bytes}, {to.data, to.stride_bytes}};
}

// Whether 4 bytes from the start of each row on can be read or written at a time.
template <class Byte>
bool has_words(const BasicPlane<Byte>& plane) {
  return reinterpret_cast<std::uintptr_t>(plane.data) % kGroup == 0 &&
         plane.stride_bytes % kGroup == 0;
}

PaintArguments paint_arguments(const Plan& plan, const ConstFrame& input, const Frame& output) {
  PaintArguments paint = {};
  const PixelLayout& at = layout(output.format);
  paint.plane_count = at.planes;
  paint.bytes = at.bytes;
  for (int i = 0; i < at.planes; ++i)
    paint.planes[i] = painted_plane(plane(input, i), plane(output, i));
  if (has_chroma(output)) {
    paint.u = painted_plane(input.chroma.u, output.chroma.u);
    paint.v = painted_plane(input.chroma.v, output.chroma.v);
    paint.step_bytes = output.chroma.step_bytes;
    paint.shift_x = output.chroma.shift_x;
    paint.shift_y = output.chroma.shift_y;
  }
  std::fill_n(paint.component, 4, kNotPainted);
  const bool has_bytes = at.green_bits == 0;  // else the offsets are those of bits
  if (has_bytes) paint.component[at.r] = 0;
  const bool has_own_chroma = at.r == at.g && at.u != at.v;
  if (has_bytes && at.r != at.g) paint.component[at.g] = 1, paint.component[at.b] = 2;
  if (has_own_chroma) paint.component[at.u] = 1, paint.component[at.v] = 2;
  paint.shared_chroma = at.u >= 0 && at.u == at.v ? at.u : kNotPainted;
  paint.r = at.r, paint.g = at.g, paint.b = at.b, paint.green_bits = at.green_bits;
  const Paint of_view = make_paint(plan.view, plan.edge_color, output);
  std::copy_n(of_view.component, 3, paint.color);
  paint.edge_alpha = of_view.edge_alpha;
  paint.other_alpha = of_view.other_alpha;
  return paint;
}

__device__ int alpha_of(const PaintArguments& paint, bool is_edge) {
  return is_edge ? paint.edge_alpha : paint.other_alpha;
}

// A color of a word of colors: widened, blended and narrowed again.
__device__ std::uint32_t paint_bits(std::uint32_t word, int lowest, int bits, int color,
                                    int alpha) {
  const std::uint32_t v = word >> lowest & ((1u << bits) - 1);
  const std::uint32_t widened = v << (8 - bits) | v >> (2 * bits - 8);
  const std::uint32_t blended = blend(color, static_cast<int>(widened), alpha);
  return blended >> (8 - bits) << lowest;
}

__device__ void paint_word(const PaintArguments& paint, const std::uint8_t* in, int alpha,
                           std::uint8_t* out) {
  const std::uint32_t word = in[0] | in[1] << 8;
  const std::uint32_t painted = paint_bits(word, paint.r, 5, paint.color[0], alpha) |
                                paint_bits(word, paint.g, paint.green_bits, paint.color[1], alpha) |
                                paint_bits(word, paint.b, 5, paint.color[2], alpha);
  out[0] = static_cast<std::uint8_t>(painted);
  out[1] = static_cast<std::uint8_t>(painted >> 8);
}

// Paints the pixel in column x of a row. `edges` are those of the lane's tile in this row.
__device__ void paint_pixel(const PaintArguments& paint, int x, int y, std::uint32_t edges) {
  const int bit = x % kTile;
  const int alpha = alpha_of(paint, (edges >> bit & 1) != 0);
  for (int i = 0; i < paint.plane_count; ++i) {
    const PaintedPlane& plane = paint.planes[i];
    const std::uint8_t* in = plane.from.data + y * plane.from.stride_bytes + x * paint.bytes;
    std::uint8_t* out = plane.to.data + y * plane.to.stride_bytes + x * paint.bytes;
    if (paint.plane_count == 3) {
      out[0] = blend(paint.color[i], in[0], alpha);
    } else if (paint.green_bits > 0) {
      paint_word(paint, in, alpha, out);
    } else {
      for (int byte = 0; byte < paint.bytes; ++byte) {
        int component = paint.component[byte], own_alpha = alpha;
        if (byte == paint.shared_chroma) {
          component = 1 + x % 2;
          own_alpha = alpha_of(paint, (edges >> (bit & ~1) & 3) != 0);
        }
        out[byte] = component == kNotPainted ? in[byte]
                                             : blend(paint.color[component], in[byte], own_alpha);
      }
    }
  }
}

// ---- words of bytes ----

// What a lane needs to paint a word of a tile's row, the same word of every row: the pixels that
// decide about each byte, and the byte's color.
struct LaneWord {
  std::uint32_t pixels[kGroup];
  std::uint32_t colors, are_painted;  // a byte each; 255: painted, 0: the byte stays
};

// Of the word with number `word` of plane number `plane`.
template <int kBytes>
__device__ LaneWord lane_word(const PaintArguments& paint, int plane, int word) {
  LaneWord lane = {};
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    const int byte = word * kGroup + i, pixel = byte / kBytes, place = byte % kBytes;
    lane.pixels[i] = 1u << pixel % kTile;
    int component = paint.plane_count == 3 ? plane : paint.component[place];
    if (place == paint.shared_chroma) {
      component = 1 + pixel % 2;
      lane.pixels[i] = 3u << (pixel & ~1) % kTile;
    }
    if (component == kNotPainted) continue;
    lane.colors |= static_cast<std::uint32_t>(paint.color[component]) << 8 * i;
    lane.are_painted |= 255u << 8 * i;
  }
  return lane;
}

// The group with each byte's color over it.
__device__ std::uint32_t blend_group(const LaneWord& lane, std::uint32_t group, int alpha) {
  if (alpha == 0) return group;  // for all threads
  if (alpha == 255) return lane.colors;
  std::uint32_t blended = 0;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    const int color = lane.colors >> 8 * i & 255, sample = group >> 8 * i & 255;
    blended |= std::uint32_t{blend(color, sample, alpha)} << 8 * i;
  }
  return blended;
}

__device__ std::uint32_t paint_group(const PaintArguments& paint, const LaneWord& lane,
                                     std::uint32_t group, std::uint32_t edges) {
  std::uint32_t are_edges = 0;  // bytes of 255
#pragma unroll
  for (int i = 0; i < kGroup; ++i)
    if ((edges & lane.pixels[i]) != 0) are_edges |= 255u << 8 * i;
  const std::uint32_t painted = (blend_group(lane, group, paint.edge_alpha) & are_edges) |
                                (blend_group(lane, group, paint.other_alpha) & ~are_edges);
  return (painted & lane.are_painted) | (group & ~lane.are_painted);
}

// Paints the rows of a plane of a tile with all its columns, a word per lane. The lanes hold the
// rows of edges.
template <int kBytes>
__device__ void paint_words(const PaintArguments& paint, int plane_number, int tile_x, int first_y,
                            int rows, std::uint32_t edges) {
  const PaintedPlane& plane = paint.planes[plane_number];
  const int word = threadIdx.x;
  const bool has_word = word < kTile * kBytes / kGroup;
  const LaneWord lane = lane_word<kBytes>(paint, plane_number, word);
  const std::ptrdiff_t column = (std::ptrdiff_t{1} * tile_x * kTile * kBytes) + word * kGroup;
  const std::uint8_t* in = plane.from.data + first_y * plane.from.stride_bytes + column;
  std::uint8_t* out = plane.to.data + first_y * plane.to.stride_bytes + column;
  // Loads of several rows come before their stores, which the compiler can't tell apart from them.
  for (int first = 0; first < rows; first += kPaintRows) {
    std::uint32_t groups[kPaintRows] = {};
#pragma unroll
    for (int i = 0; i < kPaintRows; ++i)
      if (has_word && first + i < rows)
        groups[i] = load_group(in + (first + i) * plane.from.stride_bytes);
#pragma unroll
    for (int i = 0; i < kPaintRows; ++i) {
      const std::uint32_t own = __shfl_sync(~0u, edges, first + i);
      if (has_word && first + i < rows)
        *reinterpret_cast<std::uint32_t*>(out + (first + i) * plane.to.stride_bytes) =
            paint_group(paint, lane, groups[i], own);
    }
  }
}

// ---- chroma ----

// Paints the chroma of a tile, whose rows of edges the lanes hold. A lane takes a sample of a row.
__device__ void paint_chroma(const PaintArguments& paint, const TilePlane& size, int tile_x,
                             std::uint32_t edges) {
  const int samples = kTile >> paint.shift_x, rows = kTile >> paint.shift_y;
  const int width = (size.width + (1 << paint.shift_x) - 1) >> paint.shift_x;
  const int height = (size.height + (1 << paint.shift_y) - 1) >> paint.shift_y;
  std::uint32_t covered = edges;  // by the rows that share a sample; in the first of their lanes
  for (int i = 1; i < 1 << paint.shift_y; ++i) covered |= __shfl_down_sync(~0u, edges, i);
  const int x = tile_x * samples + threadIdx.x;
  for (int row = 0; row < rows; ++row) {
    const std::uint32_t own = __shfl_sync(~0u, covered, row << paint.shift_y);
    const int y = blockIdx.y * rows + row;
    if (static_cast<int>(threadIdx.x) >= samples || x >= width || y >= height) continue;
    const std::uint32_t all = (1u << (1 << paint.shift_x)) - 1;
    const int alpha = alpha_of(paint, (own >> (threadIdx.x << paint.shift_x) & all) != 0);
    const std::ptrdiff_t column = static_cast<std::ptrdiff_t>(x) * paint.step_bytes;
    const auto sample = [&](const PaintedPlane& plane, int color) {
      plane.to.data[y * plane.to.stride_bytes + column] =
          blend(color, plane.from.data[y * plane.from.stride_bytes + column], alpha);
    };
    sample(paint.u, paint.color[1]);
    sample(paint.v, paint.color[2]);
  }
}

// Tiles with all their columns are painted in words if pixels consist of kBytes bytes, not 0.
// Without a number of blocks, the compiler spills registers for some devices.
template <int kBytes>
__global__ void __launch_bounds__(kWarp* kPassTiles, 3)
    paint_kernel(__grid_constant__ const PaintArguments paint, Edges edges,
                 unsigned long long* count) {
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, first_y = blockIdx.y * kTile;
  const TilePlane& size = edges.decided;
  wait_for_previous_kernel();
  start_next_kernel();
  if (tile_x >= size.columns()) return;  // the whole warp
  const int tile = size.tile(tile_x, blockIdx.y), x = tile_x * kTile + threadIdx.x;
  const bool has_row = first_y + static_cast<int>(threadIdx.x) < size.height;
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  unsigned sum = __popc(row);
  for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x == 0 && sum != 0) atomicAdd(count, sum);
  const int rows = min(kTile, size.height - first_y);
  const bool has_all_columns = (tile_x + 1) * kTile <= size.width;
  if constexpr (kBytes > 0) {
    for (int i = 0; i < paint.plane_count && has_all_columns; ++i)
      paint_words<kBytes>(paint, i, tile_x, first_y, rows, row);
  }
  if (kBytes == 0 || !has_all_columns) {
    for (int i = 0; i < rows; ++i) {
      const std::uint32_t own = __shfl_sync(~0u, row, i);
      if (x < size.width) paint_pixel(paint, x, first_y + i, own);
    }
  }
  if (paint.u.to.data != nullptr) paint_chroma(paint, size, tile_x, row);
}

// Whether pixels consist of bytes of which 4 can be read and written at a time.
bool has_words(const PaintArguments& paint) {
  bool is_aligned = paint.green_bits == 0;
  for (int i = 0; i < paint.plane_count; ++i)
    is_aligned &= has_words(paint.planes[i].from) && has_words(paint.planes[i].to);
  return is_aligned;
}

}  // namespace

Status paint(const Plan& plan, const Edges& edges, const ConstFrame& input, const Frame& output,
             unsigned long long* count, Launcher* launcher) {
  const dim3 grid(blocks(edges.decided.columns(), kPassTiles), edges.decided.rows());
  const PaintArguments arguments = paint_arguments(plan, input, output);
  const int bytes = has_words(arguments) ? arguments.bytes : 0;
  const auto kernel = bytes == 1   ? paint_kernel<1>
                      : bytes == 2 ? paint_kernel<2>
                      : bytes == 3 ? paint_kernel<3>
                      : bytes == 4 ? paint_kernel<4>
                                   : paint_kernel<0>;
  return launcher->launch("paint kernel", kernel, grid, dim3(kWarp, kPassTiles), 0, arguments,
                          edges, count);
}

}  // namespace canny::cuda

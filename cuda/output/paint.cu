// SPDX-License-Identifier: LGPL-2.1-or-later
// Blends a color with the pixels of a frame, those of edges or the others. A warp takes a tile, a
// column per lane.
#include "cuda/output/output.h"

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/groups.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/pictures.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// A plane of the input and of the output.
struct PaintedPlane {
  BasicPlane<const std::uint8_t> from;
  BasicPlane<std::uint8_t> to;
};

// What blocks need of the formats and the plan.
struct PaintArguments {
  PaintedPlane planes[3];  // of pixels
  PaintedPlane u, v;       // of chroma, null without
  Pictures from, to;
  Paint paint;
  int unused;  // instead of padding
};

template <class In, class Out>
PaintedPlane painted_plane(const In& from, const Out& to) {
  return {{from.data, from.stride_bytes}, {to.data, to.stride_bytes}};
}

PaintArguments paint_arguments(const Plan& plan, const ConstFrame& input, const Frame& output) {
  PaintArguments arguments = {};
  arguments.paint = make_paint(plan.view, plan.edge_color, output);
  for (int i = 0; i < arguments.paint.planes; ++i)
    arguments.planes[i] = painted_plane(plane(input, i), plane(output, i));
  if (has_chroma(output)) {
    arguments.u = painted_plane(input.chroma.u, output.chroma.u);
    arguments.v = painted_plane(input.chroma.v, output.chroma.v);
  }
  arguments.from = pictures_of(input);
  arguments.to = pictures_of(output);
  return arguments;
}

__device__ int alpha_of(const Paint& paint, bool is_edge) {
  return is_edge ? paint.edge_alpha : paint.other_alpha;
}

__device__ void paint_word(const Paint& paint, const std::uint8_t* in, int alpha,
                           std::uint8_t* out) {
  const std::uint32_t word = in[0] | in[1] << 8;
  const std::uint32_t painted =
      blend_bits(paint.component[0], word, paint.place[0], 5, alpha) |
      blend_bits(paint.component[1], word, paint.place[1], paint.green_bits, alpha) |
      blend_bits(paint.component[2], word, paint.place[2], 5, alpha);
  out[0] = static_cast<std::uint8_t>(painted);
  out[1] = static_cast<std::uint8_t>(painted >> 8);
}

// The offsets of the block's picture in the input and in the output.
struct Offsets {
  std::ptrdiff_t from, to;
};

// Paints the pixel in column x of a row. `edges` are those of the lane's tile in this row.
__device__ void paint_pixel(const PaintArguments& arguments, const Offsets& offsets, int x, int y,
                            std::uint32_t edges) {
  const Paint& paint = arguments.paint;
  const int bit = x % kTile;
  const int alpha = alpha_of(paint, (edges >> bit & 1) != 0);
  for (int i = 0; i < paint.planes; ++i) {
    const PaintedPlane& plane = arguments.planes[i];
    const std::uint8_t* in =
        plane.from.data + offsets.from + y * plane.from.stride_bytes + x * paint.bytes;
    std::uint8_t* out = plane.to.data + offsets.to + y * plane.to.stride_bytes + x * paint.bytes;
    if (paint.planes == 3) {
      out[0] = blend(paint.component[i], in[0], alpha);
    } else if (paint.green_bits > 0) {
      paint_word(paint, in, alpha, out);
    } else {
      for (int byte = 0; byte < paint.bytes; ++byte) {
        int component = paint.of_byte[byte], own_alpha = alpha;
        if (byte == paint.shared_chroma) {
          component = 1 + x % 2;
          own_alpha = alpha_of(paint, (edges >> (bit & ~1) & 3) != 0);
        }
        out[byte] = component == kNotPainted
                        ? in[byte]
                        : blend(paint.component[component], in[byte], own_alpha);
      }
    }
  }
}

// ---- words of bytes ----

// What a lane needs to paint a word of a tile's row, the same word of every row. Parts of the word
// are painted by different pixels.
template <int kBytes>
struct LaneWord {
  static constexpr int kParts = kBytes == 4 ? 1 : kBytes == 3 ? 2 : kGroup;
  std::uint32_t pixels[kParts];  // the pixels of which one must be an edge
  std::uint32_t bytes[kParts];   // 255 for each byte of the part that is painted
  std::uint32_t colors;          // a byte each; 0 where the byte stays
  std::uint32_t painted;         // 255: painted, 0: the byte stays
};

// Of the word with number `word` of plane number `plane`.
template <int kBytes>
__device__ LaneWord<kBytes> lane_word(const Paint& paint, int plane, int word) {
  LaneWord<kBytes> lane = {};
  const int first_pixel = word * kGroup / kBytes;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    const int byte = word * kGroup + i, pixel = byte / kBytes, place = byte % kBytes;
    const int part = kBytes >= 3 ? pixel - first_pixel : i;
    int component = paint.planes == 3 ? plane : paint.of_byte[place];
    std::uint32_t pixels = 1u << pixel % kTile;
    if (place == paint.shared_chroma) {
      component = 1 + pixel % 2;
      pixels = 3u << (pixel & ~1) % kTile;
    }
    const std::uint32_t all = component == kNotPainted ? 0 : 255u << 8 * i;
#pragma unroll
    for (int j = 0; j < lane.kParts; ++j) {
      if (j != part) continue;
      lane.pixels[j] = pixels;
      lane.bytes[j] |= all;
    }
    lane.painted |= all;
    if (all != 0) lane.colors |= static_cast<std::uint32_t>(paint.component[component]) << 8 * i;
  }
  return lane;
}

// What a word becomes where its pixels are alike: (word & kept) | added.
struct Change {
  std::uint32_t kept, added;
};

// The change of painted bytes for an alpha of 0 or 255.
template <int kBytes>
__device__ Change change_of(const LaneWord<kBytes>& lane, int alpha) {
  return alpha == 0 ? Change{~0u, 0} : Change{~lane.painted, lane.colors};
}

// The word with each painted byte's color over it.
template <int kBytes>
__device__ std::uint32_t blend_group(const LaneWord<kBytes>& lane, std::uint32_t group, int alpha) {
  std::uint32_t blended = 0;
#pragma unroll
  for (int i = 0; i < kGroup; ++i) {
    const int color = lane.colors >> 8 * i & 255, sample = group >> 8 * i & 255;
    blended |= std::uint32_t{blend(color, sample, alpha)} << 8 * i;
  }
  return (blended & lane.painted) | (group & ~lane.painted);
}

// The bits of `chosen` where `mask` has ones, and those of `other`.
__device__ std::uint32_t choose_bits(std::uint32_t mask, std::uint32_t chosen,
                                     std::uint32_t other) {
  return (chosen & mask) | (other & ~mask);
}

// Paints words of a row of a tile. Without blending, alphas are 0 or 255.
template <int kBytes, bool kBlends>
struct WordPainter {
  LaneWord<kBytes> lane;
  Change of_edges, of_others;
  int edge_alpha, other_alpha;

  __device__ static WordPainter of(const Paint& paint, int plane, int word) {
    const LaneWord<kBytes> lane = lane_word<kBytes>(paint, plane, word);
    return {lane, change_of(lane, paint.edge_alpha), change_of(lane, paint.other_alpha),
            paint.edge_alpha, paint.other_alpha};
  }

  __device__ std::uint32_t paint(std::uint32_t group, std::uint32_t edges) const {
    std::uint32_t are_edges = 0;
#pragma unroll
    for (int i = 0; i < lane.kParts; ++i)
      if ((edges & lane.pixels[i]) != 0) are_edges |= lane.bytes[i];
    if constexpr (kBlends)
      return choose_bits(are_edges, blend_group(lane, group, edge_alpha),
                         blend_group(lane, group, other_alpha));
    return (group & choose_bits(are_edges, of_edges.kept, of_others.kept)) |
           choose_bits(are_edges, of_edges.added, of_others.added);
  }
};

// The same word of each row of a tile with all its columns.
struct WordColumn {
  const std::uint8_t* from;
  std::uint8_t* to;
  std::ptrdiff_t from_stride, to_stride;
  bool exists;  // whether the lane has a word
  int rows;

  // Loads the words of kPaintRows rows from row `first` on.
  __device__ void load(int first, std::uint32_t (&groups)[kPaintRows]) const {
#pragma unroll
    for (int i = 0; i < kPaintRows; ++i)
      groups[i] = exists && first + i < rows ? load_group(from + (first + i) * from_stride) : 0;
  }
};

// Of a lane in a plane of the tile.
template <int kBytes>
__device__ WordColumn word_column(const PaintedPlane& plane, const Offsets& offsets, int tile_x,
                                  int first_y, int rows) {
  const int word = threadIdx.x;
  const std::ptrdiff_t column = std::ptrdiff_t{1} * tile_x * kTile * kBytes + word * kGroup;
  return {plane.from.data + offsets.from + first_y * plane.from.stride_bytes + column,
          plane.to.data + offsets.to + first_y * plane.to.stride_bytes + column,
          plane.from.stride_bytes,
          plane.to.stride_bytes,
          word < kTile * kBytes / kGroup,
          rows};
}

// Paints a plane of the tile. The lanes hold the rows of edges, and `groups` the first words, which
// it overwrites. Loads of several rows come before their stores, which the compiler can't tell
// apart from them.
template <class Painter>
__device__ void paint_words(const Painter& painter, const WordColumn& column, std::uint32_t edges,
                            std::uint32_t (&groups)[kPaintRows]) {
#pragma unroll 1
  for (int first = 0; first < column.rows; first += kPaintRows) {
    if (first > 0) column.load(first, groups);
#pragma unroll
    for (int i = 0; i < kPaintRows; ++i) {
      const std::uint32_t own = __shfl_sync(~0u, edges, first + i);
      if (column.exists && first + i < column.rows)
        *reinterpret_cast<std::uint32_t*>(column.to + (first + i) * column.to_stride) =
            painter.paint(groups[i], own);
    }
  }
}

// ---- chroma ----

// Paints the chroma of a tile, whose rows of edges the lanes hold. A lane takes a sample of a row.
__device__ void paint_chroma(const PaintArguments& arguments, const Offsets& offsets,
                             const TilePlane& size, int tile_x, std::uint32_t edges) {
  const Paint& paint = arguments.paint;
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
      plane.to.data[offsets.to + y * plane.to.stride_bytes + column] =
          blend(color, plane.from.data[offsets.from + y * plane.from.stride_bytes + column], alpha);
    };
    sample(arguments.u, paint.component[1]);
    sample(arguments.v, paint.component[2]);
  }
}

// Tiles with all their columns are painted in words if pixels consist of kBytes bytes, not 0. The
// first words are loaded before the previous kernel has ended: it does not write the input. Single
// pictures have kernels of their own, which need fewer registers.
template <int kBytes, bool kBlends, bool kBatch>
__global__ void __launch_bounds__(kWarp* kPassTiles, kPaintBlocks)
    paint_kernel(__grid_constant__ const PaintArguments arguments, Edges edges,
                 __grid_constant__ const Reporter reporter) {
  __shared__ EdgeCounter counter;
  counter.clear();
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y, first_y = blockIdx.y * kTile;
  const TilePlane& size = edges.decided;
  const int rows = min(kTile, size.height - first_y);
  const bool has_tile = tile_x < size.columns();
  const bool has_words = kBytes > 0 && (tile_x + 1) * kTile <= size.width;
  std::uint32_t groups[kPaintRows];
  WordColumn column;
  Offsets offsets = {0, 0};
  if constexpr (kBatch) offsets = {arguments.from.offset(), arguments.to.offset()};
  if constexpr (kBytes > 0) {
    column = word_column<kBytes>(arguments.planes[0], offsets, tile_x, first_y, rows);
    if (has_words) column.load(0, groups);
  }
  wait_and_start_next();
  const int tile = size.tile(tile_x, blockIdx.y), x = tile_x * kTile + threadIdx.x;
  const bool has_row = has_tile && first_y + static_cast<int>(threadIdx.x) < size.height;
  const std::uint32_t row =
      edge_row(edges, tile, load_edges(edges, tile, has_tile, has_row), has_row);
  counter.add(__popc(row));
  if constexpr (kBytes > 0) {
    for (int i = 0; i < arguments.paint.planes && has_words; ++i) {
      if (i > 0) {
        column = word_column<kBytes>(arguments.planes[i], offsets, tile_x, first_y, rows);
        column.load(0, groups);
      }
      paint_words(WordPainter<kBytes, kBlends>::of(arguments.paint, i, threadIdx.x), column, row,
                  groups);
    }
  }
  if (!has_words && has_tile) {
    for (int i = 0; i < rows; ++i) {
      const std::uint32_t own = __shfl_sync(~0u, row, i);
      if (x < size.width) paint_pixel(arguments, offsets, x, first_y + i, own);
    }
  }
  if (has_tile && arguments.u.to.data != nullptr)
    paint_chroma(arguments, offsets, size, tile_x, row);
  counter.report(reporter);
}

// Whether pixels consist of bytes of which 4 can be read and written at a time.
bool has_words(const PaintArguments& arguments) {
  bool are_aligned = arguments.paint.green_bits == 0;
  for (int i = 0; i < arguments.paint.planes; ++i)
    are_aligned &= is_aligned(arguments.planes[i].from, arguments.from, kGroup) &&
                   is_aligned(arguments.planes[i].to, arguments.to, kGroup);
  return are_aligned;
}

template <bool kBlends, bool kBatch>
auto choose_kernel(int bytes) {
  return bytes == 1   ? paint_kernel<1, kBlends, kBatch>
         : bytes == 2 ? paint_kernel<2, kBlends, kBatch>
         : bytes == 3 ? paint_kernel<3, kBlends, kBatch>
                      : paint_kernel<4, kBlends, kBatch>;
}

template <bool kBatch>
auto choose_kernel(const PaintArguments& arguments) {
  const auto is_plain = [](int alpha) { return alpha == 0 || alpha == 255; };
  const Paint& paint = arguments.paint;
  if (!has_words(arguments)) return paint_kernel<0, true, kBatch>;
  return is_plain(paint.edge_alpha) && is_plain(paint.other_alpha)
             ? choose_kernel<false, kBatch>(paint.bytes)
             : choose_kernel<true, kBatch>(paint.bytes);
}

}  // namespace

Status paint(const Plan& plan, const Edges& edges, const ConstFrame& input, const Frame& output,
             const Reporter& reporter, Launcher* launcher) {
  const PaintArguments arguments = paint_arguments(plan, input, output);
  const auto kernel =
      output.batch.count > 1 ? choose_kernel<true>(arguments) : choose_kernel<false>(arguments);
  return launcher->launch_tiles("paint kernel", kernel, edges.decided, kPassTiles, arguments, edges,
                                reporter);
}

}  // namespace canny::cuda

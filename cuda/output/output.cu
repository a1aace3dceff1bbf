// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts the edges and passes their bits to a writer, which knows the layout of the output.
#include "canny/frame.h"
#include "cuda/geometry.h"
#include "cuda/hysteresis/edges.h"
#include "cuda/output/output.h"
#include "cuda/pictures.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// Chooses a byte of a or b with each of the lowest four nibbles of `bits`. The lower three bits of
// a nibble say which byte; the highest one turns it into eight copies of the byte's highest bit.
__device__ std::uint32_t choose_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t bits) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(bits));
  return bytes;
}

// Returns 255 for each byte whose highest bit is 1, and 0 for the others.
__device__ std::uint32_t filled_bytes(std::uint32_t word) { return choose_bytes(word, 0, 0xba98); }

// A word of pixels that are not edges, lowest byte first, and the bits in which edges differ from
// it. A pixel or a float of 2 bytes appears twice.
struct Values {
  std::uint32_t other, differing;
};

Values values_of(const PixelLayout& pixel) {
  const int bytes = pixel.has_floats() ? pixel.sample_bytes() : pixel.bytes;
  const std::uint32_t twice = bytes == 2 ? 0x10001 : 1;
  return {pixel.other * twice, (pixel.other ^ pixel.edge) * twice};
}

// Returns kCount bytes, from byte `first` on, of pixels of kBytes bytes each. The bytes of the word
// after them are undefined.
template <int kBytes, int kCount = 4>
__device__ std::uint32_t pixel_bytes(std::uint64_t edges, int first, Values values) {
  if constexpr (kBytes == 1) {
    // The product copies bit i to bit 8 i + 7; with 7 bits, the copies do not overlap.
    return filled_bytes((static_cast<std::uint32_t>(edges >> first) & 127) * 0x10204080u);
  } else {
    std::uint32_t bytes = 0;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const std::uint32_t edge = edges >> ((first + i) / kBytes) & 1 ? 255 : 0;
      bytes |= edge << 8 * i;
    }
    if constexpr (kBytes == 3) return bytes;
    const auto from_first = [&](std::uint32_t word) {
      return __funnelshift_r(word, word, 8 * (first % 4));
    };
    return from_first(values.other) ^ (bytes & from_first(values.differing));
  }
}

// A warp writes rows of up to kSpan pixels. kRowLanes lanes share a row, each a part of it.
constexpr int kSpan = kTile * kOutputTiles, kPixels = 16, kRowLanes = kSpan / kPixels;
static_assert(kSpan <= 64, "the edges of a row fill a word of 64 bits at most");

// Transposes the 4x4 bits of each half of a word: bit 4 i + j becomes bit 4 j + i.
__device__ std::uint32_t transposed(std::uint32_t word) {
  const auto swap = [&](int distance, std::uint32_t lower) {
    const std::uint32_t differ = (word ^ word >> distance) & lower;
    word ^= differ ^ differ << distance;
  };
  swap(3, 0x0a0a0a0a);
  swap(6, 0x00cc00cc);
  return word;
}

// Returns 16 bytes, 255 for each edge and 0 for the others, from transposed bits: bit 0 of each
// nibble chooses the first four bytes, bit 1 the next four, and so on. The other bits of a nibble
// choose among equal bytes.
__device__ uint4 sixteen_bytes(std::uint32_t transposed_edges) {
  constexpr std::uint32_t kByBit0 = 0xff00ff00, kByBit1 = 0xffff0000;
  return make_uint4(choose_bytes(kByBit0, kByBit0, transposed_edges),
                    choose_bytes(kByBit1, kByBit1, transposed_edges),
                    choose_bytes(0, ~0u, transposed_edges),
                    choose_bytes(0, ~0u, transposed_edges >> 1));
}

// Writes a part in units of 16 bytes, all of them aligned. The edges of pixels of 1 byte are
// transposed. With `streamed`, the units are the first to leave the L2 cache.
template <int kBytes>
__device__ void write_units(std::uint64_t edges, std::uint8_t* out, int part, Values values,
                            bool streamed) {
  const auto store = [&](uint4* to, uint4 bytes) {
    if (streamed) {
      __stcs(to, bytes);
    } else {
      *to = bytes;
    }
  };
  edges >>= kPixels * part;
  auto* to = reinterpret_cast<uint4*>(out) + kBytes * part;
  if constexpr (kBytes == 1) {
    store(to, sixteen_bytes(static_cast<std::uint32_t>(edges)));
  } else {
#pragma unroll
    for (int i = 0; i < kBytes; ++i) {
      uint4 bytes;
      bytes.x = pixel_bytes<kBytes>(edges, 16 * i, values);
      bytes.y = pixel_bytes<kBytes>(edges, 16 * i + 4, values);
      bytes.z = pixel_bytes<kBytes>(edges, 16 * i + 8, values);
      bytes.w = pixel_bytes<kBytes>(edges, 16 * i + 12, values);
      store(to + i, bytes);
    }
  }
}

// Writes the aligned words that the pixels fill, and single bytes before and after them.
template <int kBytes>
__device__ void write_words(std::uint64_t edges, std::uint8_t* out, int pixels, int part,
                            Values values) {
  const int bytes = pixels * kBytes;
  const int misalignment = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % 4);
  const int first = min(misalignment == 0 ? 0 : 4 - misalignment, bytes);
  const int words = (bytes - first) / 4, last = first + 4 * words;
  auto* to = reinterpret_cast<std::uint32_t*>(out + first);
#pragma unroll
  for (int i = 0; i < kPixels * kBytes / 4; ++i) {
    const int word = part + i * kRowLanes;
    if (word < words) to[word] = pixel_bytes<kBytes>(edges, first + 4 * word, values);
  }
  const auto write_byte = [&](int byte) {
    out[byte] = static_cast<std::uint8_t>(pixel_bytes<kBytes, 1>(edges, byte, values));
  };
  constexpr int kMostBeside = 3;  // bytes on either side of the words
#pragma unroll
  for (int i = 0; i < kMostBeside; i += kRowLanes) {
    if (i + part < first) write_byte(i + part);
    if (last + i + part < bytes) write_byte(last + i + part);
  }
}

// Writes edge maps: pixels of kBytes bytes in each of kPlanes planes.
template <int kBytes, int kPlanes>
struct PixelWriter {
  static constexpr int kUnit = 16;

  BasicPlane<std::uint8_t> planes[kPlanes];
  Values values;
  int alignment;  // of all rows: kUnit, or 1 if unknown
  int streamed;   // whether units of kUnit bytes are the first to leave the L2 cache

  // Writes what does not depend on edges. All blocks call this.
  __device__ void finish(std::ptrdiff_t) const {}

  // Writes tiles side by side, of each of which a lane has a row: `pixels` pixels from column x on
  // in rows from y on, of which `height` are in the image. `offset` is that of the picture.
  __device__ void write(const std::uint32_t (&rows)[kOutputTiles], int x, int y, int pixels,
                        int height, std::ptrdiff_t offset) const {
    if (alignment == kUnit && pixels == kSpan) {
      write_rows<true>(rows, x, y, pixels, height, offset);
    } else if (pixels > 0) {
      write_rows<false>(rows, x, y, pixels, height, offset);
    }
  }

 private:
  template <bool kInUnits>
  __device__ void write_rows(const std::uint32_t (&rows)[kOutputTiles], int x, int y, int pixels,
                             int height, std::ptrdiff_t offset) const {
    constexpr int kRows = kWarp / kRowLanes;  // at a time
    const int part = threadIdx.x % kRowLanes, first = threadIdx.x / kRowLanes;
    std::uint32_t words[kOutputTiles];
    std::uint8_t* out[kPlanes];
#pragma unroll
    for (int i = 0; i < kOutputTiles; ++i)
      words[i] = kInUnits && kBytes == 1 ? transposed(rows[i]) : rows[i];
#pragma unroll
    for (int i = 0; i < kPlanes; ++i)
      out[i] = planes[i].data + offset + (y + first) * planes[i].stride_bytes + x * kBytes;
#pragma unroll 1
    for (int row = first; row < kTile; row += kRows) {
      std::uint64_t edges = 0;
#pragma unroll
      for (int i = 0; i < kOutputTiles; ++i)
        edges |= std::uint64_t{__shfl_sync(~0u, words[i], row)} << i * kTile;
#pragma unroll
      for (int i = 0; i < kPlanes; ++i) {
        if (row < height) {
          if constexpr (kInUnits) {
            write_units<kBytes>(edges, out[i], part, values, streamed);
          } else {
            write_words<kBytes>(edges, out[i], pixels, part, values);
          }
        }
        out[i] += kRows * planes[i].stride_bytes;
      }
    }
  }
};

// Writes chroma without color.
struct ChromaWriter {
  static constexpr int kUnit = 16;
  struct Rows {
    std::uint8_t* data;
    std::ptrdiff_t stride_bytes;
    int bytes, count;  // 0 rows if there is no such plane
  };

  Rows planes[2];

  // Blocks take rows in turn.
  __device__ void write(std::ptrdiff_t offset) const {
    const int blocks = gridDim.x * gridDim.y, block = blockIdx.y * gridDim.x + blockIdx.x;
    const int thread = threadIdx.y * kWarp + threadIdx.x;
#pragma unroll
    for (const Rows& rows : planes)
      for (int y = block; y < rows.count; y += blocks)
        write_neutral(rows.data + offset + y * rows.stride_bytes, rows.bytes, thread);
  }

  __device__ static void write_neutral(std::uint8_t* row, int bytes, int thread) {
    constexpr unsigned kFour = kNeutral * 0x01010101u;
    const auto address = reinterpret_cast<std::uintptr_t>(row);
    const int first = min(static_cast<int>(-address % kUnit), bytes);
    const int last = first + (bytes - first) / kUnit * kUnit;  // whole units lie in between
    for (int i = first + thread * kUnit; i < last; i += kWarp * kOutputWarps * kUnit)
      *reinterpret_cast<uint4*>(row + i) = make_uint4(kFour, kFour, kFour, kFour);
    if (thread < first) row[thread] = kNeutral;
    if (thread < bytes - last) row[last + thread] = kNeutral;
  }
};

// Writes luma and chroma.
struct LumaWriter {
  PixelWriter<1, 1> luma;
  ChromaWriter chroma;

  __device__ void write(const std::uint32_t (&rows)[kOutputTiles], int x, int y, int pixels,
                        int height, std::ptrdiff_t offset) const {
    luma.write(rows, x, y, pixels, height, offset);
  }
  __device__ void finish(std::ptrdiff_t offset) const { chroma.write(offset); }
};

// A warp takes kOutputTiles tiles side by side. Each lane loads a row of each tile; then kRowLanes
// lanes write a row of all tiles. With `are_older`, the edges were complete before the previous
// kernel began.
template <class Writer>
__global__ void __launch_bounds__(kWarp* kOutputWarps)
    output_kernel(__grid_constant__ const Writer writer, Pictures pictures, Edges edges,
                  int are_older, __grid_constant__ const Reporter reporter) {
  __shared__ EdgeCounter counter;
  counter.clear();
  const int columns = edges.decided.columns(), first_y = blockIdx.y * kTile;
  const int first_x = (blockIdx.x * kOutputWarps + threadIdx.y) * kOutputTiles;
  const int first_tile = edges.decided.tile(first_x, blockIdx.y);
  const bool has_row = first_y + static_cast<int>(threadIdx.x) < edges.decided.height;
  if (!are_older) wait_for_previous_kernel();
  start_next_kernel();

  LoadedEdges tiles[kOutputTiles];
#pragma unroll
  for (int i = 0; i < kOutputTiles; ++i)
    tiles[i] = load_edges(edges, first_tile + i, first_x + i < columns, has_row);
  std::uint32_t rows[kOutputTiles];
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < kOutputTiles; ++i) {
    rows[i] = edge_row(edges, first_tile + i, tiles[i], has_row);
    sum += __popc(rows[i]);
  }
  counter.add(sum);

  const int x = first_x * kTile, pixels = min(edges.decided.width - x, kSpan);
  const std::ptrdiff_t offset = pictures.offset();
  writer.write(rows, x, first_y, pixels, edges.decided.height - first_y, offset);
  writer.finish(offset);
  counter.report(reporter);
  if (are_older) wait_for_previous_kernel();
}

__global__ void __launch_bounds__(kWarp* kOutputWarps)
    output_chroma_kernel(__grid_constant__ const ChromaWriter writer, Pictures pictures) {
  wait_and_start_next();
  writer.write(pictures.offset());
}

// A warp a tile, a row per lane.
__global__ void __launch_bounds__(kWarp* kPassTiles)
    output_bits_kernel(Edges edges, std::uint32_t* words) {
  const int columns = edges.decided.columns();
  const int x = blockIdx.x * kPassTiles + threadIdx.y, y = blockIdx.y * kTile + threadIdx.x;
  wait_and_start_next();
  if (x >= columns) return;  // the whole warp
  const int tile = edges.decided.tile(x, blockIdx.y);
  const bool has_row = y < edges.decided.height;
  const std::uint32_t row = edge_row(edges, tile, load_edges(edges, tile, true, has_row), has_row);
  const std::size_t in_all = first_row_of_picture(edges.decided.height) + y;
  if (has_row) words[in_all * columns + x] = row;
}

template <int kBytes, int kPlanes = 1>
PixelWriter<kBytes, kPlanes> pixel_writer(const Frame& output, bool streamed) {
  using Writer = PixelWriter<kBytes, kPlanes>;
  Writer writer = {};
  writer.values = values_of(layout(output.format));
  writer.alignment = Writer::kUnit;
  writer.streamed = streamed;
  for (int i = 0; i < kPlanes; ++i) {
    const Frame from = plane(output, i);
    writer.planes[i] = {from.data, from.stride_bytes};
    if (!is_aligned(writer.planes[i], pictures_of(output), Writer::kUnit)) writer.alignment = 1;
  }
  return writer;
}

ChromaWriter chroma_writer(const Frame& output) {
  ChromaWriter writer = {};
  for (int i = 0; i < chroma_planes(output); ++i) {
    const Frame rows = chroma_plane(output, i);
    writer.planes[i] = {rows.data, rows.stride_bytes, row_bytes(rows), rows.height};
  }
  return writer;
}

}  // namespace

Status output(const Edges& edges, const Frame& output, bool streamed, bool are_older,
              const Reporter& reporter, Launcher* launcher) {
  const auto launch = [&](const auto& writer) {
    const dim3 grid(blocks(output.width, kSpan * kOutputWarps), blocks(output.height, kTile));
    return launcher->launch("output kernel", output_kernel<std::decay_t<decltype(writer)>>, grid,
                            dim3(kWarp, kOutputWarps), 0, writer, pictures_of(output), edges,
                            are_older, reporter);
  };
  if (has_chroma(output))
    return launch(LumaWriter{pixel_writer<1>(output, streamed), chroma_writer(output)});
  const int bytes = layout(output.format).bytes;
  if (layout(output.format).planes == 3)
    return bytes == 1   ? launch(pixel_writer<1, 3>(output, streamed))
           : bytes == 2 ? launch(pixel_writer<2, 3>(output, streamed))
                        : launch(pixel_writer<4, 3>(output, streamed));
  return bytes == 1   ? launch(pixel_writer<1>(output, streamed))
         : bytes == 2 ? launch(pixel_writer<2>(output, streamed))
         : bytes == 3 ? launch(pixel_writer<3>(output, streamed))
         : bytes == 4 ? launch(pixel_writer<4>(output, streamed))
         : bytes == 6 ? launch(pixel_writer<6>(output, streamed))
                      : launch(pixel_writer<12>(output, streamed));
}

Status output_chroma(const Frame& output, Launcher* launcher) {
  if (!has_chroma(output)) return {};
  return launcher->launch("output chroma kernel", output_chroma_kernel,
                          dim3(1, chroma_plane(output, 0).height), dim3(kWarp, kOutputWarps), 0,
                          chroma_writer(output), pictures_of(output));
}

Status output_bits(const Edges& edges, std::uint32_t* words, Launcher* launcher) {
  return launcher->launch_tiles("output bits kernel", output_bits_kernel, edges.decided, kPassTiles,
                                edges, words);
}

}  // namespace canny::cuda

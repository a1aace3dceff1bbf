// SPDX-License-Identifier: LGPL-2.1-or-later
// The input of a strip: copies rows of pixels to shared memory and computes their luma.
#pragma once

#include "cuda/front/luma_words.h"
#include "cuda/front/strip/strip.h"
#include "cuda/geometry.h"

namespace canny::cuda::strip {

// A lane has 4 pixels of each block in rows lane / 4 and 8 + lane / 4 of a step. These words hold
// their luma, in the layout of the blur's matrix products.
template <int kReach>
using Luma = std::uint32_t[2][Reach<kReach>::kBlocks];

// Loads the words of 4 pixels. Pixels that are not aligned come from the aligned words around them.
template <int kBytes, bool kAligned>
__device__ void load_pixels(const std::uint8_t* pixels, std::uint32_t (&words)[kBytes]) {
  if constexpr (!kAligned) {
    load_words(pixels, words);
  } else if constexpr (kBytes == 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(pixels);
    words[0] = four.x, words[1] = four.y, words[2] = four.z, words[3] = four.w;
  } else {
#pragma unroll
    for (int i = 0; i < kBytes; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(pixels)[i];
  }
}

// The part of the input that a strip reads.
template <int kBytes, int kReach, bool kAligned>
struct Source {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  const std::uint8_t* data;
  std::ptrdiff_t stride;
  int width, height;
  int x;  // first column of the strip

  // Row y, mirrored at the upper and lower border.
  __device__ const std::uint8_t* row(int y) const { return data + reflect(y, height) * stride; }
  // Whether the units of the strip go beyond the end of a row.
  __device__ bool reaches_end() const {
    return x * kBytes - Raw::kBefore + Raw::kUnits * Raw::kUnit > width * kBytes;
  }
  __device__ bool has_rows(int y) const { return y >= 0 && y + kStep <= height; }
  // The offset of a row's first byte in its unit.
  __device__ static int shift(const std::uint8_t* row) {
    return kAligned ? 0 : static_cast<int>(reinterpret_cast<std::uintptr_t>(row) % Raw::kUnit);
  }
  // The position of the strip's first pixel in a row of units.
  __device__ static int first_byte(const std::uint8_t* row) { return Raw::kBefore + shift(row); }
};

// Begins to copy 16 bytes to shared memory.
__device__ inline void copy_unit(std::uint8_t* to, const std::uint8_t* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
#endif
}

// Waits until this lane's copies have arrived.
__device__ inline void wait_for_copies() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies, byte by byte, units that lie only partly in their row: at its beginning or its end, if
// the strip reaches there.
template <int kBytes, int kReach, bool kAligned>
__device__ void copy_ends(const Source<kBytes, kReach, kAligned>& source, int y,
                          RawRows<kBytes, kReach, kAligned>* raw) {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  constexpr int kRows = kWarp / Raw::kUnit;  // at a time
  const int row_bytes = source.width * kBytes;
#pragma unroll 4
  for (int i = 0; i < kStep; i += kRows) {
    const int to = i + lane() / Raw::kUnit, byte = lane() % Raw::kUnit;
    const std::uint8_t* row = source.row(y + to);
    const int shift = source.shift(row);
    const auto copy = [&](int at) {
      const int to_byte = source.first_byte(row) - source.x * kBytes + at;
      if (at >= 0 && at < row_bytes && to_byte < Raw::kUnits * Raw::kUnit)
        raw->bytes[to][to_byte] = row[at];
    };
    if (source.x == 0 && shift != 0) copy(byte - shift);
    if (source.reaches_end()) copy((row_bytes + shift) / Raw::kUnit * Raw::kUnit - shift + byte);
  }
}

// Begins to copy the units that lie within the 16 rows from row y on. Rows are mirrored at the
// upper and lower border.
template <int kBytes, int kReach, bool kAligned>
__device__ void copy_rows(const Source<kBytes, kReach, kAligned>& source, int y,
                          RawRows<kBytes, kReach, kAligned>* raw) {
  using Raw = RawRows<kBytes, kReach, kAligned>;
  constexpr int kRows = kWarp / Raw::kRowLanes;  // at a time
  const int unit = lane() % Raw::kRowLanes, first = lane() / Raw::kRowLanes;
  std::uint8_t* to = raw->bytes[first] + unit * Raw::kUnit;
  const auto offset_in = [&](const std::uint8_t* row) {
    return source.x * kBytes - Raw::kBefore + unit * Raw::kUnit - source.shift(row);
  };
  const auto is_inside = [&](int offset) {
    return unit < Raw::kUnits && offset >= 0 && offset + Raw::kUnit <= source.width * kBytes;
  };
  const auto copy = [&](int i, const std::uint8_t* row) {
    const int offset = offset_in(row);
    if (is_inside(offset)) copy_unit(to + i * Raw::kPitch, row + offset);
  };
  if (source.has_rows(y)) {
    const std::uint8_t* row = source.data + (y + first) * source.stride;
    const std::ptrdiff_t distance = kRows * source.stride;
    if constexpr (kAligned) {  // the offsets are equal
      const int offset = offset_in(row);
      row += offset;
      if (is_inside(offset)) {
#pragma unroll
        for (int i = 0; i < kStep; i += kRows, row += distance)
          copy_unit(to + i * Raw::kPitch, row);
      }
    } else {
#pragma unroll
      for (int i = 0; i < kStep; i += kRows, row += distance) copy(i, row);
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < kStep; i += kRows) copy(i, source.row(y + first + i));
  }
}

// Mirrors the 16 rows from row y on at the left and right border. The mirrored pixels have been
// copied: if a strip does not begin at column 0, the image is wider than any reach. A lane mirrors
// the same column in several rows, and loads its pixels before it stores the first, since the
// slowest strips determine the time of the kernel.
template <int kBytes, int kReach, bool kAligned>
__device__ void mirror_columns(const Source<kBytes, kReach, kAligned>& source, int y,
                               RawRows<kBytes, kReach, kAligned>* raw) {
  constexpr int kRows = kReach < kWarp ? kWarp / kReach : 1;  // at a time
  constexpr int kBatch = 4;
  const int first = lane() / kReach;
  const auto mirror = [&](int x) {
    const int from = reflect(x, source.width) * kBytes, to = x * kBytes;
#pragma unroll 1
    for (int i = 0; i < kStep; i += kBatch * kRows) {
      std::uint8_t* column_0[kBatch];
      std::uint8_t pixels[kBatch][kBytes];
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        const int row = i + j * kRows + first;
        column_0[j] = raw->bytes[row] - source.x * kBytes +
                      source.first_byte(kAligned ? nullptr : source.row(y + row));
#pragma unroll
        for (int byte = 0; byte < kBytes; ++byte) pixels[j][byte] = column_0[j][from + byte];
      }
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
#pragma unroll
        for (int byte = 0; byte < kBytes; ++byte) column_0[j][to + byte] = pixels[j][byte];
      }
    }
  };
  if (first >= kRows) return;
  const auto mirror_both = [&](int distance) {
    if (source.x == 0) mirror(-distance);
    const int right = source.width - 1 + distance;
    if (right < source.x + kStrip + kReach) mirror(right);
  };
  mirror_both(1 + lane() % kReach);
  if constexpr (kReach > kWarp)
    if (lane() < kReach - kWarp) mirror_both(1 + kWarp + lane());
}

// Begins to copy the 16 rows from row y on.
template <int kBytes, int kReach, bool kAligned>
__device__ void copy_step(const Strip& strip, const Source<kBytes, kReach, kAligned>& source, int y,
                          RawRows<kBytes, kReach, kAligned>* raw) {
  copy_rows(source, y, raw);
  if (strip.border && (!kAligned || strip.width * kBytes % raw->kUnit != 0))
    copy_ends(source, y, raw);
}

// Waits for them and mirrors them.
template <int kBytes, int kReach, bool kAligned>
__device__ void finish_copies(const Strip& strip, const Source<kBytes, kReach, kAligned>& source,
                              int y, RawRows<kBytes, kReach, kAligned>* raw) {
  wait_for_copies();
  __syncwarp();
  if (!strip.border) return;
  mirror_columns(source, y, raw);
  __syncwarp();
}

// Calls f(half, block, the words of 4 pixels) for a lane's pixels in the 16 rows from row y on.
template <int kBytes, int kReach, bool kAligned, class F>
__device__ void for_each_block(const Source<kBytes, kReach, kAligned>& source, int y,
                               const RawRows<kBytes, kReach, kAligned>& raw, F f) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane() / 4 + kStep / 2 * half;
    const std::uint8_t* pixels = raw.bytes[row] + (lane() % 4 * 4 - kReach) * kBytes;
    pixels += kAligned ? raw.kBefore : source.first_byte(source.row(y + row));
#pragma unroll
    for (int block = 0; block < Reach<kReach>::kBlocks; ++block) {
      std::uint32_t words[kBytes];
      load_pixels<kBytes, kAligned>(pixels + kBlock * kBytes * block, words);
      f(half, block, words);
    }
  }
}

// Computes the luma of these pixels.
template <int kBytes, int kReach, bool kAligned>
__device__ void load_luma(const Source<kBytes, kReach, kAligned>& source, int y,
                          const StripArguments& s, const RawRows<kBytes, kReach, kAligned>& raw,
                          Luma<kReach>& luma) {
  for_each_block(source, y, raw, [&](int half, int block, const std::uint32_t(&words)[kBytes]) {
    luma[half][block] = luma_of<kBytes>(words, s.luma);
  });
}

}  // namespace canny::cuda::strip

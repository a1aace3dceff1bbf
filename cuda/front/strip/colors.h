// SPDX-License-Identifier: LGPL-2.1-or-later
// The blurred red, green and blue of a strip, from one copy of its pixels, for kernels of up to
// 2 * kColorReach - 3 taps.
#pragma once

#include <cstdint>

#include "cuda/front/strip/blur.h"
#include "cuda/front/strip/luma.h"
#include "cuda/front/strip/suppress.h"

namespace canny::cuda::strip {

inline constexpr int kColorReach = 8;

struct ColorArguments {
  StripArguments strip;
  std::uint8_t* image[3];  // their pitch is strip.pitch
  int place[3];            // of each color among the bytes of a pixel
  int unused[3];           // instead of padding
};

// Returns the byte at a place of each of 4 pixels.
template <int kBytes>
__device__ std::uint32_t bytes_at(const std::uint32_t (&words)[kBytes], int place) {
  static_assert(kBytes == 3 || kBytes == 4);
  // Two pixels are within two words. In words of 3 pixels, the third one begins at byte 2 of the
  // second word.
  const int selector = 0x11 * place;
  if constexpr (kBytes == 3)
    return __byte_perm(__byte_perm(words[0], words[1], selector + 0x30),
                       __byte_perm(words[1], words[2], selector + 0x52), 0x5410);
  else
    return __byte_perm(__byte_perm(words[0], words[1], selector + 0x40),
                       __byte_perm(words[2], words[3], selector + 0x40), 0x5410);
}

// Does for all colors what load_luma() does.
template <int kBytes, bool kAligned>
__device__ void load_colors(const Source<kBytes, kColorReach, kAligned>& source, int y,
                            const ColorArguments& arguments,
                            const RawRows<kBytes, kColorReach, kAligned>& raw,
                            Luma<kColorReach> (&colors)[3]) {
  for_each_block(source, y, raw, [&](int half, int block, const std::uint32_t(&words)[kBytes]) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
      colors[i][half][block] = bytes_at<kBytes>(words, arguments.place[i]);
  });
}

template <int kBytes, bool kAligned>
struct ColorMemory {
  RawRows<kBytes, kColorReach, kAligned> raw;
  uint4 history[3][Reach<kColorReach>::kWindow - 1][kBlurTiles][kWarp];
  alignas(16) BlurredRows blurred;
};

// What blur() needs of it for one color.
struct ColorPart {
  uint4 (&history)[Reach<kColorReach>::kWindow - 1][kBlurTiles][kWarp];
  BlurredRows& blurred;
};

// Walks down like front_strip_kernel().
template <int kBytes, bool kAligned, bool kBlur>
__global__ void __launch_bounds__(kWarp)
    color_strip_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures, int rows,
                       int width, int height, __grid_constant__ const ColorArguments arguments,
                       __grid_constant__ const StripTaps<kColorReach> tables) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // never launched on older devices
  constexpr int kHistory = Reach<kColorReach>::kWindow - 1;
  constexpr int kFirst = kBlur ? kHistory : 0;  // first step with all rows of a window
  __shared__ ColorMemory<kBytes, kAligned> memory;
  const int x = blockIdx.x * kStrip;
  const Source<kBytes, kColorReach, kAligned> source{data + pictures.offset(), stride, width,
                                                     height, x};
  const int first = blockIdx.y * rows, last = min(first + rows, height);
  const Strip strip{x, width, height, first, last, x == 0 || source.reaches_end()};
  wait_for_previous_kernel();
  start_next_kernel_unless(arguments.strip.is_busy);
  int from_y = first - (kBlur ? kColorReach : 0);
  copy_step(strip, source, from_y, &memory.raw);
  TapMatrices<kColorReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kColorReach>(tables);
  for (int step = 0, y = first; y < last; ++step) {
    Luma<kColorReach> colors[3];
    finish_copies(strip, source, from_y, &memory.raw);
    load_colors(source, from_y, arguments, memory.raw, colors);
    __syncwarp();
    from_y += kStep;
    if (step < kFirst || y + kStep < last) copy_step(strip, source, from_y, &memory.raw);
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      ColorPart part = {memory.history[i], memory.blurred};
      if constexpr (!kBlur)
        copy_luma<kColorReach>(colors[i], memory.blurred);
      else if (step >= kFirst)
        blur<true>(colors[i], taps, step % kHistory, &part);
      else
        blur<false>(colors[i], taps, step % kHistory, &part);
      __syncwarp();
      if (step >= kFirst)
        store_image(strip, y, memory.blurred, arguments.image[i], arguments.strip.pitch);
      __syncwarp();
    }
    if (step >= kFirst) y += kStep;
  }
#endif
}

}  // namespace canny::cuda::strip

// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel that computes a strip, and its launch. Math is the arithmetic of an operator.
#pragma once

#include "canny/frame.h"
#include "cuda/front/front.h"
#include "cuda/front/images/images.h"
#include "cuda/front/strip/blur.h"
#include "cuda/front/strip/luma.h"
#include "cuda/front/strip/strip.h"
#include "cuda/front/strip/suppress.h"
#include "cuda/geometry.h"
#include "cuda/region.h"
#include "cuda/tuning.h"

namespace canny::cuda::strip {

// Before 9.0 and from 12.0 on, multiprocessors have shared memory for fewer warps, and so more
// registers for each.
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1200)
inline constexpr int kMoreRegisters = kFewWarpsRegisters;
#else
inline constexpr int kMoreRegisters = 0;
#endif

// A warp computes the words of kStrip columns and `rows` rows. It begins 2 rows above the first,
// since suppression depends on them. If Math stores an image, the warp computes blurred pixels
// instead. A strip that a region misses stores zeros; others ignore the region.
// `progress`, if it is set, counts the rows.
template <int kBytes, bool kAligned, int kReach, bool kBlur, class Math>
__global__ void __launch_bounds__(kWarp)
    __maxnreg__(kReach == 8 ? Math::kRegisters + kMoreRegisters +
                                  (!kAligned     ? kUnalignedRegisters
                                   : kBytes == 4 ? kFourBytesRegisters
                                                 : 0)
                            : kWideStripRegisters)
        front_strip_kernel(const std::uint8_t* data, std::ptrdiff_t stride, Pictures pictures,
                           int rows, __grid_constant__ const StripArguments arguments,
                           const TapTables* tables, TilePlane candidate, TilePlane strong,
                           __grid_constant__ const RegionPlane region, TileProgress progress) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // never launched on older devices
  using R = Reach<kReach>;
  constexpr int kFirst = kBlur ? R::kWindow - 1 : 0;  // first step with all rows of a window
  __shared__ StripMemory<kBytes, kReach, kAligned, typename Math::Magnitude> memory;
  const int width = candidate.width, height = candidate.height, x = blockIdx.x * kStrip;
  const Source<kBytes, kReach, kAligned> source{data + pictures.offset(), stride, width, height, x};
  const int first = blockIdx.y * rows, last = min(first + rows, height);
  const Strip strip{x, width, height, first, last, x == 0 || source.reaches_end()};

  Math math = Math::of(arguments, rows, region);
  wait_and_start_next(arguments.is_busy);
  const auto finish = [&] {
    if constexpr (Math::kRecordsMaxima) {
      math.finish();
    } else if constexpr (!Math::kStoresImage) {
      if (progress.is_set()) add_progress(strip, candidate, progress);
    }
  };
  if (!Math::kStoresImage && is_outside(region, x, first, kStrip, last - first)) {
    clear_words(candidate, strong, x, first, kStrip, last - first);
    return finish();
  }
  const auto limits = Math::limits(arguments.thresholds.get());
  constexpr int kAbove = Math::kStoresImage ? 0 : kApron;  // rows above the first that are blurred
  int luma_y = first - kAbove - (kBlur ? kReach : 0);
  copy_step(strip, source, luma_y, &memory.raw);
  TapMatrices<kReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kReach>(*tables);
  Carried<Math> carried = {};
  keep_last_rows(memory.blurred, memory.words);
  for (int step = 0, y = first - kAbove; y < last + kAbove; ++step) {
    Luma<kReach> luma;
    finish_copies(strip, source, luma_y, &memory.raw);
    load_luma(source, luma_y, arguments, memory.raw, luma);
    __syncwarp();
    luma_y += kStep;
    if (step < kFirst || y + kStep < last + kAbove) copy_step(strip, source, luma_y, &memory.raw);
    if constexpr (!kBlur)
      copy_luma<kReach>(luma, memory.blurred);
    else if (step >= kFirst)
      blur<true>(luma, taps, step % (R::kWindow - 1), &memory);
    else
      blur<false>(luma, taps, step % (R::kWindow - 1), &memory);
    __syncwarp();
    if (step < kFirst) continue;
    if constexpr (Math::kStoresImage) {
      store_image(strip, y, memory.blurred, static_cast<std::uint8_t*>(arguments.stored),
                  arguments.pitch);
    } else {
      if (strip.border) {
        repeat_columns(strip, memory.blurred);
        __syncwarp();
      }
      if (y < 0 || y + kStep > height) {
        repeat_rows(strip, y, memory.blurred);
        __syncwarp();
      }
      suppress_rows(math, strip, y, limits, &carried, memory.blurred, memory.magnitude,
                    memory.words);
      store_words(strip, y - kApron, memory.words, candidate, strong);
      keep_last_rows(memory.blurred, memory.words);
    }
    __syncwarp();
    y += kStep;
  }
  finish();
#endif
}

// ---- launch ----

StripArguments strip_arguments(const FrontArguments& arguments, const ColorWeights& weights,
                               void* stored);

/// Whether rows begin with the units that warps copy.
inline bool has_units(const ConstFrame& input) {
  return is_aligned(input, RawRows<1, 8, true>::kUnit);
}

/// Queues a kernel for the input.
template <int kBytes, bool kAligned, int kReach, bool kBlur, class Math>
Status launch_strip(const FrontArguments& arguments, const StripArguments& strip,
                    Launcher* launcher) {
  constexpr const char* kName = Math::kStoresImage     ? "blur strip kernel"
                                : Math::kRecordsMaxima ? "maxima strip kernel"
                                                       : "strip kernel";
  const ConstFrame& input = arguments.input;
  constexpr int kBusyTiles = kReach == kWideReach ? kBusyWideStripTiles : kBusyStripTiles;
  const int rows = Math::kStoresImage ? strip_rows(input, 0, arguments.device, kBusyTiles)
                                      : rows_of_strips(arguments);
  const dim3 grid(blocks(input.width, kStrip), blocks(input.height, rows));
  return launcher->launch(kName, front_strip_kernel<kBytes, kAligned, kReach, kBlur, Math>, grid,
                          kWarp, 0, input.data, input.stride_bytes, pictures_of(input), rows, strip,
                          arguments.buffers.taps.tables(), arguments.candidate, arguments.strong,
                          arguments.region, arguments.progress);
}

template <int kBytes, bool kAligned, class Math>
auto choose_reach(const Taps& blur) {
  // A middle tap of 256 does not fit in a byte, but means that there is no blur.
  return blur.is_identity()                   ? launch_strip<kBytes, kAligned, 8, false, Math>
         : blur.radius() <= Reach<8>::kRadius ? launch_strip<kBytes, kAligned, 8, true, Math>
                                              : launch_strip<kBytes, kAligned, 24, true, Math>;
}

template <int kBytes, class Math>
auto choose_strip(const FrontArguments& arguments) {
  return has_units(arguments.input) ? choose_reach<kBytes, true, Math>(*arguments.blur)
                                    : choose_reach<kBytes, false, Math>(*arguments.blur);
}

/// Queues the kernel for the input and its blur, which computes luma or another weighted sum of the
/// colors. `stored` is for ImageMath.
template <class Math>
Status launch_strips(const FrontArguments& arguments, Launcher* launcher,
                     const ColorWeights& weights = kLumaWeights, void* stored = nullptr) {
  const int pixel_bytes = layout(arguments.input.format).bytes;
  const auto launch = pixel_bytes == 1   ? choose_strip<1, Math>(arguments)
                      : pixel_bytes == 2 ? choose_strip<2, Math>(arguments)
                      : pixel_bytes == 3 ? choose_strip<3, Math>(arguments)
                                         : choose_strip<4, Math>(arguments);
  return launch(arguments, strip_arguments(arguments, weights, stored), launcher);
}

}  // namespace canny::cuda::strip

// SPDX-License-Identifier: LGPL-2.1-or-later
// The blurred images of a frame, by the first half of front_strip_kernel().
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/strip/kernel.h"

namespace canny::cuda {
namespace strip {

// Takes the place of an operator's arithmetic where a strip ends with its blurred pixels.
struct ImageMath {
  static constexpr bool kStoresImage = true, kRecordsMaxima = false;
  static constexpr int kRegisters = kStripRegisters;
  using Magnitude = char;
  struct Limits {};
  struct Pixel {};  // of the state that an operator carries from row to row

  __device__ static ImageMath of(const StripArguments&, int, const RegionPlane&) { return {}; }
  __device__ static Limits limits(const Thresholds&) { return {}; }
};

// ---- red, green and blue from one copy of the pixels, for up to 2 * kColorReach - 3 taps ----

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
                       const TapTables* tables) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // never launched on older devices
  constexpr int kHistory = Reach<kColorReach>::kWindow - 1;
  constexpr int kFirst = kBlur ? kHistory : 0;  // first step with all rows of a window
  __shared__ ColorMemory<kBytes, kAligned> memory;
  const int x = blockIdx.x * kStrip;
  const Source<kBytes, kColorReach, kAligned> source{data + pictures.offset(), stride, width,
                                                     height, x};
  const int first = blockIdx.y * rows, last = min(first + rows, height);
  const Strip strip{x, width, height, first, last, x == 0 || source.reaches_end()};
  wait_and_start_next(arguments.strip.is_busy);
  int from_y = first - (kBlur ? kColorReach : 0);
  copy_step(strip, source, from_y, &memory.raw);
  TapMatrices<kColorReach> taps;
  if constexpr (kBlur) taps = tap_matrices<kColorReach>(*tables);
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

}  // namespace strip

namespace {

template <int kBytes>
auto choose_color_kernel(const FrontArguments& arguments) {
  using namespace strip;
  const bool aligned = has_units(arguments.input);
  if (arguments.blur->is_identity())
    return aligned ? color_strip_kernel<kBytes, true, false>
                   : color_strip_kernel<kBytes, false, false>;
  return aligned ? color_strip_kernel<kBytes, true, true> : color_strip_kernel<kBytes, false, true>;
}

Status launch_colors(const FrontArguments& arguments, Launcher* launcher) {
  const ConstFrame& input = arguments.input;
  const FrontBuffers& buffers = arguments.buffers;
  const PixelLayout pixel = in_order_of_channels(layout(input.format));
  const auto kernel =
      pixel.bytes == 3 ? choose_color_kernel<3>(arguments) : choose_color_kernel<4>(arguments);
  strip::ColorArguments colors = {};
  colors.strip = strip::strip_arguments(arguments, kLumaWeights, nullptr);
  for (int i = 0; i < 3; ++i) colors.image[i] = buffers.images[i];
  colors.place[0] = pixel.r, colors.place[1] = pixel.g, colors.place[2] = pixel.b;
  const int rows = strip::strip_rows(input, 0, arguments.device);
  const dim3 grid(blocks(input.width, strip::kStrip), blocks(input.height, rows));
  return launcher->launch("blur colors kernel", kernel, grid, kWarp, 0, input.data,
                          input.stride_bytes, pictures_of(input), rows, input.width, input.height,
                          colors, buffers.taps.tables());
}

// Blurs the luma, or each color, as an image of a byte per pixel.
Status blur_wide(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  using namespace strip;
  const ConstFrame& input = arguments.input;
  const FrontBuffers& buffers = arguments.buffers;
  const PixelLayout& pixel = layout(input.format);
  for (int i = 0; i < images.count; ++i) {
    const ColorWeights weights = weights_of_image(pixel, images.count, i);
    FrontArguments gray = arguments;
    if (input.format != PixelFormat::kGray8 || !has_units(input))
      CANNY_TRY(luma(input, weights, buffers.luma.data(), buffers.pitch, &gray.input, launcher));
    CANNY_TRY((launch_strip<1, true, kWideReach, true, ImageMath>(
        gray, strip_arguments(gray, kLumaWeights, buffers.images[i]), launcher)));
  }
  return {};
}

}  // namespace

Status blur_strip(const FrontArguments& arguments, Images* images, Launcher* launcher) {
  const FrontBuffers& buffers = arguments.buffers;
  *images = {{buffers.images[0], buffers.images[1], buffers.images[2]},
             arguments.plan.channels,
             buffers.pitch};
  if (arguments.route.source == FrontSource::kBlurWideStrip)
    return blur_wide(arguments, *images, launcher);
  if (arguments.route.source == FrontSource::kBlurColors) return launch_colors(arguments, launcher);
  const PixelLayout& pixel = layout(arguments.input.format);
  for (int i = 0; i < images->count; ++i) {
    FrontArguments color = arguments;
    if (pixel.planes == 3) color.input = plane(arguments.input, i);
    CANNY_TRY(strip::launch_strips<strip::ImageMath>(
        color, launcher, weights_of_image(pixel, images->count, i), buffers.images[i]));
  }
  return {};
}

}  // namespace canny::cuda

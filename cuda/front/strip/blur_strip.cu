// SPDX-License-Identifier: LGPL-2.1-or-later
// The blurred images of a frame, by the first half of front_strip_kernel().
#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/strip/colors.h"
#include "cuda/front/strip/image.h"
#include "cuda/front/strip/kernel.h"

namespace canny::cuda {
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
                          colors, strip::strip_taps<strip::kColorReach>(arguments));
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

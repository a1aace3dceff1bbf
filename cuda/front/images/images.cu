// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into blurred images.
#include "cuda/front/images/images.h"

#include "canny/frame.h"
#include "cuda/check.h"
#include "cuda/front/images/blur.h"
#include "cuda/front/images/deep_luma.h"
#include "cuda/front/images/luma.h"

namespace canny::cuda {
namespace {

// Computes one image of the frame: the blurred sums of its colors.
Status blurred_image(const Plan& plan, const ConstFrame& input, const ColorWeights& weights,
                     const FrontBuffers& buffers, std::uint8_t* image, Launcher* launcher) {
  ConstFrame gray = input;
  const bool is_gray = input.format == PixelFormat::kGray8;
  if (plan.blur.is_identity() || !is_gray)
    CANNY_TRY(luma(input, weights, image, buffers.pitch, &gray, launcher));
  if (plan.blur.is_identity()) return {};
  return blur(gray, plan.blur, buffers.pitch, buffers.row_sums, image, launcher);
}

// Likewise for deep samples. The blur reads words that are samples.
Status blurred_deep_image(const Plan& plan, const ConstFrame& input, const ColorWeights& weights,
                          const FrontBuffers& buffers, std::uint16_t* image, Launcher* launcher) {
  ConstFrame gray = input;
  const bool is_gray = input.format == PixelFormat::kGray16Le && is_aligned(input, sizeof *image);
  if (plan.blur.is_identity() || !is_gray) {
    CANNY_TRY(deep_luma(input, weights, image, buffers.pitch, launcher));
    gray = deep_frame(input, image, buffers.pitch);
  }
  if (plan.blur.is_identity()) return {};
  return blur_deep(gray, plan.blur, buffers.pitch, buffers.deep_row_sums, image, launcher);
}

Status blurred_deep_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                           Images* images, Launcher* launcher) {
  const PixelLayout& pixel = layout(input.format);
  *images = {{}, plan.channels, buffers.pitch * static_cast<int>(sizeof(std::uint16_t))};
  for (int i = 0; i < plan.channels; ++i) {
    std::uint16_t* image = buffers.deep_images[i];
    images->image[i] = reinterpret_cast<const std::uint8_t*>(image);
    const ColorWeights weights = plan.channels == 1 ? kLumaWeights : weights_of_channel(pixel, i);
    CANNY_TRY(blurred_deep_image(plan, input, weights, buffers, image, launcher));
  }
  return {};
}

}  // namespace

Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher) {
  if (plan.is_deep) return blurred_deep_images(plan, input, buffers, images, launcher);
  *images = {{}, plan.channels, buffers.pitch};
  for (int i = 0; i < plan.channels; ++i) {
    images->image[i] = buffers.images[i];
    const ColorWeights weights =
        plan.channels == 1 ? kLumaWeights : weights_of_channel(layout(input.format), i);
    CANNY_TRY(blurred_image(plan, input, weights, buffers, buffers.images[i], launcher));
  }
  return {};
}

}  // namespace canny::cuda

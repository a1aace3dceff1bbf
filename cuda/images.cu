// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into blurred images.
#include "cuda/images.h"

#include "canny/frame.h"
#include "cuda/blur.h"
#include "cuda/check.h"
#include "cuda/luma.h"

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

}  // namespace

Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher) {
  *images = {{buffers.image, buffers.colors[0], buffers.colors[1]}, plan.channels, buffers.pitch};
  if (plan.channels == 1)
    return blurred_image(plan, input, kLumaWeights, buffers, buffers.image, launcher);
  CANNY_TRY(blurred_image(plan, input, kRedWeights, buffers, buffers.image, launcher));
  CANNY_TRY(blurred_image(plan, input, kGreenWeights, buffers, buffers.colors[0], launcher));
  return blurred_image(plan, input, kBlueWeights, buffers, buffers.colors[1], launcher);
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of front ends.
#include "cuda/front.h"

#include <cstdint>

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/deep_luma.h"
#include "cuda/kept.h"
#include "cuda/luma.h"
#include "cuda/measure.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The fastest first; the last one accepts every plan. The first two are for deep samples, and no
// other one accepts these.
constexpr FrontImpl kFronts[] = {
    {[](const Plan& plan, const FrontDevice&) {
       return plan.is_deep && plan.op == Operator::kSobel && plan.is_thin && plan.channels == 1 &&
              plan.blur.count <= kTileTaps;
     },
     false, front_deep_tile},
    {[](const Plan& plan, const FrontDevice&) { return plan.is_deep; }, true, front_generic},
    {[](const Plan& plan, const FrontDevice& device) {
       return device.has_strips && plan.is_classic() && plan.blur.count <= kStripTaps;
     },
     false, front_strip},
    {[](const Plan& plan, const FrontDevice& device) {
       const bool is_3x3 = plan.weights.form == OperatorForm::kSeparable && plan.weights.reach == 1;
       return device.has_strips && is_3x3 && plan.is_thin && plan.channels == 1 &&
              plan.blur.count <= kStripTaps;
     },
     false, front_strip_weighted},
    {[](const Plan& plan, const FrontDevice&) {
       return plan.is_classic() && plan.blur.count <= kTileTaps &&
              plan.threshold_source == ThresholdSource::kConstant;
     },
     false, front_tile},
    {[](const Plan& plan, const FrontDevice&) { return plan.is_classic(); }, true, front_images},
    {[](const Plan&, const FrontDevice&) { return true; }, true, front_generic},
};

const FrontImpl& choose_front(const Plan& plan, const FrontDevice& device) {
  const FrontImpl* chosen = kFronts;
  while (!chosen->accepts(plan, device)) ++chosen;
  return *chosen;
}

// Whether strip_images() can compute the blurred images.
bool has_strip_images(const Plan& plan, const FrontDevice& device) {
  const bool is_readable = plan.channels == 3
                               ? layout(plan.input).green_bits == 0 && !needs_deep_luma(plan.input)
                               : !needs_luma(plan.input);
  return device.has_strips && !plan.is_deep && plan.blur.count <= kStripTaps && is_readable;
}

// Lets a front end for deep samples read a frame of 16-bit words: the blurred image, if measuring
// left it in `images`, or the luma or the frame itself.
Status read_deep(const Images& images, Plan* plan, FrontArguments* arguments, Launcher* launcher) {
  const FrontBuffers& buffers = arguments->buffers;
  const ConstFrame& input = arguments->input;
  std::uint16_t* image = buffers.deep_images[0];
  const bool has_luma = plan->measure.mode == ThresholdMode::kMedian;
  if (images.count > 0)
    plan->blur = {};  // a frame without blur that has the same gradients
  else if (!has_luma && !needs_luma(input.format))
    return {};
  else if (!has_luma)
    CANNY_TRY(deep_luma(input, kLumaWeights, image, buffers.pitch, launcher));
  arguments->input = deep_frame(input, image, buffers.pitch);
  return {};
}

}  // namespace

ImageUse image_use(const Plan& plan, const FrontDevice& device) {
  const ThresholdMode mode = plan.measure.mode;
  const bool measures_gradients =
      mode != ThresholdMode::kAbsolute && mode != ThresholdMode::kMedian;
  const bool shows_images = !needs_thresholds(plan.view);
  if (measures_gradients || shows_images || choose_front(plan, device).needs_images) {
    const bool needs_row_sums = !plan.is_deep || !plan.blur.is_identity();
    return has_strip_images(plan, device) || !needs_row_sums ? ImageUse::kImage
                                                             : ImageUse::kImageAndRowSums;
  }
  const bool needs_gray = needs_luma(plan.input) || mode == ThresholdMode::kMedian;
  return needs_gray ? ImageUse::kImage : ImageUse::kNone;
}

bool keeps_magnitudes(const Plan& plan, const FrontDevice& device) {
  return plan.measure.mode == ThresholdMode::kOtsu && device.has_strips && !plan.is_deep &&
         !choose_front(plan, device).needs_images;
}

Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher) {
  if (arguments.images != nullptr) {
    *images = *arguments.images;
    return {};
  }
  if (has_strip_images(arguments.plan, arguments.device))
    return strip_images(arguments, images, launcher);
  return blurred_images(arguments.plan, arguments.input, arguments.buffers, images, launcher);
}

namespace {

// Queues the front end of such a plan: one suppression serves the count and the result.
Status front_of_kept(const FrontArguments& arguments, Launcher* launcher) {
  Images images;
  CANNY_TRY(images_of(arguments, &images, launcher));
  CANNY_TRY(clear_histogram(arguments.histogram, launcher));
  CANNY_TRY(keep_maxima(arguments, images, launcher));
  CANNY_TRY(count_kept(arguments, launcher));
  CANNY_TRY(derive_thresholds(arguments, launcher));
  return split_kept(arguments, launcher);
}

}  // namespace

Status front(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const FrontBuffers& buffers = arguments.buffers;
  const FrontImpl& chosen = choose_front(plan, arguments.device);
  if (keeps_magnitudes(plan, arguments.device)) return front_of_kept(arguments, launcher);
  Plan of_image = plan;
  FrontArguments changed = arguments.with_plan(of_image);
  Images images = {};
  if (plan.measure.mode != ThresholdMode::kAbsolute) {
    CANNY_TRY(measure(arguments, &images, launcher));
    if (images.count > 0) changed.images = &images;
  }
  if (chosen.needs_images) return chosen.launch(changed, launcher);
  if (plan.is_deep) {
    CANNY_TRY(read_deep(images, &of_image, &changed, launcher));
    return chosen.launch(changed, launcher);
  }
  const bool has_luma = plan.measure.mode == ThresholdMode::kMedian &&
                        plan.input != PixelFormat::kGray8;  // in buffers.image
  if (images.count > 0) {
    // A frame without blur that has the same gradients.
    of_image.blur = {};
    changed.input = gray_frame(arguments.input, images.image[0], images.pitch);
  } else if (has_luma) {
    changed.input = gray_frame(arguments.input, buffers.image, buffers.pitch);
  } else if (needs_luma(plan.input)) {
    CANNY_TRY(luma(arguments.input, kLumaWeights, buffers.image, buffers.pitch, &changed.input,
                   launcher));
  }
  return chosen.launch(changed, launcher);
}

}  // namespace canny::cuda

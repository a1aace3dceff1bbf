// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of front ends.
#include "cuda/front.h"

#include <cstdint>
#include <limits>

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/kept.h"
#include "cuda/luma.h"
#include "cuda/measure.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The fastest first; the last one accepts every plan.
constexpr FrontImpl kFronts[] = {
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
  const bool is_readable =
      plan.channels == 3 ? layout(plan.input).green_bits == 0 : !needs_luma(plan.input);
  return device.has_strips && plan.blur.count <= kStripTaps && is_readable;
}

}  // namespace

ImageUse image_use(const Plan& plan, const FrontDevice& device) {
  const ThresholdMode mode = plan.measure.mode;
  const bool measures_gradients =
      mode != ThresholdMode::kAbsolute && mode != ThresholdMode::kMedian;
  const bool shows_images = !needs_thresholds(plan.view);
  if (measures_gradients || shows_images || choose_front(plan, device).needs_images)
    return has_strip_images(plan, device) ? ImageUse::kOwn : ImageUse::kShared;
  const bool needs_gray = needs_luma(plan.input) || mode == ThresholdMode::kMedian;
  return needs_gray ? ImageUse::kOwn : ImageUse::kNone;
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

// Queues the front end of a plan that counts only the pixels that suppression keeps: one
// suppression with a low threshold of 0 serves the count and the result. `front` is for strips.
Status front_of_kept(const FrontArguments& arguments, const FrontImpl& front, Launcher* launcher) {
  Images images;
  CANNY_TRY(images_of(arguments, &images, launcher));
  Plan plan = arguments.plan;
  plan.blur = {};
  plan.threshold_source = ThresholdSource::kConstant;
  plan.thresholds = {0, std::numeric_limits<std::int32_t>::max()};
  const FrontArguments all = {plan,
                              gray_frame(arguments.input, images.image[0], images.pitch),
                              arguments.buffers,
                              nullptr,
                              arguments.candidate,
                              arguments.strong,
                              arguments.histogram,
                              arguments.measured,
                              arguments.device,
                              arguments.taps,
                              arguments.region};
  CANNY_TRY(clear_histogram(arguments.histogram, launcher));
  CANNY_TRY(front.launch(all, launcher));
  CANNY_TRY(count_kept(arguments, images, launcher));
  CANNY_TRY(derive_thresholds(arguments, launcher));
  return split_kept(arguments, images, launcher);
}

}  // namespace

Status front(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const FrontBuffers& buffers = arguments.buffers;
  const FrontImpl& chosen = choose_front(plan, arguments.device);
  if (plan.measure.mode == ThresholdMode::kOtsu && !chosen.needs_images)
    return front_of_kept(arguments, chosen, launcher);
  Plan of_image = plan;
  FrontArguments changed = {of_image,
                            arguments.input,
                            buffers,
                            nullptr,
                            arguments.candidate,
                            arguments.strong,
                            arguments.histogram,
                            arguments.measured,
                            arguments.device,
                            arguments.taps,
                            arguments.region};
  Images images = {};
  if (plan.measure.mode != ThresholdMode::kAbsolute) {
    CANNY_TRY(measure(arguments, &images, launcher));
    if (images.count > 0) changed.images = &images;
  }
  if (chosen.needs_images) return chosen.launch(changed, launcher);
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

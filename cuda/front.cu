// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of front ends.
#include "cuda/front.h"

#include "cuda/check.h"
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

}  // namespace

bool uses_images(const Plan& plan, const FrontDevice& device) {
  return needs_luma(plan.input) || plan.measure.mode != ThresholdMode::kAbsolute ||
         choose_front(plan, device).uses_images;
}

Status front(const FrontArguments& arguments, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  const FrontBuffers& buffers = arguments.buffers;
  const FrontImpl& chosen = choose_front(plan, arguments.device);
  if (plan.measure.mode != ThresholdMode::kAbsolute)
    CANNY_TRY(measure(plan, arguments.input, buffers, arguments.histogram, arguments.measured,
                      launcher));
  if (!needs_luma(plan.input) || chosen.uses_images) return chosen.launch(arguments, launcher);
  FrontArguments of_luma = arguments;
  CANNY_TRY(luma(arguments.input, kLumaWeights, buffers.image, buffers.pitch, &of_luma.input,
                 launcher));
  return chosen.launch(of_luma, launcher);
}

}  // namespace canny::cuda

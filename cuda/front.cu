// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of front ends.
#include "cuda/front.h"

#include "cuda/check.h"
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
    {[](const Plan&, const FrontDevice&) { return true; }, true, front_generic},
};

const FrontImpl& choose_front(const Plan& plan, const FrontDevice& device) {
  const FrontImpl* chosen = kFronts;
  while (!chosen->accepts(plan, device)) ++chosen;
  return *chosen;
}

}  // namespace

bool uses_images(const Plan& plan, const FrontDevice& device) {
  return needs_luma(plan.input) || choose_front(plan, device).uses_images;
}

Status front(const FrontArguments& arguments, Launcher* launcher) {
  const FrontImpl& chosen = choose_front(arguments.plan, arguments.device);
  if (!needs_luma(arguments.plan.input)) return chosen.launch(arguments, launcher);
  FrontArguments of_luma = arguments;
  CANNY_TRY(luma(arguments.input, arguments.buffers, &of_luma.input, launcher));
  return chosen.launch(of_luma, launcher);
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of strip.cu for the other 3x3 operators that are separable.
#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/weighted.h"

namespace canny::cuda {

Status front_strip_weighted(const FrontArguments& arguments, Launcher* launcher) {
  using namespace strip;
  return arguments.plan.norm == Norm::kL2
             ? launch_strips<WeightedMath<Norm::kL2>>(arguments, launcher)
             : launch_strips<WeightedMath<Norm::kL1>>(arguments, launcher);
}

}  // namespace canny::cuda

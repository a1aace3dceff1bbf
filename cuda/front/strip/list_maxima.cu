// SPDX-License-Identifier: LGPL-2.1-or-later
// Non-maximum suppression without thresholds, by the second half of front_strip_kernel().
#include <cstdint>
#include <limits>

#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/maxima.h"
#include "cuda/front/strip/maxima_recorder.h"
#include "cuda/front/strip/sobel.h"
#include "cuda/front/strip/weighted.h"

namespace canny::cuda {
namespace {

// The image's rows are aligned, and there is nothing to blur.
template <template <Norm> class Math>
Status launch_maxima(const FrontArguments& arguments, Launcher* launcher) {
  using namespace strip;
  using L1 = MaximaRecorder<Math<Norm::kL1>>;
  using L2 = MaximaRecorder<Math<Norm::kL2>>;
  StripArguments strip = strip_arguments(arguments, kLumaWeights, arguments.buffers.maxima);
  strip.thresholds = {{0, std::numeric_limits<std::int32_t>::max()}, nullptr};
  const auto launch = arguments.plan.norm == Norm::kL2 ? launch_strip<1, true, 8, false, L2>
                                                       : launch_strip<1, true, 8, false, L1>;
  return launch(arguments, strip, launcher);
}

}  // namespace

Status list_maxima(const FrontArguments& arguments, Launcher* launcher) {
  return arguments.plan.op == Operator::kSobel
             ? launch_maxima<strip::SobelMath>(arguments, launcher)
             : launch_maxima<strip::WeightedMath>(arguments, launcher);
}

}  // namespace canny::cuda

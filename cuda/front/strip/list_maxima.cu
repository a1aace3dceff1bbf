// SPDX-License-Identifier: LGPL-2.1-or-later
// Non-maximum suppression without thresholds, by the second half of front_strip_kernel().
#include <cstdint>
#include <limits>

#include "cuda/front/front.h"
#include "cuda/front/strip/kernel.h"
#include "cuda/front/strip/maxima_lists.h"
#include "cuda/front/strip/sobel.h"
#include "cuda/front/strip/weighted.h"

namespace canny::cuda {
namespace strip {

// The arithmetic of an operator, Math, with a list of the magnitudes that suppression keeps.
template <class Math>
struct MaximaRecorder : Math {
  static constexpr bool kRecordsMaxima = true;
  const RegionPlane& region;
  std::uint32_t* list;
  std::uint32_t length, lower_lanes;

  __device__ static MaximaRecorder of(const StripArguments& arguments, int rows,
                                      const RegionPlane& region) {
    const MaximaLists lists = {static_cast<std::uint32_t*>(arguments.stored),
                               static_cast<int>(gridDim.x), rows};
    return {Math::of(arguments, rows, region), region,
            lists.list(blockIdx.x, blockIdx.y, gridDim.y), 0, (1u << lane()) - 1};
  }

  // Whether all pixels of a chunk, if suppression keeps them, belong to the list.
  __device__ bool lists_all(const Strip& strip, int y) const {
    return strip.is_whole() && y >= strip.first && y + kStripChunk <= strip.last &&
           !region.is_set();
  }
  // Whether a pixel does.
  __device__ bool lists(const Strip& strip, int x, int y) const {
    return x < strip.width && y >= strip.first && y < strip.last &&
           (!region.is_set() || region.contains(x, y));
  }
  // Appends the magnitudes of the lanes with `kept`, whose bits are set.
  __device__ void append(bool kept, std::uint32_t bits, const typename Math::Pixel& pixel) {
    if (kept)
      list[MaximaLists::kFirst + length + __popc(bits & lower_lanes)] =
          Math::integer(pixel.magnitude);
    length += __popc(bits);
  }
  // Call after the last pixel.
  __device__ void finish() const {
    if (lane() == 0) *list = length;
  }
};

}  // namespace strip

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

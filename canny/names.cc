// SPDX-License-Identifier: LGPL-2.1-or-later
// The names of enumerators, each list in the order of its enum.
#include <cstddef>

#include "canny/canny.h"

namespace canny {
namespace {

constexpr const char* kNorms[] = {"l1", "l2"};
constexpr const char* kOperators[] = {"sobel", "sobel-5", "sobel-7",  "scharr", "prewitt",
                                      "kroon", "roberts", "robinson", "kirsch"};
constexpr const char* kColorModes[] = {"luma", "largest-channel"};
constexpr const char* kLumaDepths[] = {"full", "8"};
constexpr const char* kThresholdModes[] = {"absolute", "relative", "quantile", "otsu", "median"};
constexpr const char* kViews[] = {"edges",     "overlay", "masked", "gradient", "suppressed",
                                  "direction", "classes", "passes", "luma",     "blurred"};
constexpr const char* kBackends[] = {"auto", "cuda", "cpu", "opencl"};

template <class Enum, std::size_t kCount>
const char* name_of(Enum value, const char* const (&names)[kCount]) {
  const int index = static_cast<int>(value);
  return index >= 0 && index < static_cast<int>(kCount) ? names[index] : nullptr;
}

// Whether a list ends with the last enumerator.
template <class Enum, std::size_t kCount>
constexpr bool ends_with(Enum last, const char* const (&)[kCount]) {
  return static_cast<std::size_t>(last) + 1 == kCount;
}
static_assert(ends_with(Norm::kL2, kNorms) && ends_with(Operator::kKirsch, kOperators) &&
              ends_with(ColorMode::kLargestChannel, kColorModes) &&
              ends_with(LumaDepth::k8, kLumaDepths) &&
              ends_with(ThresholdMode::kMedian, kThresholdModes) &&
              ends_with(View::kBlurred, kViews) && ends_with(Backend::kOpenCl, kBackends));

}  // namespace

const char* name(Norm value) noexcept { return name_of(value, kNorms); }
const char* name(Operator value) noexcept { return name_of(value, kOperators); }
const char* name(ColorMode value) noexcept { return name_of(value, kColorModes); }
const char* name(LumaDepth value) noexcept { return name_of(value, kLumaDepths); }
const char* name(ThresholdMode value) noexcept { return name_of(value, kThresholdModes); }
const char* name(View value) noexcept { return name_of(value, kViews); }
const char* name(Backend value) noexcept { return name_of(value, kBackends); }

}  // namespace canny

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

// The name of a value. A list ends with the last enumerator.
template <auto kLast, std::size_t kCount>
const char* name_of(decltype(kLast) value, const char* const (&names)[kCount]) {
  static_assert(static_cast<std::size_t>(kLast) + 1 == kCount);
  const int index = static_cast<int>(value);
  return index >= 0 && index < static_cast<int>(kCount) ? names[index] : nullptr;
}

}  // namespace

const char* name(Norm value) noexcept { return name_of<Norm::kL2>(value, kNorms); }
const char* name(Operator value) noexcept { return name_of<Operator::kKirsch>(value, kOperators); }
const char* name(ColorMode value) noexcept {
  return name_of<ColorMode::kLargestChannel>(value, kColorModes);
}
const char* name(LumaDepth value) noexcept { return name_of<LumaDepth::k8>(value, kLumaDepths); }
const char* name(ThresholdMode value) noexcept {
  return name_of<ThresholdMode::kMedian>(value, kThresholdModes);
}
const char* name(View value) noexcept { return name_of<View::kBlurred>(value, kViews); }
const char* name(Backend value) noexcept { return name_of<Backend::kOpenCl>(value, kBackends); }

}  // namespace canny

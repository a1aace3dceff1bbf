// SPDX-License-Identifier: LGPL-2.1-or-later
// The vectors of the front end.

// Included once for each instruction set.
#if defined(CANNY_CPU_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_VECTORS_INL_H_
#undef CANNY_CPU_VECTORS_INL_H_
#else
#define CANNY_CPU_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<std::uint8_t> d8;
const hn::ScalableTag<std::uint16_t> du16;
const hn::ScalableTag<std::int16_t> d16;
const hn::ScalableTag<std::int32_t> d32;
constexpr int kLanes8 = static_cast<int>(hn::MaxLanes(hn::ScalableTag<std::uint8_t>()));
constexpr int kLanes16 = kLanes8 / 2;
constexpr int kLanes32 = kLanes8 / 4;

using V16 = hn::Vec<decltype(d16)>;
using V32 = hn::Vec<decltype(d32)>;

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

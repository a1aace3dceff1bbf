// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of 4 neighboring pixels of an image, two at a time.
#pragma once

#include <cstdint>

#include "cuda/front/pairs.h"
#include "cuda/groups.h"

namespace canny::cuda {

/// gx and gy of 4 pixels.
struct GroupGradient {
  int x[kGroup], y[kGroup];
};

/// 4 pixels of a row, with the 4 before and the 4 after them.
struct GroupPixels {
  std::uint32_t groups[3];

  /// The samples of columns i and i + 2, counted from the first of the 4.
  __device__ std::uint32_t pair(int i) const {
    constexpr std::uint32_t kLowBytes = 0x00ff00ff;
    const int group = (i + kGroup) / kGroup, first = (i + kGroup) % kGroup;
    if (first < 2) return groups[group] >> 8 * first & kLowBytes;
    return __funnelshift_r(groups[group], groups[group + 1], 8 * first) & kLowBytes;
  }
};

/// Loads kImages rows that begin at these addresses, from column x on. The border is replicated.
/// Loads do not wait for each other.
template <int kImages>
__device__ void load_rows(const std::uint8_t* const (&rows)[kImages], int x, int width,
                          GroupPixels (&pixels)[kImages]) {
  const auto load = [&](auto load_one) {
#pragma unroll
    for (int image = 0; image < kImages; ++image) {
#pragma unroll
      for (int i = 0; i < 3; ++i)
        pixels[image].groups[i] = load_one(rows[image], x + (i - 1) * kGroup);
    }
  };
  if (x >= kGroup && x + 2 * kGroup <= width) {
    load([](const std::uint8_t* row, int from) { return load_group(row + from); });
  } else {
    const auto inside = [&](int column) { return min(max(column, 0), width - 1); };
    load([&](const std::uint8_t* row, int from) { return gather_group(row, from, inside); });
  }
}

/// The rows that a row of 4 gradients depends on, from the top down.
template <int kReach>
struct GroupWindow {
  using Math = PairMath<kReach>;
  typename Math::Row even[Math::kSize], odd[Math::kSize];

  /// Moves down by a row, whose pixels are given.
  __device__ void add(const Math& math, const GroupPixels& pixels) {
    static_assert(kReach < kGroup);
    std::uint32_t of_even[Math::kSize], of_odd[Math::kSize];
#pragma unroll
    for (int i = 0; i < Math::kSize; ++i) {
      of_even[i] = pixels.pair(i - kReach);
      of_odd[i] = pixels.pair(i - kReach + 1);
    }
#pragma unroll
    for (int i = 0; i + 1 < Math::kSize; ++i) even[i] = even[i + 1], odd[i] = odd[i + 1];
    even[Math::kSize - 1] = math.row(of_even);
    odd[Math::kSize - 1] = math.row(of_odd);
  }

  __device__ GroupGradient gradient(const Math& math) const {
    const auto of_even = math.gradient(even), of_odd = math.gradient(odd);
    GroupGradient gradient;
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      const auto& pair = i % 2 == 0 ? of_even : of_odd;
      gradient.x[i] = Math::of_half(pair.x, i / 2);
      gradient.y[i] = Math::of_half(pair.y, i / 2);
    }
    return gradient;
  }
};

}  // namespace canny::cuda

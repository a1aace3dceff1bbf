// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradient operators: as numbers for front ends that take any of them, and as policies for
// those that are compiled for one. docs/reference/edge-map.md has the definition.
#pragma once

#include <cstdint>

#include "canny/bits.h"
#include "canny/canny.h"

namespace canny {

/// The form of an operator's responses at a pixel.
enum class OperatorForm {
  kSeparable,  ///< gx and gy, each a difference in one direction smoothed in the other
  kDiagonal,   ///< d1 = p(x, y) - p(x + 1, y + 1) and d2 = p(x + 1, y) - p(x, y + 1); the magnitude
               ///< is theirs, the direction that of gx = d2 - d1 and gy = -(d1 + d2)
  kCompass,    ///< a mask turned into eight directions; the magnitude is the largest response, the
               ///< direction that of the first mask that has it
};

inline constexpr int kMaxOperatorReach = 3;
inline constexpr int kMaxOperatorSize = 2 * kMaxOperatorReach + 1;

/// An operator as numbers. Index 0 is the left or upper pixel.
struct OperatorWeights {
  OperatorForm form = OperatorForm::kSeparable;
  int reach = 1;                          ///< pixels that it reads on each side
  int smooth[kMaxOperatorSize] = {};      ///< for kSeparable, 2 * reach + 1 of them
  int difference[kMaxOperatorSize] = {};  ///< likewise
  int east[8] =
      {};         ///< for kCompass: the first mask's weights of the pixels E, NE, N, NW, W, SW,
                  ///< S and SE of the middle. Mask k, in the same order, has them k places later.
  int shift = 0;  ///< gx and gy are divided by 2^shift and rounded, halves to even
};

/// The operator's numbers.
OperatorWeights operator_weights(Operator op);

/// Whether a norm combines two responses into the magnitude.
inline bool has_norm(OperatorForm form) { return form != OperatorForm::kCompass; }

/// The largest response to a step from 0 to 1.
int operator_gain(const OperatorWeights& weights);

/// An operator of 3x3 pixels with difference -1 0 1 and smoothing kSide kMiddle kSide.
template <int kSide, int kMiddle>
struct Separable3 {
  static constexpr int kReach = 1;  ///< pixels that it reads on each side
  static constexpr int kSize = 2 * kReach + 1;
  static constexpr int kLargest = 255 * (2 * kSide + kMiddle);  ///< |gx| and |gy|, 8-bit pixels

  CANNY_HOST_DEVICE static constexpr int smooth(int i) { return i == kReach ? kMiddle : kSide; }
  CANNY_HOST_DEVICE static constexpr int difference(int i) { return i - kReach; }
};
using Sobel3 = Separable3<1, 2>;

/// The largest magnitude, in the unit of the thresholds.
template <class Op>
CANNY_HOST_DEVICE constexpr std::int32_t largest_magnitude(Norm norm) {
  return norm == Norm::kL2 ? 2 * Op::kLargest * Op::kLargest : 2 * Op::kLargest;
}

}  // namespace canny

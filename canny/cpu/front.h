// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels to candidate and strong bits: luma, Gaussian blur, Sobel, non-maximum suppression and
// double threshold, streamed down a piece of rows.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <cstdint>

#include "canny/canny.h"
#include "canny/cpu/plane.h"
#include "canny/plan.h"

namespace canny::cpu {

/// Pixels that the front end takes at a time. Rows of memory are whole blocks, so that no loop has
/// a remainder, and what a stage computes to the right of the last pixel is never used.
inline constexpr int kBlock = Plane::kBits;

/// What is known of the pixels of a block when their magnitudes are.
struct BlockBits {
  Plane::Word above_low = 0;  ///< the magnitude exceeds the low threshold
  // Of a block with such pixels:
  Plane::Word steep;     ///< the gradient is not in the horizontal sector
  Plane::Word vertical;  ///< and it is in the vertical one
  Plane::Word falling;   ///< gx and gy have different signs
};

/// The rows in flight. Each begins at a cache line; rings hold row y in slot y % depth.
struct FrontRows {
  static constexpr int kDepth = 4;        ///< of rings, a power of 2; a stage looks back 2 rows
  static constexpr int kMargin = kBlock;  ///< samples left and right of rows that have borders
  static constexpr int kPixelBytes = 4;   ///< of a pixel, at most

  int blocks = 0;                        ///< in a row
  std::uint8_t* pixels = nullptr;        ///< a block: the incomplete one at the end of a row
  std::uint16_t* luma = nullptr;         ///< with margins
  std::int16_t* upper_sums = nullptr;    ///< of the upper row of the next pair
  std::int16_t* pairs = nullptr;         ///< a ring of pairs of rows of horizontal sums
  std::int16_t* blurred[kDepth] = {};    ///< with margins
  std::int32_t* magnitude[kDepth] = {};  ///< with margins
  std::int32_t* outside = nullptr;       ///< the magnitude above the top row and below the last
  BlockBits* bits[kDepth] = {};          ///< one a block
};

/// A piece: its pixels, its plan with the thresholds that this leads to, and where its bits go.
struct FrontPiece {
  const ConstFrame& input;
  const Plan& plan;
  const Thresholds& thresholds;
  int first_row, last_row;  ///< last_row is not part of it
  const Plane& candidate;
  const Plane& strong;
};

/// How far the rows in flight have come, so that the piece below can go on with them.
struct FrontProgress {
  int row = -1;           ///< the last_row of the piece that was run last in this frame
  int first_blurred = 0;  ///< the first row that was blurred when that began
  int blurred = 0;        ///< the next row to be blurred
};

/// Runs pieces, one at a time, and holds the few rows in flight. Not for two threads at once.
class Front {
 public:
  /// Allocates for images of this size.
  void set_size(int width, int height);

  /// To be called before the first piece of each frame.
  void start_frame();

  /// Writes the rows of a piece. A piece that does not begin where the one before it ended costs
  /// the work for as many rows more as the blur has taps.
  void run(const FrontPiece& piece);

 private:
  FrontRows rows_;
  FrontProgress progress_;
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> memory_;
};

}  // namespace canny::cpu

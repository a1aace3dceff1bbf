// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels to candidate and strong bits, one kernel a stage.
#pragma once

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/launch.h"
#include "cuda/plane.h"

namespace canny::cuda {

/// Device memory of the front end. `luma` and `blurred` may be the same: no kernel needs both. Rows
/// are `pitch` samples apart, a multiple of 4 that is at least the width.
struct FrontBuffers {
  int pitch = 0;
  std::uint8_t* luma = nullptr;
  std::uint16_t* row_blurred = nullptr;  ///< horizontal sums, 8 fractional bits
  std::uint8_t* blurred = nullptr;
};

/// Whether the pixels are such that only luma() takes them.
bool needs_luma(PixelFormat format);

/// Writes the luma of such a frame to `buffers`, where it is the frame `*gray`.
Status luma(const ConstFrame& input, const FrontBuffers& buffers, ConstFrame* gray,
            Launcher* launcher);

/// Writes both planes, all in device memory. `input` may have any alignment.
Status front(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
             const TilePlane& candidate, const TilePlane& strong, Launcher* launcher);

/// The same in one kernel, for plans of at most kTileTaps taps.
Status front_tile(const Plan& plan, const ConstFrame& input, const TilePlane& candidate,
                  const TilePlane& strong, Launcher* launcher);

/// Taps as front_strip() multiplies by them: two products' matrices for each direction, a lane's
/// part an entry.
struct TapTables {
  uint4 rows[2][32], columns[2][32];
};

/// The tables of the taps that were last used.
struct TapCache {
  Taps taps;
  TapTables tables = {};
};

/// The same at full speed, for at most kStripTaps taps on devices of kStripCapability and up.
Status front_strip(const Plan& plan, const ConstFrame& input, int multiprocessors,
                   const TilePlane& candidate, const TilePlane& strong, TapCache* cache,
                   Launcher* launcher);

}  // namespace canny::cuda

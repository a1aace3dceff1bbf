// SPDX-License-Identifier: LGPL-2.1-or-later
// The recipe of a frame, for all backends: its stages in their order, and what is timed.
#pragma once

#include "canny/plan.h"
#include "canny/try.h"

namespace canny {

/// Runs the stages that the plan's view needs. Stages of a view that shows no edges end early. The
/// plan may ask for counts, which no stage depends on, and which no time includes.
/// @param stages  what the backend does, each time to the end or until it is queued. All return a
///     Status:
///     - show_images(): from pixels to what a view shows that needs no thresholds
///     - front(): from pixels to candidates and strong pixels
///     - count_pixels(): counts both
///     - show_classes(), show_passes(): from these to what View::kClasses and kPasses show
///     - hysteresis(): from these to edges, without those that are too short
///     - write(): from edges to the output, which may show the input as well, and to EdgeBits
///     - count_components(): counts the components of edges, which it may overwrite
/// @param timed  timed(time, stage) returns stage(), and measures it as this member of StageTimes
///     if the plan measures stages
template <class Stages, class Timed>
Status run_recipe(const Plan& plan, Stages& stages, Timed timed) {
  if (!needs_thresholds(plan.view))
    return timed(&StageTimes::front, [&] { return stages.show_images(); });
  CANNY_TRY(timed(&StageTimes::front, [&] { return stages.front(); }));
  if (plan.measures_stages) CANNY_TRY(stages.count_pixels());
  if (plan.view == View::kClasses)
    return timed(&StageTimes::output, [&] { return stages.show_classes(); });
  if (plan.view == View::kPasses)
    return timed(&StageTimes::hysteresis, [&] { return stages.show_passes(); });
  CANNY_TRY(timed(&StageTimes::hysteresis, [&] { return stages.hysteresis(); }));
  CANNY_TRY(timed(&StageTimes::output, [&] { return stages.write(); }));
  return plan.measures_stages ? stages.count_components() : Status();
}

}  // namespace canny

// SPDX-License-Identifier: LGPL-2.1-or-later
// The times of the stages of a frame, as the public interface measures them.
#pragma once

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "measure.h"

namespace bench {

/// Microseconds of the stages and copies of a frame, each a median.
struct StageMedians {
  double upload = 0, front = 0, hysteresis = 0, output = 0, download = 0;
};

/// Measures frames of so many pictures for about `budget` microseconds. detect(results) must run a
/// frame with Params::measure_stages.
template <class Detect>
StageMedians time_stages(unsigned pictures, Detect detect, double budget = 500e3) {
  std::vector<canny::Result> results(pictures);
  detect(results.data());
  const Stopwatch watch;
  detect(results.data());
  std::vector<canny::StageTimes> times;
  for (int left = repeats(watch.microseconds(), budget, 5, 400); left > 0; --left) {
    detect(results.data());
    times.push_back(results[0].times);
  }
  const auto of = [&](std::uint64_t canny::StageTimes::*stage) {
    std::vector<double> microseconds;
    for (const canny::StageTimes& each : times)
      microseconds.push_back(static_cast<double>(each.*stage) / 1000);
    return median(microseconds);
  };
  using canny::StageTimes;
  return {of(&StageTimes::upload), of(&StageTimes::front), of(&StageTimes::hysteresis),
          of(&StageTimes::output), of(&StageTimes::download)};
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Timing of a detector on frames in device memory.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "check.h"
#include "device_frames.h"
#include "measure_cuda.h"

namespace bench {

/// Processes frames in turn with a detector, which must be set to their size.
class Turns {
 public:
  /// All frames name `stream`, unless it is null. The detector must be set to `frames_in_flight`.
  /// Frames get their components of at least `min_pixels` pixels, unless it is 0.
  Turns(canny::Detector& detector, int frames_in_flight, const canny::Params& params,
        const DeviceFrames& frames, cudaStream_t stream, unsigned min_pixels = 0)
      : detector_(detector),
        frames_in_flight_(frames_in_flight),
        pictures_(frames.input(0).batch.count),
        params_(params) {
    if (min_pixels > 0) components_.resize(std::size_t{1} * frames_in_flight * pictures_);
    for (canny::Components& components : components_) components.set_min_pixels(min_pixels);
    for (int i = 0; i < frames.count(); ++i) {
      inputs_.push_back(frames.input(i));
      outputs_.push_back(frames.output(i));
      inputs_.back().cuda_stream = outputs_.back().cuda_stream = stream;
    }
  }

  void submit() {
    const std::size_t i = next();
    check(detector_.submit(params_, inputs_[i], output(i)));
  }
  void wait() { check(detector_.wait(nullptr)); }
  void detect() {
    const std::size_t i = next();
    check(detector_.detect(params_, inputs_[i], output(i), nullptr));
  }
  /// Submits frames until as many as possible are in flight, then waits for the oldest one before
  /// each further one, and for all at the end.
  void run(int count) {
    const int most = std::min(count, frames_in_flight_);
    for (int i = 0; i < most; ++i) submit();
    for (int i = most; i < count; ++i) {
      wait();
      submit();
    }
    for (int i = 0; i < most; ++i) wait();
  }

 private:
  std::size_t next() {
    const std::size_t i = next_;
    next_ = i + 1 < inputs_.size() ? i + 1 : 0;
    return i;
  }
  // The next frame's, which gets the components of the one that was in flight the longest.
  canny::Frame output(std::size_t i) {
    canny::Frame output = outputs_[i];
    if (!components_.empty())
      output.components = &components_[submitted_++ * pictures_ % components_.size()];
    return output;
  }

  canny::Detector& detector_;
  const int frames_in_flight_;
  const unsigned pictures_;
  const canny::Params params_;
  std::vector<canny::ConstFrame> inputs_;
  std::vector<canny::Frame> outputs_;
  std::vector<canny::Components> components_;  // of the frames in flight
  std::size_t next_ = 0, submitted_ = 0;
};

/// Whether the first `count` frames, which have not had a turn, get the expected output.
inline bool is_right(Turns& turns, int count, Outputs& outputs, const Output& expected) {
  outputs.clear();
  turns.run(count);
  return outputs.hold(expected, count);
}

/// Returns the microseconds that each frame adds to a sequence, on the host's clock.
inline double throughput(Turns& turns) {
  const auto time = [&](int count) {
    const Stopwatch watch;
    turns.run(count);
    return watch.microseconds();
  };
  const double one = warm_up([&] { return time(1); });
  const int least = 2 * static_cast<int>(canny::kMaxFramesInFlight);
  return median_of_rounds(one, least, [&](int count) { return time(count) / count; });
}

/// Returns the microseconds of detect() of one frame.
inline double time_wall(Turns& turns) {
  const auto detect = [&] {
    const Stopwatch watch;
    turns.detect();
    return watch.microseconds();
  };
  return median_of_series(warm_up(detect), detect);
}

/// Times one frame at a time. The frames of `in_stream` name `stream`.
inline void time_alone(Turns& alone, Turns& in_stream, cudaStream_t stream, Times* times) {
  const auto submit = [&] {
    const Stopwatch watch;
    alone.submit();
    const double microseconds = watch.microseconds();
    alone.wait();
    return microseconds;
  };
  EventPair events;
  const auto between_events = [&] {
    const double microseconds = events.time(stream, [&] { in_stream.submit(); });
    in_stream.wait();
    return microseconds;
  };
  times->wall = time_wall(alone);
  const double one = times->wall;
  times->ev = median_of_series(one, between_events);
  times->host = median_of_series(one, submit);
}

}  // namespace bench

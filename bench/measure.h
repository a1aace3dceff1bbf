// SPDX-License-Identifier: LGPL-2.1-or-later
// The times of a frame, and their measurement on the host.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace bench {

/// Microseconds of a frame, each a median.
struct Times {
  double ev = 0;    ///< on the device, one frame alone: between two events around it in a stream
  double thr = 0;   ///< what each frame adds to a sequence of frames
  double wall = 0;  ///< on the host, from the call to the end of its work
  double host = 0;  ///< on the host, the call that queues the work, with nothing queued before it
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A host clock that starts when it is made.
class Stopwatch {
 public:
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// Returns how many calls of `one` microseconds fit in `budget` microseconds, within least .. most.
inline int repeats(double one, double budget, int least, int most) {
  return static_cast<int>(std::clamp<double>(budget / std::max(one, 0.1), least, most));
}

/// Returns the median time of `call` in microseconds. `call` must return when its work is done.
/// `prepare` runs before each call and is not timed.
template <class Prepare, class Call>
double time_on_host(Prepare prepare, Call call) {
  const auto once = [&] {
    prepare();
    const Stopwatch watch;
    call();
    return watch.microseconds();
  };
  once();
  const int count = repeats(once(), 500e3, 5, 400);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) times.push_back(once());
  return median(times);
}

/// Returns the median times of calls in microseconds. The calls take turns, so that other load on
/// the machine slows all of them alike. In each turn, a call that is not timed first warms the
/// caches. Turns go on for `budget` microseconds, but there are at least three.
inline std::vector<double> time_in_turns(const std::vector<std::function<void()>>& calls,
                                         double budget) {
  constexpr int kTimed = 3;
  std::vector<std::vector<double>> times(calls.size());
  const auto turn = [&] {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      calls[i]();
      for (int n = 0; n < kTimed; ++n) {
        const Stopwatch watch;
        calls[i]();
        times[i].push_back(watch.microseconds());
      }
    }
  };
  turn();
  const Stopwatch watch;
  turn();
  const int count = repeats(watch.microseconds(), budget, 3, 100);
  for (std::vector<double>& of_call : times) of_call.clear();
  for (int i = 0; i < count; ++i) turn();
  std::vector<double> medians;
  for (const std::vector<double>& of_call : times) medians.push_back(median(of_call));
  return medians;
}

}  // namespace bench

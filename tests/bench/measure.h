// SPDX-License-Identifier: LGPL-2.1-or-later
// What is measured of a frame, and how on the host.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

/// Microseconds of a frame, each a median.
struct Times {
  double ev = 0;    ///< on the device, a call at a time: between two events around it
  double thr = 0;   ///< on the device, call after call: what each of them adds
  double wall = 0;  ///< on the host, from the call to the end of its work
  double host = 0;  ///< on the host, the call alone, with nothing queued before it
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A clock of the host that starts when it is made.
class Stopwatch {
 public:
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(Clock::now() - begin_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// How many calls of `one` microseconds fit in `budget` microseconds, within least .. most.
inline int repeats(double one, double budget, int least, int most) {
  return static_cast<int>(std::clamp<double>(budget / std::max(one, 0.1), least, most));
}

/// The median of microseconds of `call`, which returns when its work is done. `prepare` runs
/// before each call and does not count.
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

}  // namespace bench

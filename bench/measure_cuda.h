// SPDX-License-Identifier: LGPL-2.1-or-later
// Timing of calls that queue work in a stream.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "check.h"
#include "check_cuda.h"
#include "measure.h"

namespace bench {

/// Two events and the time between them.
class EventPair {
 public:
  EventPair() {
    check(cudaEventCreate(&begin_));
    check(cudaEventCreate(&end_));
  }
  ~EventPair() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;

  /// Waits for the work that `queue` queues in `stream` and returns its microseconds.
  template <class Queue>
  double time(cudaStream_t stream, Queue queue) {
    check(cudaEventRecord(begin_, stream));
    queue();
    check(cudaEventRecord(end_, stream));
    check(cudaEventSynchronize(end_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1000.0 * milliseconds;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

inline constexpr double kBudget = 250e3;  ///< microseconds of a series of calls
inline constexpr double kSlow = 20e3;     ///< microseconds of a call that is repeated less often

/// Returns the median of the results of once(), which takes about `one` microseconds.
template <class Once>
double median_of_series(double one, Once once) {
  const int count = one > kSlow ? repeats(one, 2 * kBudget, 3, 25) : repeats(one, kBudget, 51, 400);
  std::vector<double> times(count);
  for (double& time : times) time = once();
  return median(times);
}

/// Returns the median of five results of round(count): the microseconds of each of `count` calls,
/// which take about `one` alone. The count is at least `least`.
template <class Round>
double median_of_rounds(double one, int least, Round round) {
  const int count = repeats(one, kBudget / 5, least, 400);
  double times[5];
  for (double& time : times) time = round(count);
  return median({times, times + 5});
}

/// Loads the kernels, lets the clocks rise and returns about how long a call takes. once() returns
/// the microseconds of a call, including the wait.
template <class Once>
double warm_up(Once once) {
  once();
  const double one = once();
  if (one > kSlow) return one;
  for (int i = 0; i < 10; ++i) once();
  return std::min({once(), once(), once()});
}

/// Times `call(i)`, which queues the work of frame i = 0, 1, 2, ... in the stream.
template <class Call>
class Measurement {
 public:
  Measurement(cudaStream_t stream, Call call) : stream_(stream), call_(call) {
    one_ = warm_up([&] { return wall_time(); });
  }

  Times all() {
    Times times;
    times.ev = median_of_series(one_, [&] { return time_calls(1); });
    times.thr = throughput();
    times.wall = median_of_series(one_, [&] { return wall_time(); });
    times.host = median_of_series(one_, [&] { return host_time(); });
    return times;
  }

  /// Returns the microseconds that each call adds to a sequence of calls, between two events around
  /// it.
  double throughput() {
    return median_of_rounds(one_, 2, [&](int count) { return time_calls(count) / count; });
  }

 private:
  double time_calls(int count) {
    return events_.time(stream_, [&] {
      for (int i = 0; i < count; ++i) call_(next_++);
    });
  }

  double wall_time() {
    const Stopwatch watch;
    call_(next_++);
    check(cudaStreamSynchronize(stream_));
    return watch.microseconds();
  }

  double host_time() {
    const Stopwatch watch;
    call_(next_++);
    const double microseconds = watch.microseconds();
    check(cudaStreamSynchronize(stream_));
    return microseconds;
  }

  const cudaStream_t stream_;
  Call call_;
  EventPair events_;
  int next_ = 0;
  double one_ = 0;  // microseconds of a call, including the wait
};

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Timing of calls that queue work in a stream, and the device memory they work on.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "cuda/tuning.h"
#include "measure.h"

namespace bench {

/// Ends the program with the message of what failed.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "error: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// How many buffers are used in turn, so that a call does not find its data in the L2 cache: more
/// than 192 MiB in all, which is well beyond the cache, if 256 buffers are enough for that; and
/// more than the frames that are in work at a time.
inline int rotation(std::size_t bytes_per_call) {
  const std::size_t count = (std::size_t{192} << 20) / bytes_per_call + 1;
  return static_cast<int>(std::clamp<std::size_t>(count, canny::cuda::kFrameSlots + 1, 256));
}

/// Blocks of device memory of one size, which calls use in turn.
class DeviceBlocks {
 public:
  DeviceBlocks(int count, std::size_t bytes) : bytes_(bytes) {
    for (int i = 0; i < count; ++i) {
      void* block = nullptr;
      check(cudaMalloc(&block, bytes));
      check(cudaMemset(block, 0x55, bytes));
      blocks_.push_back(static_cast<std::uint8_t*>(block));
    }
    check(cudaDeviceSynchronize());  // the stream that uses them does not wait for the default one
  }
  ~DeviceBlocks() {
    for (std::uint8_t* block : blocks_) cudaFree(block);
  }
  DeviceBlocks(const DeviceBlocks&) = delete;
  DeviceBlocks& operator=(const DeviceBlocks&) = delete;

  /// Copies `data` to every block, and waits for that.
  void fill(const void* data) {
    for (std::uint8_t* block : blocks_)
      check(cudaMemcpy(block, data, bytes_, cudaMemcpyHostToDevice));
    check(cudaDeviceSynchronize());
  }

  int count() const { return static_cast<int>(blocks_.size()); }
  std::size_t bytes() const { return bytes_; }
  /// The block of call `i`.
  std::uint8_t* operator[](int i) const {
    return blocks_[static_cast<unsigned>(i) % blocks_.size()];
  }

 private:
  std::size_t bytes_;
  std::vector<std::uint8_t*> blocks_;
};

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

  /// Microseconds of what `queue` queues in `stream`, once that is done.
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

/// Times `call(i)`, which queues the work of frame i = 0, 1, 2, ...; `finish()` has the stream wait
/// for it.
template <class Call, class Finish>
class Measurement {
 public:
  Measurement(cudaStream_t stream, Call call, Finish finish)
      : stream_(stream), call_(call), finish_(finish) {
    warm_up();
  }

  Times all() {
    Times times;
    times.ev = median(event_times());
    times.thr = throughput();
    host_times(&times);
    return times;
  }

  /// Microseconds a call adds to a row of calls that only the last event waits for.
  double throughput() {
    const int count = repeats(one_, kBudget / 5, 2, 400);
    std::vector<double> rounds;
    for (int round = 0; round < 5; ++round) {
      const double all = events_.time(stream_, [&] {
        for (int i = 0; i < count; ++i) call_(next_++);
        finish_();
      });
      rounds.push_back(all / count);
    }
    return median(rounds);
  }

 private:
  static constexpr double kBudget = 250e3;  // microseconds of a series of calls
  static constexpr double kSlow = 20e3;     // microseconds of a call that is repeated less often

  void wait() {
    finish_();
    check(cudaStreamSynchronize(stream_));
  }

  /// Loads the kernels, lets the clocks rise and learns how long a call takes about.
  void warm_up() {
    for (int i = 0; i < 2; ++i) one_ = wall_time();
    if (one_ > kSlow) return;
    for (int i = 0; i < 10; ++i) call_(next_++);
    wait();
    one_ = std::min({wall_time(), wall_time(), wall_time()});
  }

  double wall_time() {
    const Stopwatch watch;
    call_(next_++);
    wait();
    return watch.microseconds();
  }

  int series() const {
    return one_ > kSlow ? repeats(one_, 2 * kBudget, 3, 25) : repeats(one_, kBudget, 51, 400);
  }

  std::vector<double> event_times() {
    std::vector<double> times;
    for (int i = 0; i < series(); ++i)
      times.push_back(events_.time(stream_, [&] {
        call_(next_++);
        finish_();
      }));
    return times;
  }

  void host_times(Times* times) {
    std::vector<double> wall, host;
    for (int i = 0; i < series(); ++i) {
      const Stopwatch watch;
      call_(next_++);
      host.push_back(watch.microseconds());
      wait();
      wall.push_back(watch.microseconds());
    }
    times->wall = median(wall);
    times->host = median(host);
  }

  const cudaStream_t stream_;
  Call call_;
  Finish finish_;
  EventPair events_;
  int next_ = 0;
  double one_ = 0;  // microseconds of a call, wait included
};

/// Of calls that queue their work in the stream itself.
template <class Call>
auto measurement(cudaStream_t stream, Call call) {
  const auto finish = [] {};
  return Measurement<Call, decltype(finish)>(stream, call, finish);
}

}  // namespace bench

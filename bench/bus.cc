// SPDX-License-Identifier: LGPL-2.1-or-later
// Times copies over the bus, back to back, with a stream for each direction.
#include "bus.h"

#include <cstring>

#include "check_cuda.h"
#include "device_blocks.h"
#include "measure.h"

namespace bench {
namespace {

/// Copies of one size in one direction, between blocks that are used in turn.
class Direction {
 public:
  Direction(std::size_t bytes, bool up) : bytes_(bytes), up_(up), device_(kBlocks, bytes + 1) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (void*& block : host_) {
      check(cudaMallocHost(&block, bytes + 1));
      std::memset(block, 0x55, bytes + 1);
    }
  }
  ~Direction() {
    for (void* block : host_) cudaFreeHost(block);
    cudaStreamDestroy(stream_);
  }
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;

  void queue(int i) {
    if (bytes_ == 0) return;
    void* host = host_[i % kBlocks];
    check(cudaMemcpyAsync(up_ ? device_[i] : host, up_ ? host : device_[i], bytes_,
                          up_ ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_));
  }
  void wait() { check(cudaStreamSynchronize(stream_)); }

 private:
  static constexpr int kBlocks = 8;

  std::size_t bytes_;
  bool up_;
  DeviceBlocks device_;
  void* host_[kBlocks] = {};
  cudaStream_t stream_ = nullptr;
};

}  // namespace

double bus_microseconds(std::size_t up, std::size_t down) {
  constexpr double kRound = 200e3;  // microseconds
  Direction to(up, true), from(down, false);
  const auto time = [&](int count) {
    const Stopwatch watch;
    for (int i = 0; i < count; ++i) {
      to.queue(i);
      from.queue(i);
    }
    to.wait();
    from.wait();
    return watch.microseconds() / count;
  };
  time(20);
  const int count = repeats(time(20), kRound, 20, 100000);
  std::vector<double> rounds;
  for (int i = 0; i < 5; ++i) rounds.push_back(time(count));
  return median(rounds);
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits for frames, without calls of the driver.
#include "cuda/waiting.h"

#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

using namespace std::chrono_literals;

std::atomic<unsigned> pollers{0};  // threads that poll now

unsigned most_pollers() {
  static const unsigned most = std::max(tbb::info::default_concurrency() / kCoresPerPoller, 1);
  return most;
}

// Lets a thread become one of the few that poll, and remain it.
class Poller {
 public:
  Poller() = default;
  ~Poller() {
    if (is_one_) --pollers;
  }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  bool may_poll() {
    if (is_one_ || pollers >= most_pollers()) return is_one_;
    is_one_ = pollers++ < most_pollers();
    if (!is_one_) --pollers;
    return is_one_;
  }

 private:
  bool is_one_ = false;
};

}  // namespace

std::atomic<unsigned>& frames_on_device(int device_id) {
  constexpr int kCounts = 64;  // devices beyond share the last one
  static std::atomic<unsigned> counts[kCounts];
  return counts[std::min(device_id, kCounts - 1)];
}

bool has_come(const Report& report) {
  const bool has = const_cast<const volatile unsigned long long&>(report.edges) != Report::kPending;
  std::atomic_thread_fence(std::memory_order_acquire);
  return has;
}

bool comes_soon(const Report& report) {
  if (has_come(report)) return true;
  Poller poller;
  const auto end = std::chrono::steady_clock::now() + 1ms;
  std::chrono::microseconds sleep = 20us;
  while (std::chrono::steady_clock::now() < end) {
    if (poller.may_poll()) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(2 * sleep, std::chrono::microseconds(kLongestSleep));
    }
    if (has_come(report)) return true;
  }
  return false;
}

}  // namespace canny::cuda

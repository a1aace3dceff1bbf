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

// Makes the thread one of those that poll, if there may be another one.
bool becomes_poller() {
  if (pollers >= most_pollers()) return false;
  if (pollers++ < most_pollers()) return true;
  --pollers;
  return false;
}

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
  const auto end = std::chrono::steady_clock::now() + 1ms;
  std::chrono::microseconds sleep = 20us;
  bool has = has_come(report), polls = false;
  while (!has && std::chrono::steady_clock::now() < end) {
    polls = polls || becomes_poller();
    if (polls) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(sleep);
      sleep = std::min(2 * sleep, std::chrono::microseconds(kLongestSleep));
    }
    has = has_come(report);
  }
  if (polls) --pollers;
  return has;
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Threads that a test starts, and waits for what other threads do.
#include "worker.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "fixture.h"
#include "owned.h"

namespace check {

bool wait_until(const std::function<bool()>& condition) {
  const gint64 end = g_get_monotonic_time() + gint64(kPatience / GST_USECOND);
  while (!condition()) {
    if (g_get_monotonic_time() > end) return false;
    g_usleep(1000);
  }
  return true;
}

/// How often a sleeping thread has gone to sleep; empty if it is awake.
static std::string sleep_count(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  if (!status) return "ended";
  bool is_asleep = false;
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("State:\tS", 0) == 0) is_asleep = true;
    if (line.rfind("voluntary_ctxt_switches:", 0) == 0) return is_asleep ? line : "";
  }
  return "ended";
}

/// The nanoseconds that a thread has been on a core; 0 once it has ended.
static guint64 core_time(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/schedstat");
  guint64 time = 0;
  file >> time;
  return time;
}

/// Asks whether a thread has slept since the last time. A thread that waits for a lock sleeps too,
/// but not for long.
class SleepWatch {
 public:
  explicit SleepWatch(pid_t thread) : thread_(thread) {}
  bool is_asleep() {
    const std::string count = sleep_count(thread_);
    const bool is_same = !count.empty() && count == last_;
    last_ = count;
    return is_same;
  }

 private:
  const pid_t thread_;
  std::string last_;
};

bool wait_until_asleep(pid_t thread) {
  SleepWatch watch(thread);
  return wait_until([&] { return watch.is_asleep(); });
}

bool wait_until_waiting(pid_t thread, GstClockTime spinning) {
  SleepWatch watch(thread);
  const guint64 begin = core_time(thread);
  return wait_until([&] { return watch.is_asleep() || core_time(thread) > begin + spinning; });
}

pid_t task_thread(GstPad* pad) {
  constexpr std::size_t kLongest = 15;  // for Linux
  const Owned<GstElement> parent(gst_pad_get_parent_element(pad));
  const std::string full = std::string(GST_OBJECT_NAME(parent.get())) + ":" + GST_OBJECT_NAME(pad);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name == full.substr(0, kLongest)) return std::stoi(thread.path().filename());
  }
  return 0;
}

Worker::Worker(const std::function<void()>& work) {
  std::promise<pid_t> id;
  std::promise<void> end;
  end_ = end.get_future();
  std::future<pid_t> started = id.get_future();
  thread_ = std::thread([&id, work, end = std::move(end)]() mutable {
    id.set_value(gettid());
    work();
    end.set_value();
  });
  id_ = started.get();
}

bool Worker::ends() const {
  return end_.wait_for(std::chrono::nanoseconds(kPatience)) == std::future_status::ready;
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace check

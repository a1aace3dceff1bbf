// SPDX-License-Identifier: LGPL-2.1-or-later
/// Threads that a test starts, and waits for what other threads do.
#pragma once

#include <gst/gst.h>
#include <sys/types.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

namespace check {

/// Waits until the condition holds, for at most kPatience. Asks every millisecond. Whether it
/// holds.
bool wait_until(const std::function<bool()>& condition);

/// Waits until a thread of this process sleeps or has ended, for at most kPatience. It sleeps if it
/// waits for another thread or for a device. Whether it does.
bool wait_until_asleep(pid_t thread);

/// Likewise, but a thread waits for a device also if it spins: it has been on a core for so long.
bool wait_until_waiting(pid_t thread, GstClockTime spinning = 50 * GST_MSECOND);

/// The thread of a pad's task, 0 if there is none. GStreamer names it after the pad.
pid_t task_thread(GstPad* pad);

/// Does work in a thread of its own.
class Worker {
 public:
  explicit Worker(const std::function<void()>& work);
  ~Worker() { join(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Waits until the work has ended, or waits for something. Whether it does within kPatience.
  bool wait_until_asleep() const { return check::wait_until_asleep(id_); }
  /// Waits for the end of the work. Whether it comes within kPatience.
  bool ends() const;
  void join();

 private:
  pid_t id_;
  std::future<void> end_;
  std::thread thread_;
};

/// Calls work(0), work(1), ... in a thread of its own until the end of the scope.
class Repeated {
 public:
  explicit Repeated(const std::function<void(int)>& work)
      : thread_([this, work] {
          for (int i = 0; !is_over_; i++) {
            work(i);
            std::this_thread::yield();
          }
        }) {}
  ~Repeated() {
    is_over_ = true;
    thread_.join();
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

 private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace check

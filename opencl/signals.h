// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps drivers from taking the process's signals.
#pragma once

#include <array>
#include <csignal>
#include <mutex>

namespace canny::opencl {

/// Restores the actions of signals at the end of its scope: a driver's compiler, LLVM, replaces
/// those of SIGINT, SIGTERM and others where it is loaded. One scope at a time; an action that
/// another thread sets meanwhile is lost.
class SignalActions {
 public:
  SignalActions() : lock_(mutex()) {
    for (std::size_t i = 1; i < saved_.size(); ++i)
      sigaction(static_cast<int>(i), nullptr, &saved_[i]);
  }
  ~SignalActions() {
    for (std::size_t i = 1; i < saved_.size(); ++i)
      if (i != SIGKILL && i != SIGSTOP) sigaction(static_cast<int>(i), &saved_[i], nullptr);
  }
  SignalActions(const SignalActions&) = delete;
  SignalActions& operator=(const SignalActions&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex& shared = *new std::mutex;
    return shared;
  }

  const std::lock_guard<std::mutex> lock_;
  std::array<struct sigaction, 32> saved_ = {};  // those without queues
};

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// The threads of a detector.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <list>
#include <memory>

namespace canny::cpu {

/// Runs loops on up to a given number of threads, the caller's among them. One thread takes no
/// oneTBB; several take an arena of it. Arenas are never terminated before the process ends, since
/// oneTBB does not give back all of the memory of one: the destructor leaves its arena to the next
/// Arena of as many threads. For one thread at a time.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Changes the number of threads (at least 1). Throws std::bad_alloc, or what oneTBB throws, and
  /// leaves one thread then.
  void set_threads(int threads);

  /// Calls run(i) for 0 .. count - 1. Each thread takes one after the other, as far as it can.
  template <class Run>
  void parallel_for(int count, const Run& run) {
    if (arena_.empty()) {
      for (int i = 0; i < count; ++i) run(i);
    } else {
      arena_.front().execute([&] { tbb::parallel_for(0, count, run, tbb::simple_partitioner()); });
    }
  }

  /// Which of the threads calls this within parallel_for(), from 0.
  int thread_index() const {
    return arena_.empty() ? 0 : tbb::this_task_arena::current_thread_index();
  }

 private:
  struct Free;
  void give_back() noexcept;
  bool take(int threads);
  void make(int threads);

  std::list<tbb::task_arena> arena_;  // one, or none for one thread
  std::shared_ptr<Free> free_;        // where it goes back to
};

}  // namespace canny::cpu

// SPDX-License-Identifier: LGPL-2.1-or-later
// The threads of a detector.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <list>
#include <memory>

namespace canny {

/// The number of threads that Options::threads stands for.
unsigned usable_threads(unsigned threads);

/// Runs loops on up to a given number of threads, including the caller's. Several threads need a
/// oneTBB arena; one thread does not. Arenas live until the process ends, since oneTBB does not
/// free all of their memory: the destructor leaves its arena to the next Arena with as many
/// threads. For one thread at a time.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Changes the number of threads (at least 1). Throws std::bad_alloc or an exception of oneTBB,
  /// and then leaves one thread.
  void set_threads(int threads);

  /// Calls run(i) for i in 0 .. count - 1. Each thread takes consecutive values where possible.
  template <class Run>
  void parallel_for(int count, const Run& run) {
    if (arena_.empty()) {
      for (int i = 0; i < count; ++i) run(i);
    } else {
      arena_.front().execute([&] { tbb::parallel_for(0, count, run, tbb::simple_partitioner()); });
    }
  }

  int threads() const { return arena_.empty() ? 1 : arena_.front().max_concurrency(); }

  /// The index of the calling thread within parallel_for(), from 0.
  int thread_index() const {
    return arena_.empty() ? 0 : tbb::this_task_arena::current_thread_index();
  }

 private:
  struct Free;
  void give_back() noexcept;
  bool take(int threads);
  void make(int threads);

  std::list<tbb::task_arena> arena_;  // empty for one thread
  std::shared_ptr<Free> free_;        // receives the arena at the end
};

}  // namespace canny

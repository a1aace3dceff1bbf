// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps oneTBB's arenas until the process ends.
#include "canny/arena.h"

#include <tbb/info.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

namespace canny {
namespace {

constexpr std::size_t kPoolBytes = std::size_t{16} << 20;  // more than oneTBB itself allocates

// What starting threads led to. The last thread throws nothing: an exception would be memory of its
// own, which another thread frees.
struct Rehearsal {
  std::exception_ptr failure;  // of a thread that could not start the next one
  bool has_pool = false;       // whether the last one has the memory
};

// Starts `count` threads, each from the one before it, so that all live at the same time.
void start_threads(int count, Rehearsal* rehearsal) noexcept {
  try {
    if (count > 0) return std::thread([=] { start_threads(count - 1, rehearsal); }).join();
  } catch (...) {
    rehearsal->failure = std::current_exception();
    return;
  }
  void* const pool = ::operator new(kPoolBytes, std::nothrow);
  rehearsal->has_pool = pool != nullptr;
  ::operator delete(pool);
}

// Throws if `count` threads can't be started. oneTBB starts threads when there is work, and ends
// the process if a thread can't start the next one. glibc keeps the rehearsal's memory for them.
void rehearse(int count) {
  Rehearsal rehearsal;
  start_threads(count, &rehearsal);
  if (rehearsal.has_pool) return;
  if (rehearsal.failure == nullptr) throw std::bad_alloc();
  try {
    std::rethrow_exception(rehearsal.failure);
  } catch (const std::system_error& error) {
    throw std::runtime_error("can't start " + std::to_string(count) +
                             (count == 1 ? " thread: " : " threads: ") + error.what() +
                             "; raise the limits of memory and threads, or use fewer threads");
  }
}

}  // namespace

unsigned usable_threads(unsigned threads) {
  const unsigned cores = tbb::info::default_concurrency();
  return threads > 0 ? std::min(threads, cores) : cores;
}

// The arenas that no Arena uses. All Arenas share this object, from any thread. It lives until the
// last Arena and the process's static objects are gone.
struct Arena::Free {
  std::mutex mutex;
  // Under the mutex.
  std::list<tbb::task_arena> arenas;
  int rehearsed = 0;  // threads that could be started besides the caller's
};

Arena::~Arena() { give_back(); }

// Moves the arena between lists, which allocates nothing.
void Arena::give_back() noexcept {
  if (arena_.empty()) return;
  const std::lock_guard<std::mutex> lock(free_->mutex);
  free_->arenas.splice(free_->arenas.begin(), arena_);
}

// Takes a free arena with this number of threads, if there is one.
bool Arena::take(int threads) {
  const std::lock_guard<std::mutex> lock(free_->mutex);
  const auto found = std::find_if(
      free_->arenas.begin(), free_->arenas.end(),
      [&](const tbb::task_arena& arena) { return arena.max_concurrency() == threads; });
  if (found == free_->arenas.end()) return false;
  arena_.splice(arena_.begin(), free_->arenas, found);
  return true;
}

void Arena::make(int threads) {
  {
    const std::lock_guard<std::mutex> lock(free_->mutex);
    if (free_->rehearsed < threads - 1) rehearse(threads - 1);
    free_->rehearsed = std::max(free_->rehearsed, threads - 1);
  }
  std::list<tbb::task_arena> made;
  made.emplace_back(threads).initialize();
  arena_.swap(made);
}

void Arena::set_threads(int threads) {
  static const std::shared_ptr<Free> free = std::make_shared<Free>();
  if (!arena_.empty() && arena_.front().max_concurrency() == threads) return;
  give_back();
  if (threads == 1) return;
  free_ = free;
  if (!take(threads)) make(threads);
}

}  // namespace canny

// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocations that fail on demand: operator new, malloc and its kin, and mmap of the whole program.
#pragma once

#include <climits>

namespace failing {

/// Allocations of a thread, counted from 1, that fail.
struct Fault {
  long first;
  long count;  ///< how many in a row
};
inline constexpr long kAllAfter = LONG_MAX;

/// Has allocations of this thread fail while it lives, those that watch() has chosen.
class Failing {
 public:
  explicit Failing(Fault fault);
  ~Failing();
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  bool any() const;  ///< whether one has failed
};

/// Chooses the allocations that count: those whose callers are in files with one of these in their
/// names. A null ends the array, which is not copied. That of the program itself is its argv[0].
///
/// oneTBB is to be left out: where 2021.8 finds no memory for its own state, as when it starts, it
/// waits forever for a task that was never begun, or ends the process. So is the CUDA runtime,
/// which is part of the program: with kNew only operator new counts, which it does not call.
enum class Functions { kAll, kNew };
void watch(const char* const* files, Functions functions);

}  // namespace failing

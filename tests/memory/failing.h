// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocations that fail on demand: operator new, malloc and related functions, and mmap, in the
// whole program.
#pragma once

#include <climits>

namespace failing {

/// The allocations of a thread that fail, counted from 1.
struct Fault {
  long first;
  long count;  ///< how many in a row
};
inline constexpr long kAllAfter = LONG_MAX;

/// Makes the allocations of this thread that watch() has chosen fail while this object lives.
class Failing {
 public:
  explicit Failing(Fault fault);
  ~Failing();
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

  bool any() const;  ///< whether one has failed
};

/// Chooses the allocations that count: their callers are in files whose names contain one of these.
/// A null ends the array, which is not copied. The program itself is named by its argv[0].
///
/// Leave out oneTBB: if 2021.8 finds no memory for its own state, as at its start, it waits forever
/// for a task that never began, or ends the process. Leave out the CUDA runtime too, which is part
/// of the program: with kNew only operator new counts, which it does not call.
enum class Functions { kAll, kNew };
void watch(const char* const* files, Functions functions);

}  // namespace failing

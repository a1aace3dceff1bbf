// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks that the memory of the process does not grow while something is repeated.
#pragma once

#include <functional>
#include <string>

namespace growth {

/// Makes all threads share one of malloc's arenas. Otherwise the number of arenas, and with it the
/// memory, depends on how threads meet. Call before there are other threads. Returns the number of
/// rounds from the command line, or the default. Ends the program with a message if it is none.
int begin(int argc, char** argv);

/// A line of /proc/self/status in KiB, e.g. RssAnon, the memory not backed by files; -1 if the
/// kernel does not report it.
long status_kib(const char* field);

/// Calls `large` and then `small`. Returns an error if afterwards the process has more memory than
/// before, or the first error of the two; empty otherwise.
std::string measure_return(const std::string& what, const std::function<std::string()>& large,
                           const std::function<std::string()>& small);

/// Calls round(i) for i from 0 to `rounds`, after some rounds to warm up, and prints the growth of
/// the process's memory. Returns an error if it grew too much, or the first error of round(); empty
/// otherwise.
std::string measure(const std::string& what, int rounds,
                    const std::function<std::string(int)>& round);

}  // namespace growth

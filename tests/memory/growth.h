// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the memory of the process stays as it is while something is repeated.
#pragma once

#include <functional>
#include <string>

namespace growth {

/// How often, unless the command line says otherwise. What oneTBB 2021.8 keeps of an arena that is
/// terminated, some 7 KiB, would be 20 MiB.
inline constexpr int kRounds = 3000;

/// The number on the command line; ends the program with a message if it is none.
int rounds(int argc, char** argv);

/// Calls round(i) for i from 0 to `rounds`, after some to warm up, and prints by how much that
/// makes the process' memory grow. Empty if that is not too much, or what round() returned as soon
/// as that is not empty.
std::string measure(const std::string& what, int rounds,
                    const std::function<std::string(int)>& round);

}  // namespace growth

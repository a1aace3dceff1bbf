// SPDX-License-Identifier: LGPL-2.1-or-later
// Compiled programs on disk, in $XDG_CACHE_HOME/cudacanny, or ~/.cache/cudacanny. Any number of
// threads and processes may use them. Programs are code: folders and files that others own or may
// write do not count, nor these variables in programs with more rights than their user.
#pragma once

#include <string>

namespace canny::opencl {

/// What is stored under a key, or an empty string if there is nothing, or the file is damaged. A
/// value is found under exactly the same bytes alone.
std::string read_cached(const std::string& key);

/// Stores a value. Does nothing if that is impossible: without a folder, on a full disk.
void write_cached(const std::string& key, const std::string& value);

}  // namespace canny::opencl

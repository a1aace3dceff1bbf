// SPDX-License-Identifier: LGPL-2.1-or-later
// Measured figures, and the files that keep them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace papers {

/// The figures of a row on a backend.
struct Record {
  std::string group, row, backend;
  int width = 0, height = 0;             ///< pixels of the frames that were measured
  std::map<std::string, double> values;  ///< by names of letters, digits and _
};

struct Recording {
  std::map<std::string, std::string> machines;  ///< the device of each backend, in words
  std::vector<Record> records;

  /// The record of this row, null without one.
  const Record* find(const std::string& group, const std::string& row,
                     const std::string& backend) const;
  /// The same as a new one if there is none.
  Record& at(const std::string& group, const std::string& row, const std::string& backend);
};

/// Writes a JSON file with a line for each record.
void write(const Recording& recording, const std::string& path);

/// Adds the contents of a file of write(). Ends the program with status 2 if it is none.
void read(const std::string& path, Recording* recording);

}  // namespace papers

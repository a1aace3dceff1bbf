// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints the table and saves the same rows as a JSON file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench.h"

namespace bench {

/// The subject of a timing, and the outcome.
struct Row {
  std::string content, size, format;
  std::optional<canny::Params> params;  ///< of a picture
  unsigned passes = 0;
  std::string backend;
  bool window = false;
  unsigned batch = 1;
  std::string region;  ///< of a picture
  double pixels = 0;   ///< of a frame
  double bytes = 0;    ///< in and out, of a frame
  double candidates_percent = 0;
  double edges_percent = 0;
  Outcome outcome;
};

/// The columns that not every table has.
struct Columns {
  bool npp = false;
  bool opencv = false;
  bool alone = false;
  bool parameters = false;  ///< those besides norm, sigma and passes
  bool stages = false;
  bool kernels = false;
  bool batch = false;
};

/// Identifies the frame and the parameters of a row of a picture.
std::string subject(const Row& row);

class Report {
 public:
  /// Saves no JSON file if the path is empty.
  Report(Machine machine, Columns columns, std::string json_path)
      : machine_(std::move(machine)), columns_(columns), json_path_(std::move(json_path)) {}

  void print_head() const;
  /// Prints the row and saves, so that a later failure loses no row.
  void add(const Row& row);
  /// Whether a row's edge map differed from the reference.
  bool any_wrong() const { return any_wrong_; }
  /// Rewrites the file. Ends the program if that fails.
  void save() const;

 private:
  Machine machine_;
  Columns columns_;
  std::string json_path_;
  bool any_wrong_ = false;
  std::vector<Row> rows_;
};

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The numbers of the element's last frames.
#pragma once

#include <gst/gst.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tuner {

/// Names of the times in Statistics::stages_ms.
inline constexpr std::array<const char*, 5> kStageNames = {"Upload", "Front end", "Hysteresis",
                                                           "Output", "Download"};

/// What the element says of a frame.
struct Statistics {
  std::string backend;
  std::string device;
  std::uint64_t frames = 0;
  double last_ms = 0;  ///< time of the last frame
  double mean_ms = 0;
  bool has_edges = true;  ///< false if the output shows something else, whose edges nobody counts
  bool has_measured_thresholds = false;  ///< the threshold mode is not absolute
  std::uint64_t edge_pixels = 0;
  double low = 0;  ///< thresholds
  double high = 0;
  std::array<double, kStageNames.size()> stages_ms = {};  ///< 0 unless stages are measured
  std::uint64_t strong_pixels = 0;
  std::uint64_t candidate_pixels = 0;
  std::uint64_t components = 0;

  bool has_stages() const;
};

/// Reads the fields of the element's property `stats`.
Statistics read_statistics(GstElement* element);

/// The statistics as lines of a name and a text.
using Rows = std::vector<std::pair<std::string, std::string>>;
Rows statistics_rows(const Statistics& statistics, double frames_per_second);

/// The statistics of the latest frames, and their rate.
class History {
 public:
  static constexpr std::size_t kMost = 120;

  void add(const Statistics& statistics, std::int64_t time_us);
  const std::deque<Statistics>& all() const { return all_; }
  /// Frames of the second before a time.
  double frames_per_second(std::int64_t time_us) const;

 private:
  std::deque<Statistics> all_;
  std::deque<std::int64_t> times_us_;
};

}  // namespace tuner

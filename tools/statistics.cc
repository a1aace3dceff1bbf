// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads `stats` and keeps the latest ones.
#include "tools/statistics.h"

#include <algorithm>

#include "tools/property.h"
#include "tools/ref.h"

namespace tuner {

namespace {

std::uint64_t number(const GstStructure* stats, const char* field) {
  guint64 value = 0;
  gst_structure_get_uint64(stats, field, &value);
  return value;
}

double milliseconds(const GstStructure* stats, const char* field) {
  return static_cast<double>(number(stats, field)) / 1e6;
}

std::string text(const GstStructure* stats, const char* field) {
  return take(g_strdup(gst_structure_get_string(stats, field)));
}

/// Without any edge, what would give some.
std::string edges_text(const Statistics& statistics) {
  const std::string number = std::to_string(statistics.edge_pixels);
  const bool lacks_edges =
      statistics.frames > 0 && statistics.has_edges && statistics.edge_pixels == 0;
  if (!lacks_edges) return number;
  return number + (statistics.has_measured_thresholds
                       ? ": lower the high ratio"
                       : ": lower the high threshold, or choose otsu as threshold mode");
}

std::string milliseconds_text(double value) { return take(g_strdup_printf("%.3f ms", value)); }

}  // namespace

bool Statistics::has_stages() const {
  return std::any_of(stages_ms.begin(), stages_ms.end(), [](double ms) { return ms > 0; });
}

Statistics read_statistics(GstElement* element) {
  g_autoptr(GstStructure) stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  Statistics all;
  all.backend = text(stats, "backend");
  all.device = text(stats, "device");
  all.frames = number(stats, "frames");
  all.last_ms = milliseconds(stats, "last-time");
  all.mean_ms = milliseconds(stats, "mean-time");
  const std::string output = serialized(element, "output");
  all.has_edges = output == "edges" || output == "overlay" || output == "masked";
  all.has_measured_thresholds = serialized(element, "threshold-mode") != "absolute";
  all.edge_pixels = number(stats, "edge-pixels");
  gst_structure_get_double(stats, "low", &all.low);
  gst_structure_get_double(stats, "high", &all.high);
  all.stages_ms = {milliseconds(stats, "upload-time"), milliseconds(stats, "front-time"),
                   milliseconds(stats, "hysteresis-time"), milliseconds(stats, "output-time"),
                   milliseconds(stats, "download-time")};
  all.strong_pixels = number(stats, "strong-pixels");
  all.candidate_pixels = number(stats, "candidate-pixels");
  all.components = number(stats, "components");
  return all;
}

Rows statistics_rows(const Statistics& statistics, double frames_per_second) {
  Rows rows = {
      {"Backend", statistics.backend + (statistics.device.empty() ? "" : ", ") + statistics.device},
      {"Frames", std::to_string(statistics.frames) +
                     take(g_strdup_printf(", %.1f per second", frames_per_second))},
      {"Time of a frame",
       milliseconds_text(statistics.last_ms) + ", mean " + milliseconds_text(statistics.mean_ms)},
      {"Edge pixels", edges_text(statistics)},
      {"Thresholds", take(g_strdup_printf("%.6g and %.6g", statistics.low, statistics.high))},
  };
  if (!statistics.has_stages()) return rows;
  double rest_ms = statistics.last_ms;
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    rest_ms -= statistics.stages_ms[i];
    if (statistics.stages_ms[i] == 0) continue;
    rows.emplace_back(kStageNames[i], milliseconds_text(statistics.stages_ms[i]));
  }
  rows.emplace_back("Counting, waiting", milliseconds_text(std::max(rest_ms, 0.0)));
  rows.emplace_back("Strong pixels", std::to_string(statistics.strong_pixels));
  rows.emplace_back("Candidates", std::to_string(statistics.candidate_pixels));
  rows.emplace_back("Components", std::to_string(statistics.components));
  return rows;
}

void History::add(const Statistics& statistics, std::int64_t time_us) {
  all_.push_back(statistics);
  times_us_.push_back(time_us);
  if (all_.size() > kMost) all_.pop_front();
  while (times_us_.front() <= time_us - 1000000) times_us_.pop_front();
}

double History::frames_per_second(std::int64_t time_us) const {
  const auto first = std::upper_bound(times_us_.begin(), times_us_.end(), time_us - 1000000);
  return static_cast<double>(times_us_.end() - first);
}

}  // namespace tuner

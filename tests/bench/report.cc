// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes rows as text and as JSON.
#include "report.h"

#include <cstdio>
#include <fstream>
#include <utility>

namespace bench {
namespace {

/// A value of a row; an empty text is no value.
struct Cell {
  const char* key;    ///< in JSON
  const char* title;  ///< in the table, null if it is not there
  int width;          ///< in the table, negative: aligned left
  std::string text;
  bool is_string = false;
};

std::string fixed(std::optional<double> value, int decimals) {
  if (!value) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, *value);
  return text;
}

std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b <= 0) return {};
  return *a / *b;
}

std::vector<Cell> subject_cells(const Row& row) {
  return {{"content", "content", -12, row.content, true},
          {"size", "size", -10, row.size, true},
          {"format", "format", -6, row.format, true},
          {"window", "window", -6, row.window ? "true" : "false"},
          {"norm", "norm", -4, row.norm, true},
          {"sigma", "sigma", 5, fixed(row.sigma, 2)},
          {"passes", "passes", 6, std::to_string(row.passes)},
          {"backend", "backend", -7, row.backend, true},
          {"candidates_percent", "cand %", 6, fixed(row.candidates_percent, 2)},
          {"edges_percent", "edge %", 6, fixed(row.edges_percent, 2)}};
}

std::vector<Cell> parameter_cells(const Row& row) {
  return {{"operator", "operator", -8, row.gradient_operator, true},
          {"color_mode", "color mode", -15, row.color_mode, true},
          {"threshold_mode", "thresholds", -10, row.threshold_mode, true},
          {"min_length", "length", 6, std::to_string(row.min_length)},
          {"region", "region", -6, row.region, true},
          {"view", "view", -10, row.view, true},
          {"thick", "thick", -5, row.thick ? "true" : "false"}};
}

std::vector<Cell> time_cells(const Row& row) {
  std::optional<double> ev, thr, wall, host;
  if (const auto& times = row.outcome.times) {
    ev = times->ev;
    thr = times->thr;
    wall = times->wall;
    host = times->host;
  }
  // 1 pixel a microsecond is 1 Mpixel/s, and 1000 bytes a microsecond are 1 GB/s.
  return {{"ev_us", "ev", 9, fixed(ev, 2)},
          {"thr_us", "thr", 9, fixed(thr, 2)},
          {"wall_us", "wall", 9, fixed(wall, 2)},
          {"host_us", "host", 9, fixed(host, 2)},
          {"mpixels_per_s", "Mpix/s", 8, fixed(ratio(row.pixels, thr), 0)},
          {"gb_per_s", "GB/s", 7, fixed(ratio(row.bytes / 1000, thr), 1)},
          {"copy_us", "copy", 9, fixed(row.outcome.copy_us, 2)},
          {"ratio_to_copy", "/copy", 6, fixed(ratio(thr, row.outcome.copy_us), 2)},
          {"result", "result", -6, row.outcome.times ? "ok" : "WRONG", true}};
}

std::vector<Cell> cells(const Row& row, const Columns& columns) {
  std::vector<Cell> all = subject_cells(row);
  for (Cell& cell : time_cells(row)) all.push_back(std::move(cell));
  std::optional<double> thr;
  if (row.outcome.times) thr = row.outcome.times->thr;
  const auto compare = [&](const char* key, const char* title, std::optional<double> other,
                           const char* ratio_key, const char* ratio_title) {
    all.push_back({key, title, 9, fixed(other, 2)});
    all.push_back({ratio_key, ratio_title, 10, fixed(ratio(other, thr), 2)});
  };
  const auto& outcome = row.outcome;
  if (columns.npp) compare("npp_us", "NPP", outcome.npp_us, "ratio_of_npp", "NPP/thr");
  if (columns.opencv)
    compare("opencv_us", "OpenCV", outcome.opencv_us, "ratio_of_opencv", "OpenCV/thr");
  if (columns.alone) compare("alone_us", "alone", outcome.alone_us, "speedup", "alone/thr");
  for (Cell& cell : parameter_cells(row))
    if (columns.parameters) all.push_back(std::move(cell));
  return all;
}

void print(const char* text, int width) { std::printf("%*s ", width, text); }

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

std::string json(const Cell& cell) {
  std::string value = cell.text;
  if (value.empty())
    value = "null";
  else if (cell.is_string)
    value = quoted(value);
  return quoted(cell.key) + ": " + value;
}

std::string json(const std::vector<Cell>& object) {
  std::string text;
  for (const Cell& cell : object) text += (text.empty() ? "{" : ", ") + json(cell);
  return text + "}";
}

}  // namespace

void Report::print_head() const {
  std::printf("%s", machine_.device.c_str());
  if (!machine_.driver.empty()) std::printf(", driver %s", machine_.driver.c_str());
  if (!machine_.runtime_cuda.empty())
    std::printf(" (CUDA %s), runtime CUDA %s", machine_.driver_cuda.c_str(),
                machine_.runtime_cuda.c_str());
  std::printf("; microseconds a frame; edge maps are GRAY8\n");
  Row row;
  row.outcome.times.emplace();
  for (const Cell& cell : cells(row, columns_))
    if (cell.title != nullptr) print(cell.title, cell.width);
  std::printf("\n");
}

void Report::add(const Row& row) {
  for (const Cell& cell : cells(row, columns_))
    if (cell.title != nullptr) print(cell.text.empty() ? "-" : cell.text.c_str(), cell.width);
  std::printf("\n");
  std::fflush(stdout);
  any_wrong_ |= !row.outcome.times;
  rows_.push_back(row);
  save();
}

bool Report::save() const {
  if (json_path_.empty()) return true;
  std::ofstream file(json_path_);
  file << "{\n\"header\": "
       << json({{"device", nullptr, 0, machine_.device, true},
                {"driver_version", nullptr, 0, machine_.driver, true},
                {"driver_cuda_version", nullptr, 0, machine_.driver_cuda, true},
                {"runtime_version", nullptr, 0, machine_.runtime_cuda, true}})
       << ",\n\"rows\": [";
  for (std::size_t i = 0; i < rows_.size(); ++i)
    file << (i == 0 ? "\n" : ",\n") << json(cells(rows_[i], columns_));
  file << "\n]\n}\n";
  file.close();
  return bool(file);
}

}  // namespace bench

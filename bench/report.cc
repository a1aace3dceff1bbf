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
  const char* key;    ///< in JSON, null if it is not there
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

std::vector<Cell> frame_cells(const Row& row) {
  return {{"content", "content", -12, row.content, true},
          {"size", "size", -10, row.size, true},
          {"format", "format", -6, row.format, true},
          {"window", "window", -6, row.window ? "true" : "false"},
          {"norm", "norm", -4, row.norm, true},
          {"sigma", "sigma", 5, fixed(row.sigma, 2)},
          {"passes", "passes", 6, std::to_string(row.passes)}};
}

std::vector<Cell> run_cells(const Row& row) {
  return {{"backend", "backend", -7, row.backend, true},
          {"candidates_percent", "cand %", 6, fixed(row.candidates_percent, 2)},
          {"edges_percent", "edge %", 6, fixed(row.edges_percent, 2)}};
}

std::vector<Cell> parameter_cells(const Row& row) {
  return {{"operator", "operator", -8, row.gradient_operator, true},
          {"color_mode", "color mode", -15, row.color_mode, true},
          {"luma_depth", "depth", -5, row.luma_depth, true},
          {"threshold_mode", "thresholds", -10, row.threshold_mode, true},
          {"min_length", "length", 6, std::to_string(row.min_length)},
          {"view", "view", -10, row.view, true},
          {"region", "region", -6, row.region, true},
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
          {"wall_in_flight_us", "wall N", 9, fixed(row.outcome.wall_in_flight, 2)},
          {"host_us", "host", 9, fixed(host, 2)},
          {"mpixels_per_s", "Mpix/s", 8, fixed(ratio(row.pixels, thr), 0)},
          {"gb_per_s", "GB/s", 7, fixed(ratio(row.bytes / 1000, thr), 1)},
          {"copy_us", "copy", 9, fixed(row.outcome.copy_us, 2)},
          {"ratio_to_copy", "/copy", 6, fixed(ratio(thr, row.outcome.copy_us), 2)},
          {"result", "result", -6, row.outcome.times ? "ok" : "WRONG", true},
          {"route", nullptr, 0, row.outcome.route, true}};
}

std::vector<Cell> stage_cells(const Row& row) {
  const auto& stages = row.outcome.stages;
  const auto time = [&](double StageMedians::*stage) {
    return stages ? fixed((*stages).*stage, 2) : "";
  };
  return {{"upload_us", "up", 9, time(&StageMedians::upload)},
          {"front_us", "front", 9, time(&StageMedians::front)},
          {"hysteresis_us", "hyst", 9, time(&StageMedians::hysteresis)},
          {"output_us", "out", 9, time(&StageMedians::output)},
          {"download_us", "down", 9, time(&StageMedians::download)}};
}

std::vector<Cell> kernel_cells(const Row& row) {
  const auto& kernels = row.outcome.kernels;
  std::optional<double> alone, thr, row_thr;
  if (kernels) alone = kernels->alone, thr = kernels->thr;
  if (row.outcome.times) row_thr = row.outcome.times->thr;
  return {{"kernels_alone_us", "k alone", 9, fixed(alone, 2)},
          {"kernels_thr_us", "k thr", 9, fixed(thr, 2)},
          {"ratio_to_kernels", "/k thr", 6, fixed(ratio(row_thr, thr), 2)}};
}

std::optional<double> millions(std::optional<double> value) {
  if (!value) return {};
  return *value / 1e6;
}

std::vector<Cell> cost_cells(const KernelCost& kernel) {
  std::optional<double> alone, thr;
  if (kernel.times) alone = kernel.times->alone, thr = kernel.times->thr;
  return {{"kernel", "kernel", -28, kernel.name, true},
          {"function", nullptr, 0, kernel.function, true},
          {"alone_us", "alone", 9, fixed(alone, 2)},
          {"thr_us", "thr", 9, fixed(thr, 2)},
          {"instructions", nullptr, 0, fixed(kernel.instructions, 0)},
          {nullptr, "10^6 instr", 10, fixed(millions(kernel.instructions), 2)},
          {"issue_us", "issue", 9, fixed(kernel.issue_us, 2)},
          {"bytes", nullptr, 0, fixed(kernel.bytes, 0)},
          {nullptr, "MB", 9, fixed(millions(kernel.bytes), 2)},
          {"copy_us", "copy", 9, fixed(kernel.copy_us, 2)},
          {"ratio_to_floor", "/floor", 6, fixed(ratio(thr, kernel.floor_us()), 2)}};
}

std::vector<Cell> cells(const Row& row, const Columns& columns) {
  std::vector<Cell> all = frame_cells(row);
  if (columns.batch) all.push_back({"batch", "batch", 5, std::to_string(row.batch)});
  for (Cell& cell : run_cells(row)) all.push_back(std::move(cell));
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
  for (Cell& cell : stage_cells(row))
    if (columns.stages) all.push_back(std::move(cell));
  for (Cell& cell : kernel_cells(row))
    if (columns.kernels) all.push_back(std::move(cell));
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
  for (const Cell& cell : object)
    if (cell.key != nullptr) text += (text.empty() ? "{" : ", ") + json(cell);
  return text + "}";
}

std::string json(const Row& row, const Columns& columns) {
  std::string text = json(cells(row, columns));
  if (row.outcome.kernel_costs.empty()) return text;
  text.back() = ',';
  text += " \"subject\": " + quoted(subject(row)) + ", \"kernels\": [";
  const char* separator = "\n  ";
  for (const KernelCost& kernel : row.outcome.kernel_costs) {
    text += separator + json(cost_cells(kernel));
    separator = ",\n  ";
  }
  return text + "]}";
}

void print(const std::vector<Cell>& line, bool is_head) {
  for (const Cell& cell : line) {
    if (cell.title == nullptr) continue;
    print(is_head ? cell.title : cell.text.empty() ? "-" : cell.text.c_str(), cell.width);
  }
  std::printf("\n");
}

}  // namespace

std::string subject(const Row& row) {
  std::string text;
  for (const auto& some : {frame_cells(row), parameter_cells(row)})
    for (const Cell& cell : some) text += (text.empty() ? "" : " ") + cell.text;
  return text;
}

void Report::print_head() const {
  std::printf("%s", machine_.device.c_str());
  if (!machine_.driver.empty()) std::printf(", driver %s", machine_.driver.c_str());
  if (!machine_.runtime_cuda.empty())
    std::printf(" (CUDA %s), runtime CUDA %s", machine_.driver_cuda.c_str(),
                machine_.runtime_cuda.c_str());
  std::printf("; microseconds a frame; edge maps are GRAY8\n");
  Row row;
  row.outcome.times.emplace();
  print(cells(row, columns_), true);
}

void Report::add(const Row& row) {
  print(cells(row, columns_), false);
  if (columns_.stages && !row.outcome.kernel_costs.empty()) {
    print(cost_cells({}), true);
    for (const KernelCost& kernel : row.outcome.kernel_costs) print(cost_cells(kernel), false);
  }
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
    file << (i == 0 ? "\n" : ",\n") << json(rows_[i], columns_);
  file << "\n]\n}\n";
  file.close();
  return bool(file);
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes rows as text and as JSON.
#include "report.h"

#include <cstdio>
#include <fstream>
#include <iomanip>
#include <utility>

#include "check.h"

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

template <class Object>
std::optional<double> of(const std::optional<Object>& object, double Object::*member) {
  if (!object) return {};
  return (*object).*member;
}

/// The name of a picture's parameter.
template <class Enum>
std::string name_of(const Row& row, Enum canny::Params::*member) {
  return row.params ? canny::name((*row.params).*member) : "";
}

std::vector<Cell> frame_cells(const Row& row) {
  return {{"content", "content", -12, row.content, true},
          {"size", "size", -10, row.size, true},
          {"format", "format", -6, row.format, true},
          {"window", "window", -6, row.window ? "true" : "false"},
          {"norm", "norm", -4, name_of(row, &canny::Params::norm), true},
          {"sigma", "sigma", 5, fixed(of(row.params, &canny::Params::sigma), 2)},
          {"passes", "passes", 6, std::to_string(row.passes)}};
}

std::vector<Cell> run_cells(const Row& row) {
  return {{"backend", "backend", -7, row.backend, true},
          {"candidates_percent", "cand %", 6, fixed(row.candidates_percent, 2)},
          {"edges_percent", "edge %", 6, fixed(row.edges_percent, 2)}};
}

std::vector<Cell> parameter_cells(const Row& row) {
  using canny::Params;
  const unsigned min_length = row.params ? row.params->min_length : 0;
  const bool is_thick = row.params && !row.params->thin_edges;
  return {{"operator", "operator", -8, name_of(row, &Params::gradient_operator), true},
          {"color_mode", "color mode", -15, name_of(row, &Params::color_mode), true},
          {"luma_depth", "depth", -5, name_of(row, &Params::luma_depth), true},
          {"threshold_mode", "thresholds", -10, name_of(row, &Params::threshold_mode), true},
          {"min_length", "length", 6, std::to_string(min_length)},
          {"view", "view", -10, name_of(row, &Params::view), true},
          {"region", "region", -6, row.region, true},
          {"thick", "thick", -5, is_thick ? "true" : "false"}};
}

std::vector<Cell> time_cells(const Row& row) {
  const auto& times = row.outcome.times;
  const std::optional<double> thr = of(times, &Times::thr);
  // 1 pixel a microsecond is 1 Mpixel/s, and 1000 bytes a microsecond are 1 GB/s.
  return {{"ev_us", "ev", 9, fixed(of(times, &Times::ev), 2)},
          {"thr_us", "thr", 9, fixed(thr, 2)},
          {"wall_us", "wall", 9, fixed(of(times, &Times::wall), 2)},
          {"wall_in_flight_us", "wall N", 9, fixed(row.outcome.wall_in_flight, 2)},
          {"host_us", "host", 9, fixed(of(times, &Times::host), 2)},
          {"mpixels_per_s", "Mpix/s", 8, fixed(ratio(row.pixels, thr), 0)},
          {"gb_per_s", "GB/s", 7, fixed(ratio(row.bytes / 1000, thr), 1)},
          {"copy_us", "copy", 9, fixed(row.outcome.copy_us, 2)},
          {"ratio_to_copy", "/copy", 6, fixed(ratio(thr, row.outcome.copy_us), 2)},
          {"result", "result", -6, times ? "ok" : "WRONG", true},
          {"route", nullptr, 0, row.outcome.route, true}};
}

std::vector<Cell> stage_cells(const Row& row) {
  const auto& stages = row.outcome.stages;
  const auto time = [&](double StageMedians::*stage) { return fixed(of(stages, stage), 2); };
  return {{"upload_us", "up", 9, time(&StageMedians::upload)},
          {"front_us", "front", 9, time(&StageMedians::front)},
          {"hysteresis_us", "hyst", 9, time(&StageMedians::hysteresis)},
          {"output_us", "out", 9, time(&StageMedians::output)},
          {"download_us", "down", 9, time(&StageMedians::download)}};
}

std::vector<Cell> kernel_cells(const Row& row) {
  const auto& kernels = row.outcome.kernels;
  const std::optional<double> thr = of(kernels, &KernelTimes::thr);
  const std::optional<double> times = ratio(of(row.outcome.times, &Times::thr), thr);
  return {{"kernels_alone_us", "k alone", 9, fixed(of(kernels, &KernelTimes::alone), 2)},
          {"kernels_thr_us", "k thr", 9, fixed(thr, 2)},
          {"ratio_to_kernels", "/k thr", 6, fixed(times, 2)}};
}

std::vector<Cell> cost_cells(const KernelCost& kernel) {
  const std::optional<double> thr = of(kernel.times, &KernelTimes::thr);
  return {{"kernel", "kernel", -28, kernel.name, true},
          {"function", nullptr, 0, kernel.function, true},
          {"alone_us", "alone", 9, fixed(of(kernel.times, &KernelTimes::alone), 2)},
          {"thr_us", "thr", 9, fixed(thr, 2)},
          {"instructions", nullptr, 0, fixed(kernel.instructions, 0)},
          {nullptr, "10^6 instr", 10, fixed(ratio(kernel.instructions, 1e6), 2)},
          {"issue_us", "issue", 9, fixed(kernel.issue_us, 2)},
          {"bytes", nullptr, 0, fixed(kernel.bytes, 0)},
          {nullptr, "MB", 9, fixed(ratio(kernel.bytes, 1e6), 2)},
          {"copy_us", "copy", 9, fixed(kernel.copy_us, 2)},
          {"ratio_to_floor", "/floor", 6, fixed(ratio(thr, kernel.floor_us()), 2)}};
}

/// The time of something else for the same frame, and its ratio to thr.
std::vector<Cell> other_cells(const Row& row, const char* key, const char* title,
                              std::optional<double> other, const char* ratio_key,
                              const char* ratio_title) {
  const std::optional<double> times = ratio(other, of(row.outcome.times, &Times::thr));
  return {{key, title, 9, fixed(other, 2)}, {ratio_key, ratio_title, 10, fixed(times, 2)}};
}

std::vector<Cell> cells(const Row& row, const Columns& columns) {
  std::vector<Cell> all = frame_cells(row);
  const auto add = [&](bool is_wanted, const std::vector<Cell>& cells) {
    if (is_wanted) all.insert(all.end(), cells.begin(), cells.end());
  };
  const Outcome& outcome = row.outcome;
  add(columns.batch, {{"batch", "batch", 5, std::to_string(row.batch)}});
  add(true, run_cells(row));
  add(true, time_cells(row));
  add(columns.npp, other_cells(row, "npp_us", "NPP", outcome.npp_us, "ratio_of_npp", "NPP/thr"));
  add(columns.opencv,
      other_cells(row, "opencv_us", "OpenCV", outcome.opencv_us, "ratio_of_opencv", "OpenCV/thr"));
  add(columns.alone,
      other_cells(row, "alone_us", "alone", outcome.alone_us, "speedup", "alone/thr"));
  add(columns.stages, stage_cells(row));
  add(columns.kernels, kernel_cells(row));
  add(columns.parameters, parameter_cells(row));
  return all;
}

void print(const char* text, int width) { std::printf("%*s ", width, text); }

/// Begins a JSON object, which a brace must end.
void write(const std::vector<Cell>& object, std::ostream& file) {
  const char* separator = "{";
  for (const Cell& cell : object) {
    if (cell.key == nullptr) continue;
    file << separator << std::quoted(cell.key) << ": ";
    separator = ", ";
    if (cell.text.empty())
      file << "null";
    else if (cell.is_string)
      file << std::quoted(cell.text);
    else
      file << cell.text;
  }
}

void write(const Row& row, const Columns& columns, std::ostream& file) {
  write(cells(row, columns), file);
  if (!row.outcome.kernel_costs.empty()) {
    file << ", \"subject\": " << std::quoted(subject(row)) << ", \"kernels\": [";
    const char* separator = "\n  ";
    for (const KernelCost& kernel : row.outcome.kernel_costs) {
      file << separator;
      write(cost_cells(kernel), file);
      separator = "},\n  ";
    }
    file << "}]";
  }
  file << "}";
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

void Report::save() const {
  if (json_path_.empty()) return;
  std::ofstream file(json_path_);
  file << "{\n\"header\": ";
  write({{"device", nullptr, 0, machine_.device, true},
         {"driver_version", nullptr, 0, machine_.driver, true},
         {"driver_cuda_version", nullptr, 0, machine_.driver_cuda, true},
         {"runtime_version", nullptr, 0, machine_.runtime_cuda, true}},
        file);
  file << "},\n\"rows\": [";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    file << (i == 0 ? "\n" : ",\n");
    write(rows_[i], columns_, file);
  }
  file << "\n]\n}\n";
  file.close();
  if (!file) fail("can't write " + json_path_, 2);
}

}  // namespace bench

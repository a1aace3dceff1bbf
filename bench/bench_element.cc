// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the element in pipelines that do nothing else, and compares its times with those of the
// bus, of the decoder and of the detector alone. Compares some outputs with the reference.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "check.h"
#include "element_rows.h"

namespace {

using bench::Line;
using bench::Lines;
using bench::Setup;

struct Row {
  const char* name;
  bool on_cuda;
  Lines (*time)(Setup& setup);
  const char* help;
};

constexpr Row kRows[] = {
    {"rgb-4k", true, bench::time_rgb_4k,
     "3840x2160 RGB in the pool that the element proposes, GRAY8 out; percent of the rate of "
     "uploads alone"},
    {"nv12-4k", true, bench::time_nv12_4k,
     "the same with NV12; percent of the rate of luma uploads and downloads at once"},
    {"rgb-1080p", true, bench::time_rgb_1080p,
     "1920x1080 RGB; percent of the rates of uploads and downloads at once, and of uploads alone"},
    {"rgb-4k-pageable", true, bench::time_rgb_4k_pageable,
     "3840x2160 RGB in ordinary memory; percent of the rate of uploads alone, from "
     "page-locked memory"},
    {"cuda", true, bench::time_cuda,
     "1920x1080 and 3840x2160 NV12 in CUDA memory in and out, from buffers that are filled once"},
    {"streams", true, bench::time_streams,
     "1920x1080 NV12 in and out, in CUDA memory and in the pools that the elements propose, "
     "through "
     "1, 2, 4 ... 32 pipelines at the same time; a frame of any of them counts"},
    {"video", true, bench::time_videos,
     "each --video, decoded by nvh264dec, NV12 in CUDA memory in and out; percent of the decoder's "
     "frames/s without the element, medians of turns"},
    {"file", false, bench::time_files,
     "filesrc ! decodebin ! cudacanny ! fakesink on the CPU: each --video, else an H.264 film of "
     "3840x2160 that an encoder of GStreamer makes; percent of the frames/s of the decoder alone, "
     "and with videobalance in the element's place, medians of turns"},
    {"picture", false, bench::time_picture,
     "filesrc ! decodebin ! imagefreeze ! cudacanny ! fakesink on the CPU: a PNG file of 3840x2160 "
     "RGB; percent of the frames/s with videobalance in the element's place, medians of turns"},
    {"latency", true, bench::time_latency,
     "one 1920x1080 RGB frame at a time, frames-in-flight=1: time from the push into the element "
     "until its output arrives downstream"},
    {"latency-cuda", true, bench::time_latency_cuda,
     "the same with NV12 and with RGBA in CUDA memory in and out, and with NV12 of 3840x2160; "
     "until the output has arrived and the device has finished it"},
    {"cpu-overhead", false, bench::time_cpu_overhead,
     "1920x1080 RGB on the CPU, one thread, frames-in-flight=1: extra time of a frame in the "
     "pipeline over a call of Detector::detect(); the two take turns; median of the turns"},
};

/// The command line.
struct Options {
  std::vector<Row> rows{std::begin(kRows), std::end(kRows)};
  std::string json_path;
  Setup setup;
};

constexpr char kUsage[] = R"(usage: bench_element [OPTION]...

Times cudacanny, found through GST_PLUGIN_PATH, in pipelines that do nothing else. The exit status is
1 if a row fails or an edge map differs from the reference, and 2 after a wrong argument.

  --rows LIST             rows to time, separated by commas (all)
  --seconds S             length of each timing (3)
  --video FILE            an H.264 file for the rows video and file; may be repeated
  --film-size WIDTHxHEIGHT
                          size of the film and the picture of the rows file and picture (3840x2160)
  --frames-in-flight N    for rows that do not set it (0, the element's default)
  --tiles FOLDER          tiles made by tests/pictures/tiles (without, drawn shapes)
  --json FILE             also write the rows to FILE
  --help

The bus is measured in the same run, with copies from and to page-locked memory, back to back.
Columns: us, microseconds a frame; other us, the time that it is compared with. Some outputs are
compared with the reference after each run.

Rows:
)";

int print_help() {
  std::fputs(kUsage, stdout);
  for (const Row& row : kRows) std::printf("  %s: %s\n", row.name, row.help);
  return 0;
}

std::vector<Row> choose(const std::string& list) {
  std::vector<Row> rows;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = std::find_if(std::begin(kRows), std::end(kRows),
                                    [&](const Row& row) { return row.name == name; });
    if (found == std::end(kRows)) bench::refuse(name, "is not a row; --help lists them");
    rows.push_back(*found);
  }
  return rows;
}

/// Rows of RGB must have no gaps, and the chroma of I420 two rows each.
bench::Size read_size(const std::string& text) {
  bench::Size size = {};
  int length = 0;
  const auto fits = [](int side) { return side >= 64 && side <= 8192 && side % 4 == 0; };
  if (std::sscanf(text.c_str(), "%4dx%4d%n", &size.width, &size.height, &length) == 2 &&
      text[length] == '\0' && fits(size.width) && fits(size.height))
    return size;
  bench::refuse(text, "is not WIDTHxHEIGHT, each a multiple of 4 from 64 to 8192");
}

Options read_options(int argc, char** argv) {
  Options options;
  Setup& setup = options.setup;
  bool help = false;
  bench::read_options(
      argc, argv,
      {{"--rows", [&](const std::string& text) { options.rows = choose(text); }},
       {"--seconds", bench::store(&setup.seconds, 0.1, 3600)},
       {"--video", [&](const std::string& text) { setup.videos.push_back(text); }},
       {"--film-size", [&](const std::string& text) { setup.film_size = read_size(text); }},
       {"--frames-in-flight", bench::store(&setup.frames_in_flight, 0, canny::kMaxFramesInFlight)},
       {"--tiles", [&](const std::string& text) { setup.tiles = pictures::read_tiles(text); }},
       {"--json", bench::store(&options.json_path)}},
      {{"--help", &help}});
  if (help) std::exit(print_help());
  return options;
}

/// Returns why the element can't run on CUDA; empty if it can. Sets the name of the device.
std::string no_cuda_reason(std::string* device) {
  bench::Pipeline pipeline("cudacanny name=canny backend=cuda ! fakesink");
  const GstStateChangeReturn change = gst_element_set_state(pipeline.get(), GST_STATE_PAUSED);
  const std::string reason = pipeline.stat_text("reason");
  *device = change != GST_STATE_CHANGE_FAILURE ? pipeline.stat_text("device") : "CPU";
  if (change != GST_STATE_CHANGE_FAILURE) std::printf("cuda: %s\n", device->c_str());
  return change == GST_STATE_CHANGE_FAILURE ? reason : "";
}

std::string cell(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return value == 0 ? "-" : text;
}

void print_head() {
  std::printf("%-18s %9s %9s %9s %8s %8s  %s\n", "row", "frames/s", "us", "other us", "percent",
              "compared", "percent is");
}

/// Prints a line. Returns whether its outputs were compared and right.
bool print(const Line& line) {
  std::printf("%-18s %9.1f %9.1f %9s %8s %8d  %s\n", line.name.c_str(), 1e6 / line.us, line.us,
              cell(line.other_us, 1).c_str(), cell(line.percent, 2).c_str(), line.outputs.compared,
              line.remark.c_str());
  if (line.outputs.wrong > 0)
    std::printf("%-18s FAILED: %d outputs differ from the reference\n", line.name.c_str(),
                line.outputs.wrong);
  if (line.outputs.compared == 0)
    std::printf("%-18s FAILED: no output was compared\n", line.name.c_str());
  std::fflush(stdout);
  return line.outputs.wrong == 0 && line.outputs.compared > 0;
}

void print_not_run(const Row& row, const std::string& reason) {
  std::printf("%-18s not run: %s\n", row.name, reason.c_str());
}

/// Returns a number in JSON; a line without it has 0.
std::string number(double value) { return value == 0 ? "null" : cell(value, 2); }

/// Writes lines as JSON, unless the path is empty.
void save(const Lines& lines, const std::string& device, const std::string& path) {
  if (path.empty()) return;
  g_autofree gchar* version = gst_version_string();
  std::ofstream file(path);
  file << "{\n\"header\": {\"device\": " << std::quoted(device)
       << ", \"gstreamer\": " << std::quoted(version) << "},\n\"rows\": [";
  const char* separator = "\n";
  for (const Line& line : lines) {
    file << separator << "{\"row\": " << std::quoted(line.name)
         << ", \"frames_per_s\": " << number(1e6 / line.us) << ", \"us\": " << number(line.us)
         << ", \"other_us\": " << number(line.other_us) << ", \"percent\": " << number(line.percent)
         << ", \"remark\": " << std::quoted(line.remark) << "}";
    separator = ",\n";
  }
  file << "\n]\n}\n";
  file.close();
  if (!file) bench::fail("can't write " + path);
}

/// Runs a row and adds its lines. Returns false if it failed.
bool run(const Row& row, const std::string& no_cuda, Options* options, Lines* lines) {
  if (row.time == bench::time_videos && options->setup.videos.empty()) {
    print_not_run(row, "no --video");
    return true;
  }
  try {
    if (row.on_cuda && !no_cuda.empty()) throw bench::NotRun("no CUDA: " + no_cuda);
    bool right = true;
    for (const Line& line : row.time(options->setup)) {
      right &= print(line);
      lines->push_back(line);
    }
    return right;
  } catch (const bench::NotRun& reason) {
    print_not_run(row, reason.what());
    return true;
  } catch (const bench::Failure& failure) {
    std::printf("%-18s FAILED: %s\n", row.name, failure.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  Options options = read_options(argc, argv);
  gst_init(nullptr, nullptr);
  std::string device;
  const std::string no_cuda = no_cuda_reason(&device);
  print_head();
  bool right = true;
  Lines lines;
  for (const Row& row : options.rows) right &= run(row, no_cuda, &options, &lines);
  save(lines, device, options.json_path);
  return right ? 0 : 1;
} catch (const std::invalid_argument& wrong) {
  bench::fail(wrong.what(), 2);
} catch (const bench::Failure& failure) {
  bench::fail(failure.what());
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the element in pipelines that do nothing else, and compares its times with those of the
// bus, of the decoder and of the detector alone. Compares some outputs with the reference.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

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
  std::vector<Row> rows;
  bool require_cuda = false;
  std::string json_path;
  Setup setup;
};

int fail(const std::string& error, int status) {
  std::fprintf(stderr, "bench_element: %s\n", error.c_str());
  return status;
}

std::string describe_rows() {
  std::string text =
      "Times cudacanny, found through GST_PLUGIN_PATH, in pipelines that do nothing else.\n"
      "The exit status is 1 if a row fails or an edge map differs from the reference, and 2 after\n"
      "a wrong argument.\n\nRows:\n";
  for (const Row& row : kRows) text += std::string("  ") + row.name + ": " + row.help + "\n";
  return text +
         "\nThe bus is measured in the same run, with copies from and to page-locked memory,\n"
         "back to back.\n"
         "Columns: us, microseconds a frame; other us, the time that it is compared with.\n"
         "One output in 100 is compared with the reference, in a thread of its own.";
}

/// Returns the rows of a list, or all rows for null. Returns none and sets `*error` if a name is
/// unknown.
std::vector<Row> choose(const char* list, std::string* error) {
  if (list == nullptr) return {std::begin(kRows), std::end(kRows)};
  std::vector<Row> rows;
  g_auto(GStrv) names = g_strsplit(list, ",", -1);
  for (gchar** name = names; *name != nullptr; ++name) {
    const auto found = std::find_if(std::begin(kRows), std::end(kRows),
                                    [&](const Row& row) { return std::string(row.name) == *name; });
    if (found == std::end(kRows)) {
      *error = "--rows: \"" + std::string(*name) + "\" is not a row; --help lists them";
      return {};
    }
    rows.push_back(*found);
  }
  return rows;
}

/// The variables that GOption fills in.
struct Arguments {
  gchar* rows = nullptr;
  gdouble seconds = 3;
  gchar** videos = nullptr;
  gint frames_in_flight = 0;
  gchar* film_size = nullptr;
  gboolean require_cuda = FALSE;
  gchar* tiles = nullptr;
  gchar* json = nullptr;

  ~Arguments() {
    g_free(rows);
    g_strfreev(videos);
    g_free(film_size);
    g_free(tiles);
    g_free(json);
  }
};

/// Exits after --help. After a failure `*error` is one line.
void parse(int argc, char** argv, Arguments* arguments, std::string* error) {
  const GOptionEntry entries[] = {
      {"rows", 0, 0, G_OPTION_ARG_STRING, &arguments->rows,
       "rows to time, separated by commas (all)", "LIST"},
      {"seconds", 0, 0, G_OPTION_ARG_DOUBLE, &arguments->seconds, "length of each timing (3)", "S"},
      {"video", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments->videos,
       "an H.264 file for the rows video and file; may be repeated", "FILE"},
      {"film-size", 0, 0, G_OPTION_ARG_STRING, &arguments->film_size,
       "size of the film and the picture of the rows file and picture (3840x2160)", "WIDTHxHEIGHT"},
      {"frames-in-flight", 0, 0, G_OPTION_ARG_INT, &arguments->frames_in_flight,
       "for rows that do not set it (0, the element's default)", "N"},
      {"require-cuda", 0, 0, G_OPTION_ARG_NONE, &arguments->require_cuda,
       "fail if a row can't run for lack of CUDA", nullptr},
      {"tiles", 0, 0, G_OPTION_ARG_FILENAME, &arguments->tiles,
       "tiles made by tests/pictures/tiles (without, drawn shapes)", "FOLDER"},
      {"json", 0, 0, G_OPTION_ARG_FILENAME, &arguments->json, "also write the rows to FILE",
       "FILE"},
      {}};
  g_autoptr(GOptionContext) context = g_option_context_new(nullptr);
  g_option_context_set_summary(context, describe_rows().c_str());
  g_option_context_add_main_entries(context, entries, nullptr);
  g_autoptr(GError) wrong = nullptr;
  if (!g_option_context_parse(context, &argc, &argv, &wrong)) *error = wrong->message;
  if (error->empty() && argc > 1) *error = std::string(argv[1]) + ": unknown argument";
}

/// Reads WIDTHxHEIGHT. Rows of RGB must have no gaps, and the chroma of I420 two rows each.
bool read_size(const char* text, bench::Size* size) {
  int length = 0;
  const auto fits = [](int side) { return side >= 64 && side <= 8192 && side % 4 == 0; };
  return std::sscanf(text, "%4dx%4d%n", &size->width, &size->height, &length) == 2 &&
         text[length] == '\0' && fits(size->width) && fits(size->height);
}

Options read_options(int argc, char** argv, std::string* error) {
  Arguments arguments;
  Options options;
  parse(argc, argv, &arguments, error);
  if (!error->empty()) return options;
  if (!(arguments.seconds > 0 && arguments.seconds <= 3600))
    *error = "--seconds: must be above 0 and at most 3600";
  if (arguments.frames_in_flight < 0) *error = "--frames-in-flight: must not be negative";
  if (arguments.film_size != nullptr && !read_size(arguments.film_size, &options.setup.film_size))
    *error = "--film-size: must be WIDTHxHEIGHT, each a multiple of 4 from 64 to 8192";
  options.rows = choose(arguments.rows, error);
  options.require_cuda = arguments.require_cuda;
  options.setup.seconds = arguments.seconds;
  options.setup.frames_in_flight = static_cast<unsigned>(arguments.frames_in_flight);
  for (gchar** video = arguments.videos; video != nullptr && *video != nullptr; ++video)
    options.setup.videos.emplace_back(*video);
  if (arguments.json != nullptr) options.json_path = arguments.json;
  if (arguments.tiles != nullptr)
    options.setup.tiles = pictures::read_tiles(arguments.tiles);
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
              cell(line.other_us, 1).c_str(), cell(line.percent, 2).c_str(), line.compared,
              line.remark.c_str());
  if (line.wrong > 0)
    std::printf("%-18s FAILED: %d outputs differ from the reference\n", line.name.c_str(),
                line.wrong);
  if (line.compared == 0) std::printf("%-18s FAILED: no output was compared\n", line.name.c_str());
  std::fflush(stdout);
  return line.wrong == 0 && line.compared > 0;
}

void print_not_run(const Row& row, const std::string& reason) {
  std::printf("%-18s not run: %s\n", row.name, reason.c_str());
}

/// Returns a number in JSON; a line without it has 0.
std::string number(double value) { return value == 0 ? "null" : cell(value, 2); }

std::string quoted(const std::string& text) {
  std::ostringstream stream;
  stream << std::quoted(text);
  return stream.str();
}

std::string json(const Line& line) {
  return "{\"row\": " + quoted(line.name) + ", \"frames_per_s\": " + number(1e6 / line.us) +
         ", \"us\": " + number(line.us) + ", \"other_us\": " + number(line.other_us) +
         ", \"percent\": " + number(line.percent) + ", \"remark\": " + quoted(line.remark) + "}";
}

/// Writes lines as JSON, unless the path is empty. Returns whether that worked.
bool save(const Lines& lines, const std::string& device, const std::string& path) {
  if (path.empty()) return true;
  g_autofree gchar* version = gst_version_string();
  std::ofstream file(path);
  file << "{\n\"header\": {\"device\": " << quoted(device) << ", \"gstreamer\": " << quoted(version)
       << "},\n\"rows\": [";
  for (std::size_t i = 0; i < lines.size(); ++i) file << (i == 0 ? "\n" : ",\n") << json(lines[i]);
  file << "\n]\n}\n";
  file.close();
  return bool(file);
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
    return !row.on_cuda || !options->require_cuda;
  } catch (const bench::Failure& failure) {
    std::printf("%-18s FAILED: %s\n", row.name, failure.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string error;
  Options options = read_options(argc, argv, &error);
  if (!error.empty()) return fail(error, 2);
  gst_init(nullptr, nullptr);
  std::string no_cuda, device;
  try {
    no_cuda = no_cuda_reason(&device);
  } catch (const bench::Failure& failure) {
    return fail(failure.what(), 1);
  }
  print_head();
  bool right = true;
  Lines lines;
  for (const Row& row : options.rows) right &= run(row, no_cuda, &options, &lines);
  if (!save(lines, device, options.json_path)) return fail("can't write " + options.json_path, 1);
  return right ? 0 : 1;
}

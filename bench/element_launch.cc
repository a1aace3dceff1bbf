// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the launch lines that a new user types, on the CPU: a file through decodebin.
#include <string>
#include <vector>

#include "element_film.h"
#include "element_video_checks.h"

namespace bench {
namespace {

constexpr const char* kSink = "fakesink name=sink sync=false enable-last-sample=false";

// With these settings videobalance changes every pixel.
constexpr const char* kBalance = "videobalance saturation=0 ! ";
constexpr const char* kCanny = "cudacanny name=canny ! ";

/// Times of the element, of what comes before it alone, and of videobalance in its place.
struct LaunchTurns {
  std::vector<double> canny, alone, balance;
  Comparison outputs;
  std::string format;
};

double time_line(const Setup& setup, const std::string& line) {
  Pipeline pipeline(line + kSink);
  return time_video(setup, pipeline);
}

/// Times `source` with each of the elements, one after the other in each round.
void time_turns(const Setup& setup, const std::string& source, LaunchTurns* turns) {
  const int rounds = setup.seconds < 1 ? 1 : 5;
  for (int i = 0; i < rounds; ++i) {
    turns->alone.push_back(time_line(setup, source));
    turns->balance.push_back(time_line(setup, source + kBalance));
    Pipeline pipeline(source + kCanny + kSink);
    pipeline.set({"cpu", setup.frames_in_flight});
    VideoChecks pairs(pipeline);
    turns->canny.push_back(time_video(setup, pipeline));
    pairs.compare(&turns->outputs);
    turns->format = pairs.input_format();
  }
}

Line compare(const char* name, const LaunchTurns& turns, const std::vector<double>& other,
             const std::string& remark) {
  Line line{name, median(turns.canny), median(other),
            0,    turns.outputs,       "of " + remark + "; " + turns.format};
  std::vector<double> percents;
  for (std::size_t i = 0; i < other.size(); ++i)
    percents.push_back(100 * other[i] / turns.canny[i]);
  line.percent = median(percents);
  return line;
}

void require_decoders() {
  if (!has_element("openh264dec")) require_element("avdec_h264", "gstreamer1.0-libav");
  require_element("h264parse", "gstreamer1.0-plugins-bad");
  require_element("videobalance", "gstreamer1.0-plugins-good");
}

void add_file(const Setup& setup, const std::string& file, const std::string& remark,
              Lines* lines) {
  LaunchTurns turns;
  time_turns(setup, describe_source(file) + " ! decodebin force-sw-decoders=true ! ", &turns);
  lines->push_back(compare("file", turns, turns.alone, "the decoder alone; " + remark));
  lines->push_back(compare("file", turns, turns.balance, "videobalance in its place; " + remark));
}

}  // namespace

Lines time_files(Setup& setup) {
  require_decoders();
  Lines lines;
  for (const std::string& file : setup.videos) add_file(setup, file, file, &lines);
  if (!setup.videos.empty()) return lines;
  const Folder folder;
  const Film film = make_film(setup, folder);
  add_file(setup, film.path, film.encoder + ", " + std::to_string(film.megabits) + " Mbit/s",
           &lines);
  return lines;
}

Lines time_picture(Setup& setup) {
  require_element("imagefreeze", "gstreamer1.0-plugins-good");
  require_element("videobalance", "gstreamer1.0-plugins-good");
  const Folder folder;
  LaunchTurns turns;
  time_turns(setup, describe_source(make_picture(setup, folder)) + " ! decodebin ! imagefreeze ! ",
             &turns);
  return {compare("picture", turns, turns.balance, "videobalance in its place")};
}

}  // namespace bench

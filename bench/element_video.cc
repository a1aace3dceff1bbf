// SPDX-License-Identifier: LGPL-2.1-or-later
// Times videos that are decoded on a CUDA device.
#include "element_rows.h"
#include "element_video_checks.h"

namespace bench {
namespace {

/// Describes the pipeline of a video file: decoded to CUDA memory and, if `with_element`, passed
/// through the element.
std::string describe(const std::string& file, bool with_element) {
  const std::string caps = caps_of(Place::kCuda, "NV12");
  return describe_source(file) + " ! parsebin ! h264parse ! nvh264dec ! " + caps + " ! queue ! " +
         (with_element ? "cudacanny name=canny ! " + caps + " ! " : "") +
         "fakesink name=sink sync=false enable-last-sample=false";
}

/// The element's copies over the bus.
struct Copies {
  guint64 up = 0, down = 0;
};

double time_video_with_element(const Setup& setup, const std::string& file, Comparison* outputs,
                               Copies* copies) {
  Pipeline pipeline(describe(file, true));
  pipeline.set({"cuda", setup.frames_in_flight});
  VideoChecks pairs(pipeline);
  const double us = time_video(setup, pipeline);
  pairs.compare(outputs);
  copies->up += pipeline.stat("uploads");
  copies->down += pipeline.stat("downloads");
  return us;
}

Line time_video_file(const Setup& setup, const std::string& file) {
  constexpr int kRounds = 5;
  std::vector<double> with, without;
  Line line;
  Copies copies;
  for (int i = 0; i < kRounds; ++i) {
    Pipeline decoder(describe(file, false));
    without.push_back(time_video(setup, decoder));
    with.push_back(time_video_with_element(setup, file, &line.outputs, &copies));
  }
  line.name = "video";
  line.us = median(with);
  line.other_us = median(without);
  line.percent = 100 * line.other_us / line.us;
  line.remark = "of the decoder alone; uploads " + std::to_string(copies.up) + ", downloads " +
                std::to_string(copies.down) + "; " + file;
  if (copies.up + copies.down > 0) throw Failure("the element copied frames: " + line.remark);
  return line;
}

}  // namespace

double time_video(const Setup& setup, Pipeline& pipeline) {
  Meter meter(0, setup.seconds, [&] { pipeline.stop(); });
  pipeline.on_buffer("sink", "sink", [&](GstBuffer*) { meter.frame(); });
  pipeline.run(limit(setup));
  return meter.microseconds();
}

Lines time_videos(Setup& setup) {
  Lines lines;
  for (const std::string& file : setup.videos) lines.push_back(time_video_file(setup, file));
  return lines;
}

}  // namespace bench

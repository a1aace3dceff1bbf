// SPDX-License-Identifier: LGPL-2.1-or-later
/// Frames that a decoder leaves in CUDA memory.
#include <string>

#include "cudapictures.h"

using check::Pipeline;
using check::Watch;

static check::Suite suite("cudadecoder");

static constexpr int kFrames = 24;  // of pinwheel.h264

/// A path from the decoder to the sink.
struct Way {
  const char* between;  ///< between the decoder and cudacanny
  const char* caps;     ///< after cudacanny
  int in_flight;        ///< 0 = the element's choice
  int downloads;
};

static const Way kWays[] = {
    {"", "video/x-raw(memory:CUDAMemory),format=NV12", 0, 0},
    {"", "video/x-raw(memory:CUDAMemory),format=NV12", 1, 0},
    {"", "video/x-raw(memory:CUDAMemory),format=RGBA", 8, 0},
    {"", "video/x-raw,format=GRAY8", 0, kFrames},
    {"", "video/x-raw,format=GRAY8", 1, kFrames},
    {"queue ! ", "video/x-raw(memory:CUDAMemory),format=NV12", 0, 0},
    {"queue ! ", "video/x-raw,format=GRAY8", 3, kFrames},
};

static std::string line_of(const Way& way) {
  return std::string(
             "giosrc location=resource:///cudacanny/check/pinwheel.h264 ! h264parse ! nvh264dec "
             "! ") +
         way.between +
         "cudacanny name=canny backend=cuda frames-in-flight=" + std::to_string(way.in_flight) +
         " ! " + way.caps + " ! fakesink sync=false";
}

/// Checks a count in "stats". Returns an error, empty if there is none.
static std::string count_difference(GstElement* element, const char* field, int count) {
  const guint64 got = check::stats_number(element, field);
  if (got == guint64(count)) return "";
  return std::string("stats: ") + field + " is " + std::to_string(got) + ", expected " +
         std::to_string(count);
}

/// All frames that leave are the edges of the frames that enter, and no frame is copied needlessly.
static std::string difference(const Way& way) {
  Pipeline pipeline(line_of(way));
  GstElement* canny = pipeline["canny"];
  const Watch watch(canny);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  std::string problem = pipeline.wait_for_end();
  if (problem.empty()) problem = count_difference(canny, "frames", kFrames);
  if (problem.empty()) problem = count_difference(canny, "uploads", 0);
  if (problem.empty()) problem = count_difference(canny, "downloads", way.downloads);
  if (problem.empty() && watch.frames() != kFrames) {
    problem = std::to_string(watch.frames()) + " frames leave";
  }
  return problem.empty() ? watch.difference() : problem;
}

LOOP_TEST(frames_of_a_decoder, std::size(kWays)) {
  if (check::skip_without("frames_of_a_decoder", "nvh264dec")) return;
  const Way& way = kWays[__i__];
  const std::string differs = difference(way);
  fail_unless(differs.empty(), "%s: %s", line_of(way).c_str(), differs.c_str());
}

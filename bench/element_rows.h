// SPDX-License-Identifier: LGPL-2.1-or-later
// The measurements of the element.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "element_pictures.h"
#include "element_pipeline.h"
#include "options.h"

namespace bench {

/// A line of the table: the element's time for a frame, and the time that it is compared with.
struct Line {
  std::string name;
  double us = 0;  ///< microseconds a frame
  double other_us = 0;
  double percent = 0;
  Comparison outputs;
  std::string remark;
};
using Lines = std::vector<Line>;

/// Settings and pictures that the rows share.
class Setup {
 public:
  double seconds = 3;  ///< of each timing
  unsigned frames_in_flight = 0;
  std::vector<std::string> videos;
  pictures::Tiles tiles;
  Size film_size{3840, 2160};  ///< of the film and the picture that the rows make

  /// Paints the pictures on first use.
  const Pictures& pictures(Size size);

 private:
  std::map<int, Pictures> pictures_;  // by width
};

// These functions throw Failure or NotRun.

Lines time_rgb_4k(Setup& setup);
Lines time_nv12_4k(Setup& setup);
Lines time_rgb_1080p(Setup& setup);
Lines time_rgb_4k_pageable(Setup& setup);
Lines time_videos(Setup& setup);
Lines time_latency(Setup& setup);
Lines time_latency_cuda(Setup& setup);
Lines time_cuda(Setup& setup);
Lines time_streams(Setup& setup);
Lines time_cpu_overhead(Setup& setup);
Lines time_files(Setup& setup);
Lines time_picture(Setup& setup);

/// Where a stream's frames are.
enum class Place {
  kOffered,  ///< in the pool that the element proposes
  kOwn,      ///< in ordinary memory
  kCuda,     ///< in CUDA memory, the output too
};

/// The frames that go through the element.
struct Stream {
  const Pictures& pictures;
  const char* input;   ///< format
  const char* output;  ///< format
  Place place;
};

/// Returns caps with this format, in text.
std::string caps_of(Place place, const char* format);

Ref<GstCaps> input_caps(const Stream& stream);

/// Makes a pipeline that pushes the stream through the element.
std::unique_ptr<Pipeline> new_pipeline(const Stream& stream, Buffers buffers,
                                       const ElementSettings& settings);
/// Returns the buffers for new_pipeline().
Buffers input_buffers(const Stream& stream);

/// Some outputs of a stream. They are compared after the run, since comparing them, or copying them
/// from a device, would hold it up.
class KeptOutputs {
 public:
  KeptOutputs(const Stream& stream, const Pipeline& pipeline)
      : stream_(stream), pipeline_(pipeline) {}

  /// Keeps outputs 0, 100, 300, 700 and so on.
  void take(GstBuffer* output);
  void compare(Comparison* comparison) const;

 private:
  const Stream& stream_;
  const Pipeline& pipeline_;
  GstVideoInfo info_;
  guint64 seen_ = 0, next_ = 0;
  Buffers kept_;
};

/// Returns the microseconds a frame of one run that ends at the element named sink, timed for at
/// most setup.seconds.
double time_video(const Setup& setup, Pipeline& pipeline);

/// Returns how many seconds a run may take, including its start and end.
double limit(const Setup& setup);

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// What is measured of the element.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "element_pictures.h"
#include "element_pipeline.h"
#include "options.h"

namespace bench {

/// A line of the table: what the element takes for a frame, and what that is compared with.
struct Line {
  std::string name;
  double us = 0;  ///< microseconds a frame
  double other_us = 0;
  double percent = 0;
  int compared = 0;  ///< outputs that were compared with the reference
  int wrong = 0;     ///< of them
  std::string remark;
};
using Lines = std::vector<Line>;

/// What the rows share.
class Setup {
 public:
  double seconds = 3;  ///< of each timing
  unsigned frames_in_flight = 0;
  std::vector<std::string> videos;
  pictures::Tiles tiles;

  /// Painted when they are first asked for.
  const Pictures& pictures(Size size);

 private:
  std::map<int, Pictures> pictures_;  // by width
};

// A failure is thrown: Failure or NotRun.

Lines time_rgb_4k(Setup& setup);
Lines time_nv12_4k(Setup& setup);
Lines time_rgb_1080p(Setup& setup);
Lines time_rgb_4k_pageable(Setup& setup);
Lines time_videos(Setup& setup);
Lines time_latency(Setup& setup);
Lines time_latency_cuda(Setup& setup);
Lines time_cuda(Setup& setup);
Lines time_cpu_overhead(Setup& setup);

/// Where a stream's frames are.
enum class Place {
  kOffered,  ///< in the pool that the element proposes
  kOwn,      ///< in ordinary memory
  kCuda,     ///< in CUDA memory, the output too
};

/// What goes through the element.
struct Stream {
  const Pictures& pictures;
  const char* input;   ///< format
  const char* output;  ///< format
  Place place;
};

Ref<GstCaps> input_caps(const Stream& stream);

/// A pipeline that pushes the stream through the element.
std::unique_ptr<Pipeline> new_pipeline(const Stream& stream, Buffers buffers,
                                       const ElementSettings& settings);
/// The buffers for that.
Buffers input_buffers(const Stream& stream);

/// Compares the output if it is its turn.
void check_output(const Stream& stream, const Pipeline& pipeline, GstBuffer* output,
                  Checks* checks);

/// How long a run may take: that of the timing, and what starts and ends it.
double limit(const Setup& setup);

}  // namespace bench

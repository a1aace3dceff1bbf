// SPDX-License-Identifier: LGPL-2.1-or-later
// Times pipelines that read a file, and compares some of their outputs.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "element_rows.h"

namespace bench {

/// Returns "filesrc location=..." for a description of a pipeline.
std::string describe_source(const std::string& file);

/// Keeps some inputs and outputs of the element named canny. They are compared after the run, since
/// comparing them, or copying them from a device, would hold up the decoder.
class VideoChecks {
 public:
  explicit VideoChecks(Pipeline& pipeline);

  void compare(Checks* checks);
  /// Returns the format of the input; none if no frame came.
  std::string input_format() const;

 private:
  struct Pair {
    Ref<GstBuffer> input, output;
  };

  void take(GstBuffer* input);
  void pair(GstBuffer* output);

  Pipeline& pipeline_;
  std::mutex mutex_;
  GstVideoInfo in_, out_;
  int seen_ = 0;
  Ref<GstBuffer> input_;  // waits for its output
  std::vector<Pair> pairs_;
};

/// Returns the microseconds a frame of one run that ends at the element named sink, timed for at
/// most setup.seconds.
double time_video(const Setup& setup, Pipeline& pipeline);

}  // namespace bench

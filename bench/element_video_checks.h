// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares some outputs of a pipeline whose inputs are not known before.
#pragma once

#include <gst/video/video.h>

#include <mutex>
#include <string>
#include <vector>

#include "element_pipeline.h"

namespace bench {

/// Keeps some inputs and outputs of the element named canny. They are compared after the run, since
/// comparing them, or copying them from a device, would hold up the decoder.
class VideoChecks {
 public:
  explicit VideoChecks(Pipeline& pipeline);

  void compare(Comparison* comparison);
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

}  // namespace bench

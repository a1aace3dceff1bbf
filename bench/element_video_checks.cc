// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps pairs of inputs and outputs, and compares them with the reference.
#include "element_video_checks.h"

#include <utility>

#include "element_pictures.h"

namespace bench {

VideoChecks::VideoChecks(Pipeline& pipeline) : pipeline_(pipeline) {
  pipeline.on_buffer("canny", "sink", [this](GstBuffer* input) { take(input); });
  pipeline.on_buffer("canny", "src", [this](GstBuffer* output) { pair(output); });
}

void VideoChecks::compare(Comparison* comparison) {
  for (const Pair& kept : pairs_)
    comparison->add(holds_edges_of(kept.input.get(), in_, kept.output.get(), out_));
}

std::string VideoChecks::input_format() const {
  return pairs_.empty() ? "none" : gst_video_format_to_string(GST_VIDEO_INFO_FORMAT(&in_));
}

void VideoChecks::take(GstBuffer* input) {
  constexpr int kPeriod = 100;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!GST_BUFFER_PTS_IS_VALID(input)) return;  // its output could not be found
  if (seen_++ % kPeriod == 0) input_.reset(gst_buffer_ref(input));
}

void VideoChecks::pair(GstBuffer* output) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!input_ || GST_BUFFER_PTS(input_.get()) != GST_BUFFER_PTS(output)) return;
  in_ = pipeline_.info("canny", "sink");
  out_ = pipeline_.info("canny", "src");
  pairs_.push_back({std::move(input_), Ref<GstBuffer>(gst_buffer_ref(output))});
}

}  // namespace bench

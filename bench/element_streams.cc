// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the frames that several pipelines in one process put through one device.
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "element_rows.h"

namespace bench {
namespace {

/// Pipelines that run at the same time, each with a source and an element of its own.
class Streams {
 public:
  Streams(const Setup& setup, const Stream& stream, int count)
      : setup_(setup),
        stream_(stream),
        meter_(setup.seconds / 10, setup.seconds, [this] { stop(); }) {
    const Buffers buffers = input_buffers(stream);
    for (int i = 0; i < count; ++i) add(buffers);
  }

  /// Plays all of them. Throws the Failure of one that fails.
  Line time(const std::string& name) {
    std::vector<std::future<void>> runs;
    for (const auto& pipeline : pipelines_)
      runs.push_back(std::async(std::launch::async, [&] { run(*pipeline); }));
    for (std::future<void>& run : runs) run.wait();
    for (std::future<void>& run : runs) run.get();
    Line line;
    line.name = name;
    line.us = meter_.microseconds();
    for (const auto& outputs : outputs_) {
      const int compared = line.outputs.compared;
      outputs->compare(&line.outputs);
      if (line.outputs.compared == compared) throw Failure("no output of a pipeline was compared");
    }
    return line;
  }

 private:
  void add(const Buffers& buffers) {
    Buffers own;
    for (const auto& buffer : buffers) own.emplace_back(gst_buffer_ref(buffer.get()));
    pipelines_.push_back(new_pipeline(stream_, std::move(own), {"cuda", setup_.frames_in_flight}));
    Pipeline& pipeline = *pipelines_.back();
    outputs_.push_back(std::make_unique<KeptOutputs>(stream_, pipeline));
    pipeline.on_buffer("sink", "sink", [this, &outputs = *outputs_.back()](GstBuffer* output) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        meter_.frame();
      }
      outputs.take(output);
    });
  }

  /// Plays one. Ends the others if it fails.
  void run(Pipeline& pipeline) {
    try {
      pipeline.run(limit(setup_));
    } catch (const Failure&) {
      stop();
      throw;
    }
  }

  void stop() {
    for (const auto& pipeline : pipelines_) pipeline->stop();
  }

  const Setup& setup_;
  const Stream& stream_;
  std::mutex mutex_;  // guards meter_
  Meter meter_;       // of the frames of all
  std::vector<std::unique_ptr<Pipeline>> pipelines_;
  std::vector<std::unique_ptr<KeptOutputs>> outputs_;  // of each, used by its thread alone
};

}  // namespace

Lines time_streams(Setup& setup) {
  Lines lines;
  for (const Place place : {Place::kCuda, Place::kOffered}) {
    const Stream stream{setup.pictures({1920, 1080}), "NV12", "NV12", place};
    for (const int count : {1, 2, 4, 8, 16, 32}) {
      Streams streams(setup, stream, count);
      Line line = streams.time("streams-" + std::to_string(count));
      line.remark = place == Place::kCuda ? "CUDA memory" : "system memory";
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace bench

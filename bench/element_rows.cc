// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures the frame rate of the element, and that of the bus that carries its frames.
#include "element_rows.h"

#include <utility>

#include "bus.h"
#include "element_cuda_memory.h"
#include "element_source.h"

namespace bench {
namespace {

constexpr Size k1080p{1920, 1080}, k4k{3840, 2160};
constexpr const char* kCudaFeature = "(memory:CUDAMemory)";

std::string caps_of(Place place, const char* format) {
  return std::string("video/x-raw") + (place == Place::kCuda ? kCudaFeature : "") +
         ",format=" + format;
}

double warm_up_seconds(const Setup& setup) { return setup.seconds / 10; }

/// Times a stream and compares some of its outputs.
Line time_stream(const Setup& setup, const std::string& name, const Stream& stream) {
  const auto pipeline =
      new_pipeline(stream, input_buffers(stream), {"cuda", setup.frames_in_flight});
  Meter meter(warm_up_seconds(setup), setup.seconds, [&] { pipeline->stop(); });
  Checks checks;
  pipeline->on_buffer("sink", "sink", [&](GstBuffer* output) {
    meter.frame();
    check_output(stream, *pipeline, output, &checks);
  });
  pipeline->run(limit(setup));
  checks.finish();
  Line line;
  line.name = name;
  line.us = meter.microseconds();
  line.compared = checks.compared();
  line.wrong = checks.wrong();
  return line;
}

/// Adds the time of copies of that many bytes.
Line with_bus(Line line, std::size_t up, std::size_t down) {
  line.other_us = bus_microseconds(up, down);
  line.percent = 100 * line.other_us / line.us;
  line.remark = down == 0 ? "of the bus, upload alone" : "of the bus, both ways";
  return line;
}

std::size_t pixels(Size size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

/// Describes the pipeline of a video file: decoded to CUDA memory and, if `with_element`, passed
/// through the element.
std::string describe(const std::string& file, bool with_element) {
  const std::string caps = caps_of(Place::kCuda, "NV12");
  g_autofree gchar* quoted = g_strescape(file.c_str(), nullptr);
  return std::string("filesrc location=\"") + quoted + "\" ! parsebin ! h264parse ! nvh264dec ! " +
         caps + " ! queue ! " + (with_element ? "cudacanny name=canny ! " + caps + " ! " : "") +
         "fakesink name=sink sync=false enable-last-sample=false";
}

/// Keeps some outputs of a video with their inputs. They are compared after the run, since copying
/// them from the device would hold up the decoder.
class VideoChecks {
 public:
  explicit VideoChecks(Pipeline& pipeline) : pipeline_(pipeline) {
    pipeline.on_buffer("canny", "sink", [this](GstBuffer* input) { take(input); });
    pipeline.on_buffer("canny", "src", [this](GstBuffer* output) { pair(output); });
  }

  void compare(Checks* checks) {
    for (const Pair& kept : pairs_) {
      checks->begin([&] { return holds_edges_of(kept.input.get(), in_, kept.output.get(), out_); });
      checks->finish();
    }
  }

 private:
  struct Pair {
    Ref<GstBuffer> input, output;
  };

  void take(GstBuffer* input) {
    constexpr int kPeriod = 100;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!GST_BUFFER_PTS_IS_VALID(input)) return;  // its output could not be found
    if (seen_++ % kPeriod == 0) input_.reset(gst_buffer_ref(input));
  }

  void pair(GstBuffer* output) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!input_ || GST_BUFFER_PTS(input_.get()) != GST_BUFFER_PTS(output)) return;
    in_ = pipeline_.info("canny", "sink");
    out_ = pipeline_.info("canny", "src");
    pairs_.push_back({std::move(input_), Ref<GstBuffer>(gst_buffer_ref(output))});
  }

  Pipeline& pipeline_;
  std::mutex mutex_;
  GstVideoInfo in_, out_;
  int seen_ = 0;
  Ref<GstBuffer> input_;  // waits for its output
  std::vector<Pair> pairs_;
};

/// Returns the microseconds a frame of one run, timed for at most setup.seconds.
double time_video(const Setup& setup, Pipeline& pipeline) {
  Meter meter(0, setup.seconds, [&] { pipeline.stop(); });
  pipeline.on_buffer("sink", "sink", [&](GstBuffer*) { meter.frame(); });
  pipeline.run(limit(setup));
  return meter.microseconds();
}

/// The element's copies over the bus.
struct Copies {
  guint64 up = 0, down = 0;
};

double time_video_with_element(const Setup& setup, const std::string& file, Checks* checks,
                               Copies* copies) {
  Pipeline pipeline(describe(file, true));
  pipeline.set({"cuda", setup.frames_in_flight});
  VideoChecks pairs(pipeline);
  const double us = time_video(setup, pipeline);
  pairs.compare(checks);
  copies->up += pipeline.stat("uploads");
  copies->down += pipeline.stat("downloads");
  return us;
}

Line time_video_file(const Setup& setup, const std::string& file) {
  constexpr int kRounds = 5;
  std::vector<double> with, without;
  Checks checks;
  Copies copies;
  for (int i = 0; i < kRounds; ++i) {
    Pipeline decoder(describe(file, false));
    without.push_back(time_video(setup, decoder));
    with.push_back(time_video_with_element(setup, file, &checks, &copies));
  }
  checks.finish();
  Line line{"video", median(with), median(without), 0, checks.compared(), checks.wrong(), ""};
  line.percent = 100 * line.other_us / line.us;
  line.remark = "of the decoder alone; uploads " + std::to_string(copies.up) + ", downloads " +
                std::to_string(copies.down) + "; " + file;
  if (copies.up + copies.down > 0) throw Failure("the element copied frames: " + line.remark);
  return line;
}

}  // namespace

const Pictures& Setup::pictures(Size size) {
  auto found = pictures_.find(size.width);
  if (found == pictures_.end())
    found = pictures_.emplace(size.width, paint_all(size.width, size.height, tiles)).first;
  return found->second;
}

double limit(const Setup& setup) { return 3 * setup.seconds + 60; }

Ref<GstCaps> input_caps(const Stream& stream) {
  const std::string text = caps_of(stream.place, stream.input) +
                           ",width=" + std::to_string(stream.pictures.width) +
                           ",height=" + std::to_string(stream.pictures.height) +
                           ",framerate=" + std::to_string(kFramesPerSecond) + "/1";
  return Ref<GstCaps>(gst_caps_from_string(text.c_str()));
}

Buffers input_buffers(const Stream& stream) {
  const Ref<GstCaps> caps = input_caps(stream);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps.get())) throw Failure("the caps are not video");
  Buffers buffers = to_buffers(stream.pictures, info);
  return stream.place == Place::kCuda ? to_cuda_memory(buffers, caps.get()) : std::move(buffers);
}

std::unique_ptr<Pipeline> new_pipeline(const Stream& stream, Buffers buffers,
                                       const ElementSettings& settings) {
  const Ref<GstCaps> caps = input_caps(stream);
  const auto supply = stream.place == Place::kOffered ? Supply::kOffered : Supply::kOwn;
  auto pipeline = std::make_unique<Pipeline>(new_source(caps.get(), std::move(buffers), supply),
                                             caps_of(stream.place, stream.output));
  pipeline->set(settings);
  if (stream.place == Place::kCuda) gst_element_set_context(pipeline->get(), cuda_context());
  return pipeline;
}

void check_output(const Stream& stream, const Pipeline& pipeline, GstBuffer* output,
                  Checks* checks) {
  if (!checks->is_due()) return;
  const auto& edges = stream.pictures.edges[frame_number(output) % kPictures];
  std::shared_ptr<GstBuffer> kept(gst_buffer_ref(output), Unref());
  checks->begin([kept, &edges, info = pipeline.info("sink", "sink")] {
    const Ref<GstBuffer> frame = to_system_memory(kept.get(), info);
    return frame != nullptr && holds(frame.get(), info, edges);
  });
}

Lines time_rgb_4k(Setup& setup) {
  const Stream stream{setup.pictures(k4k), "RGB", "GRAY8", Place::kOffered};
  return {with_bus(time_stream(setup, "rgb-4k", stream), 3 * pixels(k4k), 0)};
}

Lines time_nv12_4k(Setup& setup) {
  const Stream stream{setup.pictures(k4k), "NV12", "GRAY8", Place::kOffered};
  return {with_bus(time_stream(setup, "nv12-4k", stream), pixels(k4k), pixels(k4k))};
}

Lines time_rgb_1080p(Setup& setup) {
  const Stream stream{setup.pictures(k1080p), "RGB", "GRAY8", Place::kOffered};
  const Line line = time_stream(setup, "rgb-1080p", stream);
  return {with_bus(line, 3 * pixels(k1080p), pixels(k1080p)),
          with_bus(line, 3 * pixels(k1080p), 0)};
}

Lines time_rgb_4k_pageable(Setup& setup) {
  const Stream stream{setup.pictures(k4k), "RGB", "GRAY8", Place::kOwn};
  return {with_bus(time_stream(setup, "rgb-4k-pageable", stream), 3 * pixels(k4k), 0)};
}

Lines time_cuda(Setup& setup) {
  Lines lines;
  for (const Size size : {k1080p, k4k}) {
    const Stream stream{setup.pictures(size), "NV12", "NV12", Place::kCuda};
    Line line = time_stream(setup, "cuda-" + std::to_string(size.height), stream);
    line.remark =
        "GStreamer " + std::to_string(GST_VERSION_MAJOR) + "." + std::to_string(GST_VERSION_MINOR);
    lines.push_back(line);
  }
  return lines;
}

Lines time_videos(Setup& setup) {
  Lines lines;
  for (const std::string& file : setup.videos) lines.push_back(time_video_file(setup, file));
  return lines;
}

}  // namespace bench

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
double warm_up_seconds(const Setup& setup) { return setup.seconds / 10; }

/// Times a stream and compares some of its outputs.
Line time_stream(const Setup& setup, const std::string& name, const Stream& stream) {
  const auto pipeline =
      new_pipeline(stream, input_buffers(stream), {"cuda", setup.frames_in_flight});
  Meter meter(warm_up_seconds(setup), setup.seconds, [&] { pipeline->stop(); });
  KeptOutputs outputs(stream, *pipeline);
  pipeline->on_buffer("sink", "sink", [&](GstBuffer* output) {
    meter.frame();
    outputs.take(output);
  });
  pipeline->run(limit(setup));
  Line line;
  line.name = name;
  line.us = meter.microseconds();
  outputs.compare(&line.outputs);
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

}  // namespace

const Pictures& Setup::pictures(Size size) {
  auto found = pictures_.find(size.width);
  if (found == pictures_.end())
    found = pictures_.emplace(size.width, paint_all(size.width, size.height, tiles)).first;
  return found->second;
}

std::string caps_of(Place place, const char* format) {
  constexpr const char* kCudaFeature = "(memory:CUDAMemory)";
  return std::string("video/x-raw") + (place == Place::kCuda ? kCudaFeature : "") +
         ",format=" + format;
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

void KeptOutputs::take(GstBuffer* output) {
  if (seen_++ < next_) return;
  next_ = 2 * next_ + 100;
  info_ = pipeline_.info("sink", "sink");
  kept_.emplace_back(gst_buffer_ref(output));
}

void KeptOutputs::compare(Comparison* comparison) const {
  for (const auto& output : kept_) {
    const auto& edges = stream_.pictures.edges[frame_number(output.get()) % kPictures];
    comparison->add(holds(output.get(), info_, edges));
  }
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

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames one at a time: the latency of the element, and what it adds to the detector's time.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "check.h"
#include "element_cuda_memory.h"
#include "element_rows.h"
#include "element_source.h"

namespace bench {
namespace {

constexpr Size k1080p{1920, 1080}, k4k{3840, 2160};
constexpr int kWarmUp = 50;  // frames

double percentile(std::vector<double> values, double part) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(part * (values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// Times frames from just before the push into the element until the output arrives downstream.
std::vector<double> latencies(const Setup& setup, const Stream& stream, Comparison* comparison) {
  const auto pipeline = new_pipeline(stream, input_buffers(stream), {"cuda", 1});
  std::vector<double> times;
  const Stopwatch watch;
  double begin = 0, first = 0;  // microseconds on the watch
  int frames = 0;
  KeptOutputs outputs(stream, *pipeline);
  Gate gate;
  pipeline->on_buffer("source", "src", [&](GstBuffer*) {
    gate.enter();
    begin = watch.microseconds();
  });
  pipeline->on_buffer("sink", "sink", [&](GstBuffer* output) {
    if (stream.place == Place::kCuda) wait_for_device(output);
    const double end = watch.microseconds();
    if (++frames == kWarmUp) first = end;
    if (frames > kWarmUp) times.push_back(end - begin);
    if (frames > kWarmUp && end - first > setup.seconds * 1e6) pipeline->stop();
    outputs.take(output);
    gate.leave();
  });
  pipeline->run(limit(setup));
  if (times.empty()) throw Failure("too few frames to time");
  outputs.compare(comparison);
  return times;
}

Line latency(const Setup& setup, const std::string& name, const Stream& stream) {
  Line line;
  const std::vector<double> times = latencies(setup, stream, &line.outputs);
  line.name = name;
  line.us = median(times);
  line.remark = "median latency; 95th percentile " + fixed(percentile(times, 0.95)) + " us";
  return line;
}

/// Calls the detector without the element.
class Direct {
 public:
  /// The buffers must outlive this object.
  Direct(const Buffers& inputs, const Pictures& pictures)
      : detector_(open_detector({canny::Backend::kCpu, -1, 1})),
        output_(gst_buffer_new_allocate(nullptr, std::size_t{1} * pictures.width * pictures.height,
                                        nullptr)),
        inputs_(inputs.size()) {
    check(detector_.set_size(pictures.width, pictures.height));
    frame_.stride_bytes = 3 * pictures.width;
    frame_.width = pictures.width;
    frame_.height = pictures.height;
    frame_.format = canny::PixelFormat::kRgb;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      buffers_.emplace_back(gst_buffer_ref(inputs[i].get()));
      if (!gst_buffer_map(buffers_[i].get(), &inputs_[i], GST_MAP_READ))
        throw Failure("can't map a picture");
    }
    if (!gst_buffer_map(output_.get(), &map_, GST_MAP_WRITE)) throw Failure("can't map a buffer");
  }
  ~Direct() {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      gst_buffer_unmap(buffers_[i].get(), &inputs_[i]);
    gst_buffer_unmap(output_.get(), &map_);
  }
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  void detect(guint64 picture) {
    canny::ConstFrame input = frame_;
    input.data = inputs_[picture % inputs_.size()].data;
    const canny::Frame output{
        map_.data,           frame_.width, frame_.width, frame_.height, canny::PixelFormat::kGray8,
        canny::Memory::kHost};
    canny::Result result;
    check(detector_.detect(element_params(), input, output, &result));
  }

 private:
  canny::Detector detector_;
  Ref<GstBuffer> output_;
  Buffers buffers_;
  std::vector<GstMapInfo> inputs_;
  GstMapInfo map_ = GST_MAP_INFO_INIT;
  canny::ConstFrame frame_;
};

/// Alternates turns of frames through the pipeline with turns of as many calls of the detector, all
/// in the thread of the source. The first frame or call of a turn warms the caches.
class Turns {
 public:
  Turns(Direct& direct, double seconds, std::function<void()> stop)
      : direct_(direct), seconds_(seconds), stop_(std::move(stop)) {}

  /// Call before frame `number` is pushed, with no frame in the element.
  void frame(guint64 number) {
    if (number % kTurn == 1) turn_.emplace();
    if (number % kTurn != 0) return;
    if (turn_) element_.push_back(turn_->microseconds() / (kTurn - 1));
    if (element_.size() > kWarmUpTurns && total_.microseconds() > seconds_ * 1e6) stop_();
    call(number);
  }

  /// Returns the times of each turn: the element's first, then the detector's.
  std::vector<std::pair<double, double>> times() const {
    std::vector<std::pair<double, double>> pairs;
    for (std::size_t i = kWarmUpTurns; i < element_.size(); ++i)
      pairs.emplace_back(element_[i], detector_[i]);
    return pairs;
  }

 private:
  static constexpr int kTurn = 9;  // prime to the number of pictures
  static constexpr std::size_t kWarmUpTurns = 2;

  void call(guint64 number) {
    direct_.detect(number);
    const Stopwatch watch;
    for (int i = 1; i < kTurn; ++i) direct_.detect(number + static_cast<guint64>(i));
    detector_.push_back(watch.microseconds() / (kTurn - 1));
  }

  Direct& direct_;
  double seconds_;
  std::function<void()> stop_;
  Stopwatch total_;
  std::optional<Stopwatch> turn_;
  std::vector<double> element_, detector_;  // microseconds a frame
};

Line overhead_line(const std::vector<std::pair<double, double>>& times) {
  if (times.empty()) throw Failure("too few frames to time");
  std::vector<double> element, detector, ratios;
  for (const auto& [with, without] : times) {
    element.push_back(with);
    detector.push_back(without);
    ratios.push_back(with / without);
  }
  return {"cpu-overhead",
          median(element),
          median(detector),
          100 * (median(ratios) - 1),
          {},
          "more than the detector's call"};
}

}  // namespace

Lines time_latency(Setup& setup) {
  return {latency(setup, "latency", {setup.pictures(k1080p), "RGB", "GRAY8", Place::kOffered})};
}

Lines time_latency_cuda(Setup& setup) {
  const Pictures& pictures = setup.pictures(k1080p);
  return {
      latency(setup, "latency-cuda NV12", {pictures, "NV12", "NV12", Place::kCuda}),
      latency(setup, "latency-cuda RGBA", {pictures, "RGBA", "RGBA", Place::kCuda}),
      latency(setup, "latency-cuda 4K NV12", {setup.pictures(k4k), "NV12", "NV12", Place::kCuda})};
}

Lines time_cpu_overhead(Setup& setup) {
  const Stream stream{setup.pictures(k1080p), "RGB", "GRAY8", Place::kOwn};
  Buffers inputs = input_buffers(stream);
  Direct direct(inputs, stream.pictures);
  const auto pipeline = new_pipeline(stream, std::move(inputs), {"cpu", 1, 1});
  Turns turns(direct, setup.seconds, [&] { pipeline->stop(); });
  KeptOutputs outputs(stream, *pipeline);
  Gate gate;
  pipeline->on_buffer("source", "src", [&](GstBuffer* input) {
    gate.enter();
    turns.frame(frame_number(input));
  });
  pipeline->on_buffer("sink", "sink", [&](GstBuffer* output) {
    outputs.take(output);
    gate.leave();
  });
  pipeline->run(limit(setup));
  Line line = overhead_line(turns.times());
  outputs.compare(&line.outputs);
  return {line};
}

}  // namespace bench

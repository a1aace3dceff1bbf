// SPDX-License-Identifier: LGPL-2.1-or-later
/// Computes frames with the library.
#include "expected.h"

#include <gst/video/video.h>

#include <cstring>

#include "canny/settings.h"

namespace check {

namespace {

using canny::Params;

template <class T>
Setting setting(const std::string& name, double value, T Params::*member, T member_value) {
  return {name, value, [=](Params* params) { params->*member = member_value; }};
}

Setting number(const std::string& name, double value, double Params::*member) {
  return setting(name, value, member, value);
}

Setting count(const std::string& name, double value, unsigned Params::*member) {
  return setting(name, value, member, static_cast<unsigned>(value));
}

/// A choice whose place is that of the library's value.
template <class T>
Setting choice(const std::string& name, int place, T Params::*member) {
  return setting(name, place, member, static_cast<T>(place));
}

void add_choices(std::vector<Case>* all) {
  for (int i = 1; i <= static_cast<int>(canny::Operator::kKirsch); ++i) {
    Setting choice_with_thresholds = choice("operator", i, &Params::gradient_operator);
    choice_with_thresholds.apply = [apply = choice_with_thresholds.apply](Params* params) {
      apply(params);
      canny::set_default_thresholds(params);
    };
    all->push_back({"RGB", {choice_with_thresholds}});
  }
  for (int i = 1; i <= static_cast<int>(canny::View::kBlurred); ++i) {
    all->push_back({"RGB", {choice("output", i, &Params::view)}});
  }
  for (int i = 1; i <= static_cast<int>(canny::ThresholdMode::kMedian); ++i) {
    all->push_back({"RGB", {choice("threshold-mode", i, &Params::threshold_mode)}});
  }
}

canny::PixelFormat pixel_format(const GstVideoInfo& info) {
  switch (GST_VIDEO_INFO_FORMAT(&info)) {
    case GST_VIDEO_FORMAT_RGB:
      return canny::PixelFormat::kRgb;
    case GST_VIDEO_FORMAT_RGBA:
      return canny::PixelFormat::kRgbx;
    case GST_VIDEO_FORMAT_RGBA64_LE:
      return canny::PixelFormat::kRgbx64Le;
    default:
      g_error("the tests do not know the format %s", GST_VIDEO_INFO_NAME(&info));
  }
}

template <class Frame, class Byte>
Frame frame(const GstVideoFrame& video, Byte* data) {
  Frame all;
  all.data = data;
  all.stride_bytes = GST_VIDEO_FRAME_PLANE_STRIDE(&video, 0);
  all.width = GST_VIDEO_FRAME_WIDTH(&video);
  all.height = GST_VIDEO_FRAME_HEIGHT(&video);
  all.format = pixel_format(video.info);
  return all;
}

bool is_equal(const GstVideoFrame& found, const std::vector<guint8>& expected) {
  const auto stride = static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&found, 0));
  const auto row = static_cast<std::size_t>(GST_VIDEO_FRAME_WIDTH(&found) *
                                            GST_VIDEO_FRAME_COMP_PSTRIDE(&found, 0));
  const auto* data = static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&found, 0));
  for (std::size_t y = 0; y < static_cast<std::size_t>(GST_VIDEO_FRAME_HEIGHT(&found)); ++y) {
    if (std::memcmp(data + y * stride, expected.data() + y * stride, row) != 0) return false;
  }
  return true;
}

bool compare(const GstVideoFrame& input, const GstVideoFrame& output, const Params& params) {
  canny::Options options;
  options.backend = canny::Backend::kCpu;
  canny::Detector detector;
  canny::Status status = canny::Detector::create(options, &detector);
  if (status.ok()) {
    status = detector.set_size(GST_VIDEO_FRAME_WIDTH(&input), GST_VIDEO_FRAME_HEIGHT(&input));
  }
  std::vector<guint8> expected(GST_VIDEO_FRAME_SIZE(&output));
  const auto from = frame<canny::ConstFrame>(
      input, static_cast<const guint8*>(GST_VIDEO_FRAME_PLANE_DATA(&input, 0)));
  const auto to = frame<canny::Frame>(output, expected.data());
  if (status.ok()) status = detector.detect(params, from, to, nullptr);
  if (!status.ok()) g_error("%s", status.message().c_str());
  return is_equal(output, expected);
}

bool map(GstSample* sample, GstVideoFrame* frame) {
  GstVideoInfo info;
  return gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) &&
         gst_video_frame_map(frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ);
}

}  // namespace

std::vector<Case> cases() {
  const Setting relative = choice("threshold-mode", 1, &Params::threshold_mode);
  const Setting overlay = choice("output", 1, &Params::view);
  std::vector<Case> all = {
      {"RGB", {number("low-threshold", 20.5, &Params::low_threshold)}},
      {"RGB", {number("high-threshold", 400, &Params::high_threshold)}},
      {"RGB", {relative, number("high-ratio", 0.35, &Params::high_ratio)}},
      {"RGB", {relative, number("low-ratio", 0.9, &Params::low_ratio)}},
      {"RGB", {number("sigma", 0.8, &Params::sigma)}},
      {"RGB", {choice("color-mode", 1, &Params::color_mode)}},
      {"RGBA64_LE", {choice("luma-depth", 1, &Params::luma_depth)}},
      {"RGB", {setting("norm", 1, &Params::norm, canny::Norm::kL1)}},
      {"RGB", {setting("thin-edges", 0, &Params::thin_edges, false)}},
      {"RGB", {count("hysteresis-passes", 1, &Params::hysteresis_passes)}},
      {"RGB", {count("min-length", 40, &Params::min_length)}},
      {"RGB",
       {overlay,
        setting("edge-color", 0x8000ff40, &Params::edge_color, std::uint32_t(0x8000ff40))}},
  };
  add_choices(&all);
  return all;
}

bool is_as_library(const tuner::Pair& pair, const Params& params) {
  GstVideoFrame input, output;
  if (!map(pair.input.get(), &input)) return false;
  bool is_same = false;
  if (map(pair.output.get(), &output)) {
    is_same = compare(input, output, params);
    gst_video_frame_unmap(&output);
  }
  gst_video_frame_unmap(&input);
  return is_same;
}

}  // namespace check

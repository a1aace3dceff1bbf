// SPDX-License-Identifier: LGPL-2.1-or-later
/// All stages, one after the other.
#include "reference.h"

#include <algorithm>

namespace reference {
namespace {

using canny::ColorMode;
using canny::ConstFrame;
using canny::Params;

int unit_of(const Bytes&) { return 1; }
int unit_of(const Words&) { return 256; }

template <class Image>
Response respond_to(const Image& image, const Params& params) {
  const Image blurred = blur(image, params.sigma);
  if (params.gradient_operator != Operator::kSobel)
    return respond(blurred, params.gradient_operator, params.norm);
  Gradient gradient = sobel(blurred);
  Magnitudes magnitudes = magnitude(gradient, params.norm);
  return {std::move(gradient), std::move(magnitudes), unit_of(image)};
}

template <class Image>
Response respond_to(const std::vector<Image>& images, const Params& params) {
  std::vector<Response> responses;
  for (const Image& image : images) responses.push_back(respond_to(image, params));
  return largest(responses);
}

/// The ratio, or the usual one of the mode if it is 0.
double or_usual(double ratio, ThresholdMode mode, const double (&usual)[5]) {
  return ratio > 0 ? ratio : usual[int(mode)];
}

bool contains(const canny::Rectangle& rectangle, std::int64_t x, std::int64_t y) {
  return x >= rectangle.x && x < std::int64_t{rectangle.x} + rectangle.width && y >= rectangle.y &&
         y < std::int64_t{rectangle.y} + rectangle.height;
}

bool contains(const canny::Region& region, int x, int y) {
  if (region.mask.data != nullptr) return region.mask.data[y * region.mask.stride_bytes + x] != 0;
  for (std::size_t i = 0; i < region.rectangle_count; i++)
    if (contains(region.rectangles[i], x, y)) return true;
  return false;
}

}  // namespace

Bytes inside(const ConstFrame& frame) {
  Bytes result(frame.width, frame.height);
  for (int y = 0; y < frame.height; y++)
    for (int x = 0; x < frame.width; x++)
      result.row(y)[x] = frame.region == nullptr || contains(*frame.region, x, y);
  return result;
}

Response respond(const Params& params, const ConstFrame& frame) {
  const bool in_color = params.color_mode != ColorMode::kLuma && !colors(frame).empty();
  if (is_deep(params, frame)) {
    return in_color ? respond_to(deep_colors(frame), params) : respond_to(deep_luma(frame), params);
  }
  return in_color ? respond_to(colors(frame), params) : respond_to(luma(frame), params);
}

Candidates front(const Params& params, const ConstFrame& frame, Limits* limits) {
  const Response response = respond(params, frame);
  const Bytes in_region = inside(frame);
  Limits used = {std::min(params.low_threshold, params.high_threshold),
                 std::max(params.low_threshold, params.high_threshold)};
  Thresholds compared = thresholds(params, response.unit);
  if (params.threshold_mode != ThresholdMode::kAbsolute) {
    const ThresholdMode mode = params.threshold_mode;
    const double high = or_usual(params.high_ratio, mode, {0, 0.2, 0.7, 1, 1.33});
    const double low = or_usual(params.low_ratio, mode, {0, 0.25, 0.4, 0.5, 0.5});
    const Bytes gray = is_deep(params, frame) ? highest(deep_luma(frame)) : luma(frame);
    compared = measure(mode, high, low, gray, response, params.norm, params.gradient_operator,
                       &in_region, &used);
  }
  if (limits != nullptr) *limits = used;
  Candidates result = suppress(response.direction, response.magnitude, compared, params.thin_edges);
  for (std::size_t i = 0; i < in_region.samples.size(); i++) {
    result.candidate.samples[i] &= in_region.samples[i];
    result.strong.samples[i] &= in_region.samples[i];
  }
  return result;
}

Bytes edges_of(const Params& params, const Candidates& candidates) {
  Bytes edges = hysteresis(candidates, params.hysteresis_passes);
  remove_short(params.min_length, &edges);
  return edges;
}

std::vector<std::uint8_t> detect(const Params& params, const ConstFrame& frame, Limits* limits) {
  Bytes edges = edges_of(params, front(params, frame, limits));
  for (std::uint8_t& edge : edges.samples) edge = edge ? 255 : 0;
  return std::move(edges.samples);
}

}  // namespace reference

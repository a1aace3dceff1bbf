// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws parameters, and knows their ranges.
#include "params.h"

#include <cmath>
#include <limits>

namespace fuzz {
namespace {

// A number that is often in 0..usual, and often at an end of 0..most or outside.
double draw_number(double usual, double most, Reader& reader) {
  switch (reader.byte() % 16) {
    case 0:
      return reader.raw<double>();
    case 1:
      return most;
    case 2:
      return reader.any((const double[]){
          std::nextafter(most, 2 * most), -0.0, -1e-300, std::numeric_limits<double>::quiet_NaN(),
          std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::denorm_min()});
    case 3:
      return reader.raw<std::uint16_t>() / 65535.0 * most;
    case 4:
      return reader.byte();
    default:
      return reader.raw<std::uint16_t>() / 65535.0 * usual;
  }
}

unsigned draw_count(int usual, Reader& reader) {
  if (reader.one_in(4)) return static_cast<unsigned>(reader.between(0, usual));
  return reader.one_in(32) ? reader.raw<unsigned>() : 0;
}

// A value up to `last`, seldom another one.
template <class Enum>
void draw_choice(Enum last, Reader& reader, Enum* value) {
  if (!reader.one_in(3)) return;
  *value = static_cast<Enum>(reader.one_in(32) ? reader.raw<int>()
                                               : reader.between(0, static_cast<int>(last)));
}

bool is_in(double number, double most) { return number >= 0 && number <= most; }

template <class Enum>
bool is_choice(Enum value, Enum last) {
  return static_cast<int>(value) >= 0 && value <= last;
}

}  // namespace

canny::Params draw_params(Reader& reader) {
  canny::Params params;
  if (reader.one_in(8)) return params;
  params.low_threshold = draw_number(300, canny::kMaxThreshold, reader);
  params.high_threshold = draw_number(600, canny::kMaxThreshold, reader);
  params.sigma = draw_number(3, canny::kMaxSigma, reader);
  params.hysteresis_passes = draw_count(8, reader);
  draw_choice(canny::Norm::kL2, reader, &params.norm);
  draw_choice(canny::Operator::kKirsch, reader, &params.gradient_operator);
  params.thin_edges = !reader.one_in(4);
  draw_choice(canny::ColorMode::kLargestChannel, reader, &params.color_mode);
  draw_choice(canny::LumaDepth::k8, reader, &params.luma_depth);
  draw_choice(canny::ThresholdMode::kMedian, reader, &params.threshold_mode);
  if (reader.one_in(4)) {
    params.high_ratio = draw_number(2, canny::kMaxHighRatio, reader);
    params.low_ratio = draw_number(1, canny::kMaxLowRatio, reader);
  }
  params.min_length = draw_count(40, reader);
  draw_choice(canny::View::kBlurred, reader, &params.view);
  params.edge_color = reader.raw<std::uint32_t>();
  params.measure_stages = reader.one_in(4);
  return params;
}

bool is_valid(const canny::Params& params) {
  using namespace canny;
  return is_in(params.low_threshold, kMaxThreshold) &&
         is_in(params.high_threshold, kMaxThreshold) && is_in(params.sigma, kMaxSigma) &&
         params.hysteresis_passes <= kMaxHysteresisPasses && is_choice(params.norm, Norm::kL2) &&
         is_choice(params.gradient_operator, Operator::kKirsch) &&
         is_choice(params.color_mode, ColorMode::kLargestChannel) &&
         is_choice(params.luma_depth, LumaDepth::k8) &&
         is_choice(params.threshold_mode, ThresholdMode::kMedian) &&
         is_in(params.high_ratio, kMaxHighRatio) && is_in(params.low_ratio, kMaxLowRatio) &&
         params.min_length <= kMaxMinLength && is_choice(params.view, View::kBlurred);
}

}  // namespace fuzz

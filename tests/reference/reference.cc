// SPDX-License-Identifier: LGPL-2.1-or-later
/// All stages, one after the other.
#include "reference.h"

namespace reference {

std::vector<std::uint8_t> detect(const canny::Params& params, const canny::ConstFrame& frame) {
  Gradient gradient = sobel(blur(luma(frame), params.sigma));
  Magnitudes m = magnitude(gradient, params.norm);
  const Candidates candidates = suppress(gradient, m, thresholds(params));
  gradient = {};
  m = {};
  std::vector<std::uint8_t> edges = hysteresis(candidates, params.hysteresis_passes).samples;
  for (std::uint8_t& edge : edges) edge = edge ? 255 : 0;
  return edges;
}

}  // namespace reference

// SPDX-License-Identifier: LGPL-2.1-or-later
// Paints the input, computes the output with the reference, and compares.
#include "frames.h"

namespace frames {
namespace {

using cases::Case;
using harness::GuardedFrame;

GuardedFrame painted_input(const Case& c) {
  reference::Random random(c.seed + 4);
  GuardedFrame input(c.width, c.height, c.input, c.input_offset, c.input_gap, c.input_bottom_up,
                     c.chroma);
  input.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
  return input;
}

}  // namespace

CaseFrames::CaseFrames(const Case& c)
    : input_(painted_input(c)),
      input_before_(input_.block()),
      output_(c.width, c.height, c.output, c.output_offset, c.output_gap, c.output_bottom_up,
              c.chroma),
      row_bytes_(canny::row_bytes(c.output, c.width)) {
  GuardedFrame expected = output_;
  const reference::Rendered rendered =
      reference::render(c.params, input_.const_frame(), expected.frame());
  expected_ = harness::pixels(expected.const_frame());
  expected_count_ = rendered.edges;
  expected_limits_ = rendered.limits;
}

std::string CaseFrames::check(const GuardedFrame& output, const canny::Result& result) const {
  const std::string d =
      harness::difference(expected_, harness::pixels(output.const_frame()), row_bytes_);
  if (!d.empty()) return d;
  if (!output.intact()) return "wrote outside the output's rows";
  if (result.edge_pixels != expected_count_)
    return "counted " + std::to_string(result.edge_pixels) + " edges of " +
           std::to_string(expected_count_);
  if (result.low_threshold != expected_limits_.low ||
      result.high_threshold != expected_limits_.high)
    return "used thresholds " + std::to_string(result.low_threshold) + " and " +
           std::to_string(result.high_threshold) + " instead of " +
           std::to_string(expected_limits_.low) + " and " + std::to_string(expected_limits_.high);
  return input_.block() == input_before_ ? "" : "changed the input";
}

}  // namespace frames

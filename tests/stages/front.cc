// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the front end with the reference, to the bit.
#include "reference/reference.h"
#include "stages.h"

namespace stages {

using cases::Case;
using harness::difference;

std::string check_front(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 1);
  harness::GuardedFrame frame(c.width, c.height, c.input, c.input_offset, c.input_gap,
                              c.input_bottom_up);
  frame.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
  const auto before = frame.block();

  const auto blurred = reference::blur(reference::luma(frame.const_frame()), c.params.sigma);
  const auto gradient = reference::sobel(blurred);
  const auto expected = reference::suppress(gradient, reference::magnitude(gradient, c.params.norm),
                                            reference::thresholds(c.params));

  canny::Plan plan;
  Planes planes;
  if (canny::Status s = make_plan(c.params, c.input, c.output, &plan); !s.ok()) return s.message();
  if (canny::Status s = backend.front(plan, frame, &planes); !s.ok()) return s.message();
  std::string d = difference(expected.candidate.samples, planes.candidate, c.width);
  if (!d.empty()) return "front, candidate plane: " + d;
  d = difference(expected.strong.samples, planes.strong, c.width);
  if (!d.empty()) return "front, strong plane: " + d;
  return frame.block() == before ? "" : "front changed its input";
}

}  // namespace stages

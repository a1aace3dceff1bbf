// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the front end with the reference, to the bit.
#include "frames.h"
#include "reference/reference.h"
#include "stages.h"

namespace stages {

using cases::Case;
using harness::difference;

namespace {

// Where the planes differ, if they do.
std::string compare_front(BackendStages& backend, const canny::Plan& plan,
                          const harness::GuardedFrame& frame,
                          const reference::Candidates& expected) {
  Planes planes;
  if (canny::Status s = backend.front(plan, frame, &planes); !s.ok()) return s.message();
  const int width = expected.candidate.width;
  std::string d = difference(expected.candidate.samples, planes.candidate.samples, width);
  if (!d.empty()) return "candidate plane: " + d;
  d = difference(expected.strong.samples, planes.strong.samples, width);
  return d.empty() ? "" : "strong plane: " + d;
}

}  // namespace

std::string check_front(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 1);
  harness::GuardedFrame frame = frames::CaseFrames::blank_input(c);
  frame.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
  const auto before = frame.block();

  // Bits are those of an edge map.
  canny::Params params = c.params;
  params.view = canny::View::kEdges;
  const auto expected = reference::front(params, frame.const_frame());
  canny::Plan plan;
  if (canny::Status s = make_plan(params, c.input, c.output, &plan); !s.ok()) return s.message();
  const std::vector<std::uint8_t> garbage(backend.workspace_bytes(), 0xa5);
  if (canny::Status s = backend.fill_workspace(garbage); !s.ok()) return s.message();
  const std::string d = compare_front(backend, plan, frame, expected);
  if (!d.empty()) return "front, " + d;
  return frame.block() == before ? "" : "front changed its input";
}

}  // namespace stages

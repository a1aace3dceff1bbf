// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares whole frames of any view with the reference, to the bit.
#include "canny/plan.h"
#include "frames.h"
#include "stages.h"

namespace stages {

std::string check_frame(BackendStages& backend, cases::Case c) {
  // The detector removes the color of outputs in host memory. A backend gets them without chroma.
  if (!shows_input(c.params.view)) c.chroma = {};
  const frames::CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  canny::Plan plan;
  canny::Result result;
  canny::Status status = make_plan(c.params, c.input, c.output, &plan);
  if (status.ok())
    status = backend.frame(plan, frames.input(), canny::Memory::kHost, &output,
                           canny::Memory::kHost, &result);
  const std::string failure = status.ok() ? frames.check(output, result) : status.message();
  return failure.empty() ? "" : "frame: " + failure;
}

}  // namespace stages

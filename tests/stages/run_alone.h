// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs a frame on a backend, without a detector.
#pragma once

#include "canny/backend.h"

namespace stages {

/// Runs a frame while no other is in flight.
inline canny::Status run_alone(canny::BackendImpl* backend, const canny::Plan& plan,
                               const canny::ConstFrame& input, const canny::Frame& output,
                               canny::Result* result) {
  canny::Job job = {0, plan, input, output};
  const canny::Status status = backend->submit(&job);
  return status.ok() ? backend->finish(job, result) : status;
}

}  // namespace stages

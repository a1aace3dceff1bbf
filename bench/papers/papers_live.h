// SPDX-License-Identifier: LGPL-2.1-or-later
// Measures frames whose parameters change from one to the next.
#pragma once

#include "canny/canny.h"
#include "papers_measure.h"
#include "papers_pictures.h"
#include "papers_record.h"

namespace papers {

/// Creates a detector on this backend.
canny::Status create_detector(const Settings& settings, canny::Backend backend,
                              canny::Detector* detector);

/// Adds a row of the group "live" for each parameter that changes: microseconds of a frame with
/// steady and with changing parameters. Returns false if an output is wrong.
bool measure_live(const Settings& settings, canny::Backend backend, const Pictures& pictures,
                  Recording* recording);

}  // namespace papers

// SPDX-License-Identifier: LGPL-2.1-or-later
// Times pipelines that read a file.
#pragma once

#include "element_rows.h"

namespace bench {

/// Returns the microseconds a frame of one run that ends at the element named sink, timed for at
/// most setup.seconds.
double time_video(const Setup& setup, Pipeline& pipeline);

}  // namespace bench

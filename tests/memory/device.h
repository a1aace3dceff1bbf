// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests device and page-locked memory that runs out.
#pragma once

#include "harness.h"

namespace device {

/// In builds with -Dcuda-faults=true, makes each CUDA call in turn report out of memory while a
/// detector is created, frames run and page-locked memory is allocated.
void run_faults(harness::Tally* tally);

}  // namespace device

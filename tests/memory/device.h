// SPDX-License-Identifier: LGPL-2.1-or-later
// Device and page-locked memory that runs out.
#pragma once

#include "harness.h"

namespace device {

/// In builds with -Dcuda-faults=true, has each CUDA call in turn say that there is no memory, while
/// a detector is created, frames run and page-locked memory is allocated.
void run_faults(harness::Tally* tally);

}  // namespace device

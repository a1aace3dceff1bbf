// SPDX-License-Identifier: LGPL-2.1-or-later
// What the detectors of a process know of each other: frames in flight, and threads that wait.
#pragma once

#include <atomic>

#include "cuda/report.h"

namespace canny::cuda {

/// Frames in flight on a device, of all detectors of the process: submitted and not finished. Any
/// thread may read and change the number.
std::atomic<unsigned>& frames_on_device(int device_id);

/// Whether the report has come.
bool has_come(const Report& report);

/// Waits for a report, for about a millisecond. Blocking on an event instead would cost at least 30
/// microseconds, and calls of the driver that make threads wait for each other. A few threads poll,
/// and yield their cores between looks; the others sleep. Returns whether it has come.
bool comes_soon(const Report& report);

}  // namespace canny::cuda

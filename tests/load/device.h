// SPDX-License-Identifier: LGPL-2.1-or-later
// The memory in use on the CUDA device.
#pragma once

namespace load {

/// Of all processes together, KiB; -1 if it can't be read.
long used_device_kib();

}  // namespace load

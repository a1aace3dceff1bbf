// SPDX-License-Identifier: LGPL-2.1-or-later
// What a test calls in its stand-in for the OpenCL loader.
#pragma once

#include "failing.h"

extern "C" {

/// Forwards all calls to the loader in this file, and returns what decides which of them fail. Null
/// if it can't be opened.
__attribute__((visibility("default"))) failing::Fault* open_failing_loader(const char* path);

}  // extern "C"

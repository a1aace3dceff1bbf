// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws cases for the library from a fuzzer's bytes.
#pragma once

#include "params.h"
#include "reader.h"
#include "stages/cases.h"

namespace fuzz {

canny::PixelFormat draw_format(Reader& reader);

/// Frames of a size, with their geometry, region and parameters. The formats are valid, but not
/// every pair of them for every view.
cases::Case draw_case(int width, int height, Reader& reader);

/// Whether submit() takes a case with valid parameters.
bool has_valid_formats(const cases::Case& c);

}  // namespace fuzz

// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws parameters from a fuzzer's bytes, valid ones and others.
#pragma once

#include "canny/canny.h"
#include "reader.h"

namespace fuzz {

/// Parameters of any value. Most draws stay in the documented ranges.
canny::Params draw_params(Reader& reader);

/// Whether all members are in the ranges that canny.h documents.
bool is_valid(const canny::Params& params);

}  // namespace fuzz

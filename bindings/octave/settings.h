// SPDX-License-Identifier: LGPL-2.1-or-later
// The settings of a call: arguments in their places and pairs of name and value.
#pragma once

#include <mex.h>

#include <cudacanny/canny.h>

namespace mex {

struct Settings {
  canny::Params params;
  canny::Options options;
};

/// Reads the arguments after A: thresL, thresH and hyster, each of which may be left out or empty,
/// and then names and values. Throws Error.
Settings settings_of(int count, const mxArray* const* arguments);

}  // namespace mex

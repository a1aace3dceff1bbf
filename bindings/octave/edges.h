// SPDX-License-Identifier: LGPL-2.1-or-later
// The part that both MEX functions share.
#pragma once

#include <mex.h>

namespace mex {

struct Function {
  const char* name;
  int channels;  ///< of the picture A: 1 or 3
};

/// Runs [C, info, contours] = NAME(A, thresL, thresH, hyster, name, value, ...) with the arguments
/// of mexFunction(). A failed call ends with mexErrMsgIdAndTxt().
void call(const Function& function, int output_count, mxArray** outputs, int input_count,
          const mxArray* const* inputs);

}  // namespace mex

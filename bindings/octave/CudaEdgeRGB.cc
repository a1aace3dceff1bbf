// SPDX-License-Identifier: LGPL-2.1-or-later
// The MEX function CudaEdgeRGB: edges of a color picture.
#include "edges.h"

extern "C" __attribute__((visibility("default"))) void mexFunction(int nlhs, mxArray* plhs[],
                                                                   int nrhs,
                                                                   const mxArray* prhs[]) {
  mex::call({"CudaEdgeRGB", 3}, nlhs, plhs, nrhs, prhs);
}

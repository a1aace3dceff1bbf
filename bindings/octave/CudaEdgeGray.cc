// SPDX-License-Identifier: LGPL-2.1-or-later
// The MEX function CudaEdgeGray: edges of a gray picture.
#include "edges.h"

extern "C" __attribute__((visibility("default"))) void mexFunction(int nlhs, mxArray* plhs[],
                                                                   int nrhs,
                                                                   const mxArray* prhs[]) {
  mex::call({"CudaEdgeGray", 1}, nlhs, plhs, nrhs, prhs);
}

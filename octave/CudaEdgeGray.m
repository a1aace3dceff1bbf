% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeGray (A)
% C = CudaEdgeGray (A, thresL, thresH, hyster)
% C = CudaEdgeGray (..., name, value, ...)
% [C, info] = CudaEdgeGray (...)
%
% Finds the edges of a gray picture with Canny's algorithm, on a GPU (CUDA or OpenCL)
% or on the CPU. All give the same result.
%
% Arguments, with their defaults in parentheses; help CudaEdgeRGB says more:
%
% A: M x N array of uint8 or uint16.
% thresL, thresH: numbers, 0 to 1000000, thresholds of the gradient (50 and 150). One
%     that is not given follows the other: thresH is 3 times thresL.
% hyster: integer, 0 to 64, number of hysteresis passes (0 = until nothing changes).
% name, value: settings in any order. A name is a char array:
%
%     "sigma"           number   Gaussian blur in pixels, 0 to 20 (1.4; 0 = none)
%     "norm"            char     of the gradient, "l2" or "l1" ("l2")
%     "operator"        char     "sobel", "sobel-5", "sobel-7", "scharr", "prewitt",
%                                "kroon", "roberts", "robinson" or "kirsch" ("sobel")
%     "thin-edges"      logical  false leaves out non-maximum suppression (true)
%     "color-mode"      char     "luma" or "largest-channel", without effect ("luma")
%     "luma-depth"      char     the bits of uint16 that count, "full" or "8" ("full")
%     "threshold-mode"  char     "absolute": thresL and thresH; "relative", "quantile",
%                                "otsu" and "median" measure them ("absolute")
%     "high-ratio"      number   adjusts measured thresholds, 0 to 16 (0 = the mode's
%                                usual one)
%     "low-ratio"       number   likewise, 0 to 1 (0)
%     "min-length"      integer  removes edges of fewer pixels, 0 to 65535 (0)
%     "backend"         char     "auto", "cuda", "cpu" or "opencl" ("auto")
%     "cuda-device-id"  integer  number of the CUDA device (-1 = the first usable one)
%     "opencl-device"   char     number of the OpenCL device in the order of clinfo -l,
%                                or a part of its name ("" = the first GPU)
%     "n-threads"       integer  threads of the CPU, 0 to 1024 (0 = one for each core)
%
%     "low-threshold", "high-threshold" and "hysteresis-passes" are names of thresL,
%     thresH and hyster.
%
% Results:
%
% C: M x N logical array, true on edges.
% info: struct with the fields edge_pixels, low_threshold, high_threshold (those that
%     were used), of double, and backend and device, of char.
%
% Example: A = imread ("scan.png"); imshow (CudaEdgeGray (A, 50, 150, 0, "sigma", 2))
%
% See also: CudaEdgeRGB, demo

function varargout = CudaEdgeGray (varargin)
  error ("cudacanny:missing", "CudaEdgeGray.mex must be in the folder of CudaEdgeGray.m");
end

%!demo
%! A = uint16 (65535 * (peaks (49) > 1));
%! C = CudaEdgeGray (A, 50, 150, 0, "sigma", 1);
%! disp (" #"(C + 1))
%! % the edges of the hills of peaks (49), as text

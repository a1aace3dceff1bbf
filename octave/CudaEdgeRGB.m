% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeRGB (A)
% C = CudaEdgeRGB (A, thresL, thresH, hyster)
% C = CudaEdgeRGB (..., name, value, ...)
% [C, info] = CudaEdgeRGB (...)
%
% Finds the edges of a color picture with Canny's algorithm, on a GPU (CUDA or OpenCL)
% or on the CPU. All give the same result.
%
% Arguments, with their defaults in parentheses:
%
% A: M x N x 3 array of uint8 or uint16: red, green and blue.
% thresL, thresH: numbers, 0 to 1000000, thresholds of the gradient (50 and 150). One
%     that is not given follows the other: thresH is 3 times thresL. Pixels above
%     thresL are candidates. Edges are the candidates that are linked to a pixel above
%     thresH. If thresL is the larger one, the two are swapped. The unit is a step of 1
%     in 8 bits, also for uint16.
% hyster: integer, 0 to 64, number of hysteresis passes (0). Within a pass, edges grow
%     through tiles of 32 x 32 pixels; from pass to pass, into the neighboring tiles. 0
%     grows them until nothing changes.
% name, value: settings in any order. A name is a char array:
%
%     "sigma"           number   Gaussian blur in pixels, 0 to 20 (1.4; 0 = none)
%     "norm"            char     of the gradient, "l2" or "l1" ("l2")
%     "operator"        char     "sobel", "sobel-5", "sobel-7", "scharr", "prewitt",
%                                "kroon", "roberts", "robinson" or "kirsch" ("sobel")
%     "thin-edges"      logical  false leaves out non-maximum suppression (true)
%     "color-mode"      char     "luma", or "largest-channel": the largest gradient of
%                                red, green and blue counts ("luma")
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
% A number, an integer or a logical may be a real scalar of any numeric class or of
% logical. [] in the place of thresL, thresH or hyster stands for the default.
%
% Results:
%
% C: M x N logical array, true on edges.
% info: struct with the fields edge_pixels, low_threshold, high_threshold (those that
%     were used), of double, and backend and device, of char.
%
% The function keeps a detector for the next picture; "clear CudaEdgeRGB" frees it.
%
% Example: A = imread ("photo.jpg"); imshow (CudaEdgeRGB (A, 50, 150, 0))
%
% See also: CudaEdgeGray, demo

function varargout = CudaEdgeRGB (varargin)
  error ("cudacanny:missing", "CudaEdgeRGB.mex must be in the folder of CudaEdgeRGB.m");
end

%!demo
%! [x, y] = meshgrid (1:64, 1:24);
%! disc = (x - 32) .^ 2 / 4 + (y - 12.5) .^ 2 < 80;
%! A = uint8 (cat (3, 255 * disc, 160 * disc, 32 * ones (size (disc))));
%! C = CudaEdgeRGB (A, 50, 150, 0, "sigma", 0);
%! disp (" #"(C + 1))
%! % the edge of an orange disc, as text

% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeRGB (A)
% C = CudaEdgeRGB (A, thresL, thresH, hyster)
% C = CudaEdgeRGB (..., name, value, ...)
% [C, info] = CudaEdgeRGB (...)
%
% Finds the edges of a color picture with Canny's algorithm, on a GPU (CUDA or OpenCL)
% or on the CPU. All give the same result.
%
% A is an M x N x 3 array of uint8 or uint16: red, green and blue. C is an M x N
% logical array that is true on edges.
%
% thresL, thresH: thresholds of the gradient, 0 to 1000000, by default 50 and 150. One
%     that is not given follows the other: thresH is 3 times thresL. Pixels above
%     thresL are candidates. Edges are the candidates that are linked to a pixel above
%     thresH. If thresL is the larger one, the two are swapped. The unit is a step of 1
%     in 8 bits, also for uint16.
% hyster: number of hysteresis passes, 0 to 64. Within a pass, edges grow through
%     tiles of 32 x 32 pixels; from pass to pass, into the neighboring tiles. 0, the
%     default, grows them until nothing changes.
%
% An empty array stands for a default. Names and values follow in any order:
%
%     "sigma"           Gaussian blur in pixels, 0 to 20 (1.4; 0 = none)
%     "norm"            "l2" (default) or "l1", of the gradient
%     "operator"        "sobel" (default), "sobel-5", "sobel-7", "scharr", "prewitt",
%                       "kroon", "roberts", "robinson" or "kirsch"
%     "thin-edges"      false leaves out non-maximum suppression (true)
%     "color-mode"      "luma" (default), or "largest-channel": the largest gradient of
%                       red, green and blue counts
%     "luma-depth"      "full" (default) or "8": the bits of uint16 that count
%     "threshold-mode"  "absolute" (default): thresL and thresH. "relative",
%                       "quantile", "otsu" and "median" measure them
%     "high-ratio"      adjusts measured thresholds, 0 to 16 (0 = the mode's usual one)
%     "low-ratio"       likewise, 0 to 1
%     "min-length"      removes edges of fewer pixels, 0 to 65535 (0)
%     "backend"         "auto" (default), "cuda", "cpu" or "opencl"
%     "cuda-device-id"  number of the CUDA device (-1 = the first usable one)
%     "opencl-device"   number of the OpenCL device in the order of clinfo -l, or a
%                       part of its name ("" = the first GPU)
%     "n-threads"       threads of the CPU, 0 to 1024 (0 = one for each core)
%
% "low-threshold", "high-threshold" and "hysteresis-passes" are names of thresL, thresH
% and hyster.
%
% info has the fields edge_pixels, low_threshold, high_threshold (those that were
% used), backend and device.
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

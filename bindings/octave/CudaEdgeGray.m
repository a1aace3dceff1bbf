% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeGray (A)
% C = CudaEdgeGray (A, thresL, thresH, hyster)
% C = CudaEdgeGray (..., name, value, ...)
% [C, info, contours] = CudaEdgeGray (...)
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
%     "threshold-mode"  char     Source of the thresholds: two numbers (absolute), or a
%                                measurement in each frame ("absolute" | "relative" |
%                                "quantile" | "otsu" | "median"; default "absolute")
%     "high-ratio"      number   Factor for measured thresholds; 0 = relative 0.2,
%                                quantile 0.7, otsu 1, median 1.33 (0 to 16; default 0)
%     "low-ratio"       number   Ratio of the low to the high measured threshold; 0 =
%                                relative 0.25, quantile 0.4, otsu and median 0.5 (0 to
%                                1; default 0)
%     "sigma"           number   Standard deviation of the Gaussian blur in pixels; 0 =
%                                no blur (0 to 20; default 1.4)
%     "color-mode"      char     Whether the gradient is that of the luma, or the
%                                largest one of red, green and blue ("luma" |
%                                "largest-channel"; default "luma")
%     "luma-depth"      char     Bits that count in input of more than 8 bits: all of
%                                them, or the highest 8 ("full" | "8"; default "full")
%     "operator"        char     Operator that computes the gradient; it sets the unit
%                                and the defaults of the thresholds ("sobel" | "sobel-5"
%                                | "sobel-7" | "scharr" | "prewitt" | "kroon" |
%                                "roberts" | "robinson" | "kirsch"; default "sobel")
%     "norm"            char     Norm of the gradient: root of the sum of squares (l2)
%                                or sum of absolute values (l1) ("l1" | "l2"; default
%                                "l2")
%     "thin-edges"      logical  Whether non-maximum suppression thins the edges
%                                (default true)
%     "min-length"      integer  Connected pixels below which an edge is removed; 0 =
%                                keep all edges (0 to 65535; default 0)
%     "backend"         char     Backend that detects the edges; auto = CUDA if a usable
%                                device is found, else OpenCL on a GPU, else the CPU
%                                ("auto" | "cuda" | "cpu" | "opencl"; default "auto")
%     "cuda-device-id"  integer  Number of the CUDA device; -1 = the first usable one
%                                (-1 to 2147483647; default -1)
%     "opencl-device"   char     Number of the OpenCL device in the order of clinfo -l,
%                                or a part of its name; empty = the first GPU (default
%                                "")
%     "n-threads"       integer  Number of threads of the CPU backend, and for contours
%                                and components; 0 = one for each core (0 to 1024;
%                                default 0)
%
%     "low-threshold", "high-threshold" and "hysteresis-passes" are names of thresL,
%     thresH and hyster.
%
% Results:
%
% C: M x N logical array, true on edges.
% info: struct with the fields edge_pixels, low_threshold, high_threshold (those that
%     were used), of double, and backend and device, of char.
% contours: column of cells, one for each chain of edge pixels: an array with the
%     columns and rows of its points, in order, as plot (x, y) takes them.
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

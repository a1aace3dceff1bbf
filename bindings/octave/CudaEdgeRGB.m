% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeRGB (A)
% C = CudaEdgeRGB (A, thresL, thresH, hyster)
% C = CudaEdgeRGB (..., name, value, ...)
% [C, info, contours] = CudaEdgeRGB (...)
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
% A number, an integer or a logical may be a real scalar of any numeric class or of
% logical. [] in the place of thresL, thresH or hyster stands for the default.
%
% Results:
%
% C: M x N logical array, true on edges.
% info: struct with the fields edge_pixels, low_threshold, high_threshold (those that
%     were used), of double, and backend and device, of char.
% contours: column of cells, one for each chain of edge pixels: an array with the
%     columns and rows of its points, in order, as plot (x, y) takes them.
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

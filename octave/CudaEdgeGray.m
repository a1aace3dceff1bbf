% SPDX-License-Identifier: LGPL-2.1-or-later

% C = CudaEdgeGray (A)
% C = CudaEdgeGray (A, thresL, thresH, hyster)
% C = CudaEdgeGray (..., name, value, ...)
% [C, info] = CudaEdgeGray (...)
%
% Finds the edges of a gray picture with Canny's algorithm, on a GPU (CUDA or OpenCL)
% or on the CPU. All give the same result.
%
% A is an M x N array of uint8 or uint16. C is an M x N logical array that is true on
% edges. The other arguments and info are those of CudaEdgeRGB; "color-mode" has no
% effect.
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

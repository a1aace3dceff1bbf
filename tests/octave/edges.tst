% SPDX-License-Identifier: LGPL-2.1-or-later
% Edges of pictures, compared with the reference.

% check_all (name, value, ...): pictures of every class and number of channels
%!function check_all (varargin)
%!  for channels = [1, 3]
%!    check (picture ("uint8", 61, 83, channels), varargin{:});
%!    check (picture ("uint16", 61, 83, channels), varargin{:});
%!  end
%!endfunction

% sizes
%!test check_all ()
%!test
%! for size = [1, 1; 1, 2; 2, 1; 1, 77; 77, 1; 2, 3; 16, 16; 31, 33; 32, 64; 65, 32; 97, 130]'
%!   check (picture ("uint8", size(1), size(2), 1));
%!   check (picture ("uint8", size(1), size(2), 3));
%!   check (picture ("uint16", size(1), size(2), 1));
%!   check (picture ("uint16", size(1), size(2), 3));
%!   check (picture ("uint8", size(1), size(2), 3), "operator", "kirsch");
%! end

% every operator
%!test check_all ("operator", "sobel", "sigma", 0)
%!test check_all ("operator", "sobel-5", "low-threshold", 600, "high-threshold", 1800)
%!test check_all ("operator", "sobel-7", "low-threshold", 8000, "high-threshold", 24000)
%!test check_all ("operator", "scharr", "low-threshold", 200, "high-threshold", 600)
%!test check_all ("operator", "prewitt", "low-threshold", 38, "high-threshold", 113)
%!test check_all ("operator", "kroon", "low-threshold", 1190, "high-threshold", 3560)
%!test check_all ("operator", "roberts", "low-threshold", 12, "high-threshold", 38)
%!test check_all ("operator", "robinson")
%!test check_all ("operator", "kirsch", "low-threshold", 190, "high-threshold", 560)

% every other setting
%!test check_all ("sigma", 0.5)
%!test check_all ("sigma", 4, "low-threshold", 5, "high-threshold", 20)
%!test check_all ("norm", "l1")
%!test check_all ("norm", "l2")
%!test check_all ("thin-edges", false)
%!test check_all ("thin-edges", true)
%!test check_all ("color-mode", "luma")
%!test check_all ("color-mode", "largest-channel")
%!test check_all ("color-mode", "largest-channel", "operator", "robinson", "sigma", 0)
%!test check_all ("luma-depth", "8", "sigma", 1)
%!test check_all ("luma-depth", "full", "sigma", 1)
%!test check_all ("threshold-mode", "absolute")
%!test check_all ("threshold-mode", "relative")
%!test check_all ("threshold-mode", "quantile", "high-ratio", 0.8, "low-ratio", 0.3)
%!test check_all ("threshold-mode", "otsu")
%!test check_all ("threshold-mode", "median")
%!test check_all ("min-length", 12)
%!test check_all ("low-threshold", 0, "high-threshold", 0)

% A weak edge through 10 tiles, strong at its left end, needs a pass for each further tile.
%!test
%! A = zeros (20, 300, "uint8");
%! A(10:end, :) = repmat (max (30, 100 - 5 * (1:300)), 11, 1);
%! counts = [];
%! for passes = [1, 2, 20, 0]
%!   check (A, "hysteresis-passes", passes);
%!   check (A', "hysteresis-passes", passes);
%!   counts(end + 1) = nnz (CudaEdgeGray (A, [], [], passes));
%! end
%! assert (counts(1) < counts(2) && counts(2) < counts(3));
%! assert (counts(3), counts(4));

% Pictures whose transpose does not have the transposed edges: in the middle, the gradient is
% 577, 1393, or twice as large.
%!function check_asymmetric (A, varargin)
%!  settings = [{"sigma", 0, "low-threshold", 0, "high-threshold", 0}, varargin];
%!  assert (! isequal (expected (A, settings{:}), expected (permute (A, [2, 1, 3]), settings{:})'));
%!  check (A, settings{:});
%!endfunction
%!shared deep, bytes
%! deep = uint16 ([7186, 7541, 7904, 7914, 7481
%!                 6787, 7079, 7155, 6011, 7618
%!                 6340, 7720, 6918, 8243, 7037
%!                 7004, 6464, 8041, 7640, 7122
%!                 7964, 7027, 7095, 7772, 6852]);
%! bytes = uint8 ([89, 100, 108, 109, 165
%!                 77, 130, 80, 91, 89
%!                 77, 169, 135, 251, 129
%!                 85, 127, 222, 85, 162
%!                 94, 117, 135, 96, 110]);
%!test check_asymmetric (deep)
%!test check_asymmetric (repmat (deep, [1, 1, 3]))
%!test check_asymmetric (bytes, "operator", "scharr")
%!test check_asymmetric (repmat (bytes, [1, 1, 3]), "operator", "scharr")
%!test check_asymmetric (picture ("uint8", 150, 140, 1), "operator", "robinson")
%!test check_asymmetric (picture ("uint8", 150, 140, 3), "operator", "kirsch")

% gray and color
%!test
%! A = picture ("uint8", 40, 50, 1);
%! assert (CudaEdgeRGB (repmat (A, [1, 1, 3])), CudaEdgeGray (A));
%!test
%! A = picture ("uint8", 40, 50, 1);
%! settings = {50, 150, 0, "sigma", 0};
%! assert (CudaEdgeGray (uint16 (A) * 256, settings{:}), CudaEdgeGray (A, settings{:}));

% contours: each edge pixel once, in chains of neighbors, in raster order of their first points; also of pictures
% that are transposed first
%!test
%! for channels = [1, 3]
%!   A = picture ("uint8", 61, 83, channels);
%!   f = {@CudaEdgeGray, @CudaEdgeRGB}{1 + (channels == 3)};
%!   [C, ~, contours] = f (A);
%!   points = vertcat (contours{:});
%!   assert (rows (points) > 100);
%!   assert (sort (sub2ind (size (C), points(:, 2), points(:, 1))), find (C));
%!   steps = cellfun (@(chain) max ([1; max(abs (diff (chain, 1, 1)), [], 2)]), contours);
%!   assert (all (steps == 1));
%!   first = cell2mat (cellfun (@(chain) chain(1, [2, 1]), contours, "UniformOutput", false));
%!   assert (issorted (first, "rows"));
%!   [other, ~, same] = f (257 * uint16 (A), "luma-depth", "8");
%!   assert (other, C);
%!   assert (same, contours);
%! end
%!test
%! [C, ~, contours] = CudaEdgeGray (zeros (5, 7, "uint8"));
%! assert (size (contours), [0, 1]);

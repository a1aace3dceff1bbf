% SPDX-License-Identifier: LGPL-2.1-or-later
% Arguments: places, names, defaults, and the errors of each.

%!shared A, G
%! A = picture ("uint8", 40, 50, 3);
%! G = picture ("uint8", 40, 50, 1);

% places and defaults
%!assert (CudaEdgeRGB (A), expected (A, "low-threshold", 50, "high-threshold", 150, "sigma", 1.4))
%!assert (CudaEdgeRGB (A, 20), expected (A, "low-threshold", 20, "high-threshold", 60))
%!assert (CudaEdgeRGB (A, 20, 300), expected (A, "low-threshold", 20, "high-threshold", 300))
%!assert (CudaEdgeRGB (A, 20, 300, 1), expected (A, "low-threshold", 20, "high-threshold", 300, "hysteresis-passes", 1))
%!assert (CudaEdgeRGB (A, [], 300), expected (A, "low-threshold", 100, "high-threshold", 300))
%!assert (CudaEdgeRGB (A, [], [], []), expected (A))
%!assert (CudaEdgeRGB (A, 20, "sigma", 0), expected (A, "low-threshold", 20, "high-threshold", 60, "sigma", 0))
%!assert (CudaEdgeRGB (A, "sigma", 9, "sigma", 0), expected (A, "sigma", 0))
%!assert (CudaEdgeGray (G, 20, 300, 1), expected (G, "low-threshold", 20, "high-threshold", 300, "hysteresis-passes", 1))
%!assert (CudaEdgeGray (G, 300, 20), CudaEdgeGray (G, 20, 300))
%!assert (CudaEdgeGray (G, single (20), uint8 (200), true), CudaEdgeGray (G, 20, 200, 1))
%!assert (CudaEdgeGray (G, "n-threads", 1, "backend", "cpu", "cuda-device-id", -1, "opencl-device", ""), CudaEdgeGray (G))
%!assert (CudaEdgeGray (G, "low-threshold", 20, "high-threshold", 300), CudaEdgeGray (G, 20, 300))

% the second output
%!test
%! [C, info] = CudaEdgeRGB (A, 20, 300, 0, "backend", "cpu");
%! assert (fieldnames (info), {"edge_pixels"; "low_threshold"; "high_threshold"; "backend"; "device"});
%! assert (info.edge_pixels, nnz (C));
%! assert ([info.low_threshold, info.high_threshold], [20, 300]);
%! assert (info.backend, "cpu");
%! assert (ischar (info.device) && ! isempty (info.device));
%!test
%! [~, info] = CudaEdgeGray (G, "threshold-mode", "relative", "low-ratio", 0.5);
%! assert (info.high_threshold > 0);
%! assert (info.low_threshold, info.high_threshold / 2);

% fails (id, message, function, arguments...)
%!function fails (id, message, name, varargin)
%!  try
%!    feval (name, varargin{:});
%!  catch err
%!    assert (err.identifier, ["cudacanny:", id]);
%!    assert (err.message, [name, ": ", message]);
%!    return
%!  end
%!  error ("%s did not fail", name);
%!endfunction

% the picture
%!test fails ("usage", "usage: [C, info, contours] = CudaEdgeGray(A, thresL, thresH, hyster, name, value, ...); see help CudaEdgeGray", "CudaEdgeGray")
%!test
%! try
%!   [a, b, c, d] = CudaEdgeRGB (A);
%!   error ("did not fail");
%! catch err
%!   assert (err.identifier, "cudacanny:usage");
%! end
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 40x50 array of uint8; CudaEdgeGray takes MxN arrays", "CudaEdgeRGB", G)
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 40x50x3 array of uint8; CudaEdgeRGB takes MxNx3 arrays", "CudaEdgeGray", A)
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 40x50x3 array of double; uint8(A) converts it, uint8(255*A) if white is 1", "CudaEdgeRGB", double (A))
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 40x50 array of int16; uint8(A) converts it if white is 255", "CudaEdgeGray", int16 (G))
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 2x2 sparse array of double; full(A) is not sparse", "CudaEdgeGray", speye (2))
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 1x1 array of complex double; abs(A) is not complex", "CudaEdgeGray", 1i)
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 40x50 array of logical; uint8(255*A) converts it", "CudaEdgeGray", G > 9)
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 1x1 array of cell; A{1} is the array in its first cell", "CudaEdgeGray", {G})
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 1x1 array of struct; pass the field that has the picture", "CudaEdgeRGB", struct ("picture", A))
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 1x5 array of char; imread(A) reads the file of this name", "CudaEdgeRGB", "a.png")
%!test fails ("picture", "A must be an MxN array of uint8 or uint16, but is a 1x1 array of function_handle", "CudaEdgeGray", @sin)

% Its advice, followed step by step, makes an array a picture.
%!function A = follow_advice (A)
%!  while (! strcmp (class (A), "uint8"))
%!    try
%!      CudaEdgeGray (A);
%!    catch err
%!      A = eval (regexp (err.message, '(?<=; )[^ ,]+', "match", "once"));
%!    end
%!  end
%!endfunction
%!test
%! for B = {double(G), single(G), G > 99, int16(G), sparse(double (G)), complex(double (G), 1), {G}}
%!   assert (size (CudaEdgeGray (follow_advice (B{1}))), size (G));
%! end
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 4x5x4 array of uint8", "CudaEdgeRGB", zeros (4, 5, 4, "uint8"))
%!test fails ("picture", "A must be an MxNx3 array of uint8 or uint16, but is a 4x5x3x2 array of uint8", "CudaEdgeRGB", zeros (4, 5, 3, 2, "uint8"))
%!test fails ("picture", "A must have 1 to 16384 rows and columns, but is a 0x5 array of uint8", "CudaEdgeGray", zeros (0, 5, "uint8"))
%!test fails ("picture", "A must have 1 to 16384 rows and columns, but is a 5x0x3 array of uint8", "CudaEdgeRGB", zeros (5, 0, 3, "uint8"))
%!test fails ("picture", "A must have 1 to 16384 rows and columns, but is a 16385x1 array of uint8", "CudaEdgeGray", zeros (16385, 1, "uint8"))
%!test fails ("picture", "A must have 1 to 16384 rows and columns, but is a 1x16385 array of uint16", "CudaEdgeGray", zeros (1, 16385, "uint16"))

% numbers
%!test fails ("value", "thresL must be a number from 0 to 1000000, but is -1", "CudaEdgeGray", G, -1)
%!test fails ("value", "thresL must be a number from 0 to 1000000, but is NaN", "CudaEdgeGray", G, NaN)
%!test fails ("value", "thresH must be a number from 0 to 1000000, but is Inf", "CudaEdgeGray", G, 1, Inf)
%!test fails ("value", "thresH must be a number from 0 to 1000000, but is 1000001", "CudaEdgeGray", G, 1, 1000001)
%!test fails ("value", "thresH must be a number from 0 to 1000000, but is a 1x2 array of double", "CudaEdgeGray", G, 1, [1, 2])
%!test fails ("value", "thresL must be a number from 0 to 1000000, but is a 1x1 array of complex double", "CudaEdgeGray", G, 1 + 2i)
%!test fails ("value", "thresL must be a number from 0 to 1000000, but is a 1x1 sparse array of double", "CudaEdgeGray", G, sparse (1))
%!test fails ("value", "hyster must be an integer from 0 to 64, but is 65", "CudaEdgeGray", G, 1, 2, 65)
%!test fails ("value", "hyster must be an integer from 0 to 64, but is 1.5", "CudaEdgeGray", G, 1, 2, 1.5)
%!test fails ("value", "hyster must be an integer from 0 to 64, but is a 1x1 array of cell", "CudaEdgeGray", G, 1, 2, {1})
%!test fails ("value", "sigma must be a number from 0 to 20, but is 20.5", "CudaEdgeRGB", A, "sigma", 20.5)
%!test fails ("value", "sigma must be a number from 0 to 20, but is \"much\"", "CudaEdgeRGB", A, "sigma", "much")
%!test fails ("value", "sigma must be a number from 0 to 20, but is a 0x0 array of double", "CudaEdgeRGB", A, "sigma", [])
%!test fails ("value", "high-ratio must be a number from 0 to 16, but is 17", "CudaEdgeRGB", A, "high-ratio", 17)
%!test fails ("value", "low-ratio must be a number from 0 to 1, but is 1.1", "CudaEdgeRGB", A, "low-ratio", 1.1)
%!test fails ("value", "min-length must be an integer from 0 to 65535, but is 65536", "CudaEdgeRGB", A, "min-length", 65536)
%!test fails ("value", "n-threads must be an integer from 0 to 1024, but is 1025", "CudaEdgeRGB", A, "n-threads", 1025)
%!test fails ("value", "cuda-device-id must be an integer from -1 to 2147483647, but is -2", "CudaEdgeRGB", A, "cuda-device-id", -2)
%!test fails ("value", "thin-edges must be true or false, but is 2", "CudaEdgeRGB", A, "thin-edges", 2)
%!test fails ("value", "low-threshold must be a number from 0 to 1000000, but is -1", "CudaEdgeRGB", A, "low-threshold", -1)

% names and choices
%!test fails ("value", "norm must be one of \"l1\", \"l2\", but is \"l3\"", "CudaEdgeRGB", A, "norm", "l3")
%!test fails ("value", "norm must be one of \"l1\", \"l2\", but is 2", "CudaEdgeRGB", A, "norm", 2)
%!test fails ("value", "operator must be one of \"sobel\", \"sobel-5\", \"sobel-7\", \"scharr\", \"prewitt\", \"kroon\", \"roberts\", \"robinson\", \"kirsch\", but is \"Sobel\"", "CudaEdgeRGB", A, "operator", "Sobel")
%!test fails ("value", "color-mode must be one of \"luma\", \"largest-channel\", but is \"\"", "CudaEdgeRGB", A, "color-mode", "")
%!test fails ("value", "luma-depth must be one of \"full\", \"8\", but is 8", "CudaEdgeRGB", A, "luma-depth", 8)
%!test fails ("value", "threshold-mode must be one of \"absolute\", \"relative\", \"quantile\", \"otsu\", \"median\", but is \"mean\"", "CudaEdgeRGB", A, "threshold-mode", "mean")
%!test fails ("value", "backend must be one of \"auto\", \"cuda\", \"cpu\", \"opencl\", but is \"gpu\"", "CudaEdgeRGB", A, "backend", "gpu")
%!test fails ("value", "opencl-device must be a text, but is 0", "CudaEdgeRGB", A, "opencl-device", 0)
%!test fails ("name", "there is no setting \"blur\"; the settings are low-threshold, high-threshold, threshold-mode, high-ratio, low-ratio, sigma, color-mode, luma-depth, operator, norm, thin-edges, hysteresis-passes, min-length, backend, cuda-device-id, opencl-device, n-threads", "CudaEdgeRGB", A, "blur", 2)
%!test fails ("name", "sigma needs a value after its name", "CudaEdgeRGB", A, 1, 2, "sigma")
%!test fails ("name", "argument 5 must be the name of a setting, but is a 1x1 array of double", "CudaEdgeRGB", A, 1, 2, 3, 4)
%!test fails ("name", "argument 4 must be the name of a setting, but is a 1x1 array of double", "CudaEdgeRGB", A, "sigma", 1, 2, 3)
%!test fails ("name", "argument 2 must be the name of a setting, but is a 2x5 array of char", "CudaEdgeRGB", A, ["sigma"; "sigma"], 1)
%!test fails ("name", "argument 2 must be the name of a setting, but is a 1x6 array of char", "CudaEdgeRGB", A, ["sigma", 0], 1)
%!test fails ("value", "norm must be one of \"l1\", \"l2\", but is a 2x2 array of char", "CudaEdgeRGB", A, "norm", ["l1"; "l2"])
%!test fails ("value", "norm must be one of \"l1\", \"l2\", but is a 1x4 array of char", "CudaEdgeRGB", A, "norm", ["l1", 0, "x"])
%!test fails ("value", "opencl-device must be a text, but is a 1x2 array of char", "CudaEdgeRGB", A, "opencl-device", ["0", 0])

% SPDX-License-Identifier: LGPL-2.1-or-later

% C = expected (A, name, value, ...): the edges of A by the reference, whose program the
% environment variable CANNY_REFERENCE names. Names and values are those of CudaEdgeRGB.
function C = expected (A, varargin)
  choices = struct ("norm", {{"l1", "l2"}}, ...
                    "operator", {{"sobel", "sobel-5", "sobel-7", "scharr", "prewitt", "kroon", ...
                                  "roberts", "robinson", "kirsch"}}, ...
                    "color_mode", {{"luma", "largest-channel"}}, ...
                    "luma_depth", {{"full", "8"}}, ...
                    "threshold_mode", {{"absolute", "relative", "quantile", "otsu", "median"}});
  settings = "";
  names = varargin(1:2:end);
  place = find (strcmp (names, "operator"));
  if (! isempty (place) && ! any (ismember ({"low-threshold", "high-threshold"}, names)))
    gains = [4, 48, 640, 16, 3, 95, 1, 4, 15];  % largest responses to a step
    gain = gains(strcmp (choices.operator, varargin{2 * place}));
    varargin = [varargin, {"low-threshold", 12.5 * gain, "high-threshold", 37.5 * gain}];
  end
  for i = 1:2:numel (varargin)
    [name, value] = varargin{i:i + 1};
    if (any (strcmp (name, {"backend", "cuda-device-id", "opencl-device", "n-threads"})))
      continue
    end
    if (ischar (value))
      value = find (strcmp (value, choices.(strrep (name, "-", "_")))) - 1;
    end
    settings = [settings, sprintf(" %s=%.17g", name, value)];
  end
  formats = struct ("uint8", {{"gray8", "rgb"}}, "uint16", {{"gray16", "rgbx64"}});
  format = formats.(class (A)){1 + (ndims (A) == 3)};
  if (strcmp (format, "rgbx64"))
    A(:, :, 4) = 0;
  end
  input = tempname ();
  file = fopen (input, "w");
  fwrite (file, permute (A, [3, 2, 1]), class (A));
  fclose (file);
  [status, text] = system (sprintf ("'%s' %s %d %d%s < '%s' > '%s.edges'", ...
                                    getenv ("CANNY_REFERENCE"), format, columns (A), rows (A), ...
                                    settings, input, input));
  assert (status, 0, text);
  file = fopen ([input, ".edges"]);
  bytes = fread (file, [columns(A), rows(A)], "uint8");
  fclose (file);
  delete (input);
  delete ([input, ".edges"]);
  C = bytes.' == 255;
end

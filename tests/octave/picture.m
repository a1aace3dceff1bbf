% SPDX-License-Identifier: LGPL-2.1-or-later

% A = picture (type, rows, columns, channels): blocks of random brightness, with noise.
% The same arguments give the same picture.
function A = picture (type, rows, columns, channels)
  rand ("twister", [rows, columns, channels]);
  blocks = rand (ceil (rows / 9), ceil (columns / 9), channels);
  A = zeros (rows, columns, channels);
  for channel = 1:channels
    large = kron (blocks(:, :, channel), ones (9));
    A(:, :, channel) = large(1:rows, 1:columns);
  end
  A = cast ((0.8 * A + 0.2 * rand (size (A))) * double (intmax (type)), type);
end

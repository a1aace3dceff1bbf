% SPDX-License-Identifier: LGPL-2.1-or-later

% check (A, name, value, ...): fails unless CudaEdgeRGB or CudaEdgeGray gives the edges of the
% reference.
function check (A, varargin)
  if (ndims (A) == 3)
    C = CudaEdgeRGB (A, varargin{:});
  else
    C = CudaEdgeGray (A, varargin{:});
  end
  assert (class (C), "logical");
  assert (size (C), [rows(A), columns(A)]);
  wrong = C != expected (A, varargin{:});
  [row, column] = find (wrong, 1);
  assert (! any (wrong(:)), "%d of %d pixels differ, the first in row %d and column %d", ...
          nnz (wrong), numel (wrong), row, column);
end

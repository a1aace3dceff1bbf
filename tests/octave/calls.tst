% SPDX-License-Identifier: LGPL-2.1-or-later
% Many calls: the detector that is kept, memory, and what Octave offers around functions.

% changes of size, of backend options and of the function, with errors in between
%!test
%! for i = 1:3
%!   check (picture ("uint8", 40, 50, 3), "n-threads", i);
%!   check (picture ("uint16", 40, 50, 1));
%!   check (picture ("uint8", 50, 40, 3), "operator", "scharr");
%!   fail ("CudaEdgeRGB (zeros (3))", "must be");
%!   check (picture ("uint16", 50, 40, 3), "backend", "cpu");
%!   check (picture ("uint8", 17, 3, 1));
%!   fail ("CudaEdgeGray (uint8 (5), 1, 2, -1)", "must be");
%! end

% The picture stays as it is.
%!test
%! A = picture ("uint8", 60, 70, 3);
%! copy = A + 0;
%! C = CudaEdgeRGB (A, "operator", "kirsch");
%! C(:) = true;
%! assert (A, copy);

% Cleared functions leave nothing behind that could run on.
%!test
%! A = picture ("uint8", 200, 300, 3);
%! for i = 1:20
%!   edges = CudaEdgeRGB (A);
%!   gray_edges = CudaEdgeGray (A(:, :, 1));
%!   if (mod (i, 2) == 0)
%!     clear CudaEdgeRGB
%!   end
%!   if (mod (i, 3) == 0)
%!     clear CudaEdgeGray
%!   end
%! end
%! assert (edges, expected (A));
%! assert (gray_edges, expected (A(:, :, 1)));

% 100 calls, each of which handles about 1 MB, add at most 2 MiB to the memory of the process.
%!function kib = memory ()
%!  kib = str2double (regexp (fileread ("/proc/self/status"), 'RssAnon:\s*(\d+)', "tokens"){1}{1});
%!endfunction
%!test
%! A = picture ("uint8", 500, 600, 3);
%! B = picture ("uint16", 500, 600, 1);
%! for i = 1:130
%!   if (i == 31)
%!     before = memory ();
%!   end
%!   C = CudaEdgeRGB (A);
%!   [C, info] = CudaEdgeGray (B);
%!   fail ("CudaEdgeGray (uint8 (5), \"sigma\", -1)", "must be");
%! end
%! after = memory ();
%! assert (after - before < 2048, "from %d to %d KiB", before, after);

% The example of docs/guide/octave.md, on a photograph of the repository.
%!test
%! root = fullfile (fileparts (which ("run_tests")), "../..");
%! text = fileread (fullfile (root, "docs/guide/octave.md"));
%! example = regexp (text, '    A = imread[^\n]*\n    C = [^\n]*\n    imwrite[^\n]*', "match", "once");
%! assert (! isempty (example));
%! edges = [tempname(), ".png"];
%! example = strrep (strrep (example, "edges.png", edges), "docs/", [root, "/docs/"]);
%! eval (example);
%! written = imread (edges);
%! delete (edges);
%! assert (written, [A, 255 * uint8(expected (A, "sigma", 2))]);

% help and demonstrations
%!test
%! text = help ("CudaEdgeRGB");
%! assert (! isempty (strfind (text, "C = CudaEdgeRGB (A, thresL, thresH, hyster)")));
%! assert (! isempty (strfind (help ("CudaEdgeGray"), "C = CudaEdgeGray (A, thresL, thresH, hyster)")));
%!test
%! for name = {"CudaEdgeRGB", "CudaEdgeGray"}
%!   text = help (name{1});
%!   try
%!     feval (name{1}, ones (1, 1, 2 * strcmp (name{1}, "CudaEdgeRGB") + 1, "uint8"), "?", 0);
%!   catch err
%!     settings = strsplit (regexp (err.message, "settings are (.*)", "tokens", "once"){1}, ", ");
%!   end
%!   assert (numel (settings) > 10);
%!   for setting = settings(! ismember (settings, {"low-threshold", "high-threshold", "hysteresis-passes"}))
%!     class = '"\s+(number|integer|logical|char)\s';
%!     entry = regexp (text, ['"', setting{1}, class, '((?!\n\s*"[a-z-]+', class, ').)*\('], "match", "once");
%!     assert (! isempty (entry), "%s lacks the class or the default of %s", name{1}, setting{1});
%!   end
%!   for part = {"A: M x N", "of uint8 or uint16", "thresL, thresH: numbers", "(50 and 150)", "hyster: integer", "(0", "C: M x N logical", "info: struct", "of double", "of char"}
%!     assert (! isempty (strfind (text, part{1})), "%s lacks \"%s\"", name{1}, part{1});
%!   end
%! end
%!test
%! for name = {"CudaEdgeRGB", "CudaEdgeGray"}
%!   text = evalc ("demo (name{1}, 1)");
%!   assert (! isempty (strfind (text, "# ")), text);
%! end

% The .m files alone, without the MEX functions, say what is missing.
%!test
%! folder = tempname ();
%! mkdir (folder);
%! for name = {"CudaEdgeRGB", "CudaEdgeGray"}
%!   copyfile (fullfile (fileparts (which (name{1})), [name{1}, ".m"]), folder);
%!   command = sprintf ("octave-cli --norc --path '%s' --eval '%s (1)' 2>&1", folder, name{1});
%!   [~, text] = system (command);
%!   message = sprintf ("error: %s.mex must be in the folder of %s.m", name{1}, name{1});
%!   assert (strncmp (text, message, numel (message)), text);
%! end
%! confirm_recursive_rmdir (false, "local");
%! rmdir (folder, "s");

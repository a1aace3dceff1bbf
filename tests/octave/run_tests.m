% SPDX-License-Identifier: LGPL-2.1-or-later

% Runs all test files of this folder. The exit status is 1 if any test fails.
function run_tests ()
  passed = failed = 0;
  files = dir (fullfile (fileparts (mfilename ("fullpath")), "*.tst"));
  for i = 1:numel (files)
    name = fullfile (files(i).folder, files(i).name);
    [successes, tests] = test (name, "normal", stdout);
    printf ("%s: %d of %d\n", files(i).name, successes, tests);
    passed += successes;
    failed += tests - successes + (tests == 0);
  end
  printf ("%d passed, %d failed, 0 skipped\n", passed, failed);
  exit (failed > 0);
end

# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tests in bash share: makes the folder $work, which goes at the end, and counts checks. Source this file.

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# check DESCRIPTION COMMAND...: counts a check, which passes if the command succeeds.
check() {
  if "${@:2}" >"$work/output" 2>&1; then
    passed=$((passed + 1))
    printf 'ok: %s\n' "$1"
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    cat "$work/output"
  fi
}

# skip REASON: ends a test that can't run here.
skip() {
  printf 'SKIPPED: %s\n0 passed, 0 failed, 1 skipped\n' "$1"
  exit 77
}

# Prints the numbers and returns whether all checks passed.
print_numbers() {
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}

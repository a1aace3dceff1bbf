#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds an empty kernel with the given nvcc and arguments, to check that the toolkit works with this
# host. The last line on stderr says why it does not.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#include <cuda/atomic>\n__global__ void trial() {}\nint main() { trial<<<1, 1>>>(); }\n' >"$folder/trial.cu"
if ! "$@" -std=c++17 -c -o "$folder/trial.o" "$folder/trial.cu" 2>"$folder/errors"; then
  cat "$folder/errors" >&2
  # rsqrt() of glibc 2.42
  if grep -q 'exception specification is incompatible' "$folder/errors"; then
    printf 'it does not know the C library here, %s; glibc 2.42 takes CUDA 13.2 or newer\n' \
      "$(getconf GNU_LIBC_VERSION)" >&2
  fi
  exit 1
fi
"$1" -o "$folder/trial" "$folder/trial.o"

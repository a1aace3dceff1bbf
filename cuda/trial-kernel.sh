#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds an empty kernel with the given nvcc and arguments, to check that the toolkit works with this
# host.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#include <cuda/atomic>\n__global__ void trial() {}\nint main() { trial<<<1, 1>>>(); }\n' >"$folder/trial.cu"
"$@" -std=c++17 -c -o "$folder/trial.o" "$folder/trial.cu"
"$1" -o "$folder/trial" "$folder/trial.o"

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the folder of the CUDA toolkit of the given nvcc.
set -eu
top=$("$1" --dryrun -c none.cu 2>&1 | sed -n 's/^#\$ TOP=//p')
realpath "$top"

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints a file as a raw string of C++.
#
#   embed.sh FILE
set -eu
printf 'R"CL('
cat -- "$1"
printf ')CL"\n'

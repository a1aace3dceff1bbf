#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the example REGIONS on noise and checks that there are edges in the region alone.
set -eu

edges=$(mktemp)
trap 'rm -f "$edges"' EXIT
"$1" "videotestsrc pattern=snow num-buffers=1 ! video/x-raw,format=GRAY8,width=64,height=48
  ! cudacanny name=detector backend=cpu sigma=0 roi-mode=meta ! filesink location=$edges" 0,16,64,8
# Bytes 1024 to 1535 are rows 16 to 23.
count() { od -An -v -tu1 "$@" "$edges" | tr -s ' ' '\n' | grep -cx 255 || true; }
inside=$(count -j1024 -N512) all=$(count)
echo "$inside edge pixels in the region, $all in the frame"
[ "$inside" -gt 0 ] && [ "$inside" -eq "$all" ]

#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs the demo DEMO with a full disk under its video: it must end with an error that names the file.
set -eu
export LC_ALL=C
unset DISPLAY WAYLAND_DISPLAY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gst-launch-1.0 -q videotestsrc num-buffers=60 pattern=ball ! video/x-raw,width=320,height=240 ! \
  jpegenc ! avimux ! filesink location="$work/input.avi"
mkdir "$work/demo"
ln -s /dev/full "$work/demo/edges.mkv"
status=0
timeout 60 "$1" "$work/input.avi" "$work/demo" >"$work/log" 2>&1 || status=$?
cat "$work/log"
[ "$status" -eq 1 ] && grep -qF "$work/demo/edges.mkv: No space left on the resource." "$work/log"

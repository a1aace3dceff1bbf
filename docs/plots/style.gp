# SPDX-License-Identifier: LGPL-2.1-or-later
# Style and data of all plots. The background is transparent, and the colors are readable on white and
# on black.
set terminal svg size 720,440 font "sans-serif,13" noenhanced
gray = "#7d8590"
blue = "#3b82f6"
orange = "#e8710a"
green = "#2a9d50"
purple = "#a371f7"
red = "#e5534b"

set border 3 linecolor rgb gray
set tics nomirror textcolor rgb gray
set grid linecolor rgb gray linewidth 0.5 dashtype 3
set key outside bottom center horizontal height 1 textcolor rgb gray
set title textcolor rgb gray
set xlabel textcolor rgb gray
set ylabel textcolor rgb gray
set pointsize 0.7
set datafile separator tab

# Rows of a measurement as two columns, x and y, written in jq. $n is the number of pixels of a frame.
rows(file, which, x, y) = "< jq -r '.rows[] | select(" . which . ")" \
  . " | (.size | split(\"x\") | map(tonumber) | .[0] * .[1]) as $n" \
  . " | select((" . y . ") != null) | [" . x . ", " . y . "] | @tsv' data/" . file . ".json"
# The hardware and software of a measurement, for titles.
machine(file) = system("jq -r '.header | [(.device | sub(\", [0-9]+ threads?\"; \"\"))," \
  . " (.driver_version | strings | select(. != \"\") | \"driver \" + .)," \
  . " (.runtime_version | strings | select(. != \"\") | \"CUDA \" + .)," \
  . " (.gstreamer | strings)] | join(\", \")' data/" . file . ".json")
# Nanoseconds a pixel, from a column in microseconds a frame.
ns(column) = "." . column . " * 1000 / $n"

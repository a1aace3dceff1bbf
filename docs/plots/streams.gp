# SPDX-License-Identifier: LGPL-2.1-or-later
# Frames a second of all pipelines together against their number.
set title "Pipelines on one GPU, 1920x1080 NV12 in and out\n" . machine("streams")
set xlabel "pipelines at the same time"
set ylabel "frames/s, all pipelines"
set logscale x 2
set xrange [0.9:35]
set yrange [0:*]
set xtics (1, 2, 4, 8, 16, 32)
streams(memory) = "< jq -r '.rows[] | select(.remark == \"" . memory . "\")" \
  . " | [(.row | ltrimstr(\"streams-\")), .frames_per_s] | @tsv' data/streams.json"
plot streams("CUDA memory") using 1:2 with linespoints lw 2 lc rgb blue title "CUDA memory", \
  streams("system memory") using 1:2 with linespoints lw 2 lc rgb orange title "system memory"

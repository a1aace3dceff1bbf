# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against the number of hysteresis passes.
set title "Time per pixel against hysteresis passes, RGB, 3840x2160\n" . machine("gpu-passes")
set xlabel "hysteresis passes"
set ylabel "ns per pixel"
set yrange [0:*]
set logscale x 2
set xrange [0.9:35]
set xtics (1, 2, 4, 8, 16, 32)
plot rows("gpu-passes", ".content == \"noise\"", ".passes", ns("thr_us")) using 1:2 with linespoints lw 2 lc rgb orange title "noise", \
  rows("gpu-passes", ".content == \"photo\"", ".passes", ns("thr_us")) using 1:2 with linespoints lw 2 lc rgb blue title "photo"

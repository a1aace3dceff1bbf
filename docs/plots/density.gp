# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against the density of edges.
set title "RGB, 3840x2160, sigma 1.4"
set xlabel "edge pixels, %"
set ylabel "ns a pixel"
set logscale y
set xrange [0:35]
large = ".size == \"3840x2160\""
plot rows("epyc-1-thread", large, ".edges_percent", ns("opencv_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb gray title "OpenCV, 1 thread", \
  rows("epyc-1-thread", large, ".edges_percent", ns("thr_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb green title "CPU backend, 1 thread", \
  rows("gpu-density", large, ".edges_percent", ns("npp_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb purple title "NPP", \
  rows("gpu-density", large, ".edges_percent", ns("thr_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb blue title "GPU, in a sequence"

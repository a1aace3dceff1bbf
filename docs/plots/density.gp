# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against the density of edges.
set title "Time per pixel against density of edges, RGB, 3840x2160, sigma 1.4\n" \
  . "GPU: " . machine("gpu-density") . "; CPU: " . machine("epyc-1-thread")
set xlabel "edge pixels, %"
set ylabel "ns per pixel"
set logscale y
set key width -5  # two columns
set xrange [0:35]
large = ".size == \"3840x2160\""
plot rows("epyc-1-thread", large, ".edges_percent", ns("opencv_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb gray title "OpenCV 4.6, CPU, 1 thread", \
  rows("epyc-1-thread", large, ".edges_percent", ns("thr_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb green title "cudacanny, CPU, 1 thread", \
  rows("gpu-density", large, ".edges_percent", ns("npp_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb purple title "NPP in a sequence, no hysteresis", \
  rows("gpu-density", large, ".edges_percent", ns("thr_us")) using 1:2 smooth unique with linespoints lw 2 lc rgb blue title "cudacanny, GPU, in a sequence"

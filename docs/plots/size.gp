# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against the size of frames.
set title "Time per pixel against size of frames, RGB photo, sigma 1.4\n" \
  . "GPU: " . machine("gpu-sizes") . "; CPU: " . machine("epyc-1-thread")
set ylabel "ns per pixel"
set logscale xy
set key width -5  # two columns
set xrange [0.25:42]
set xtics ("480p" 0.3072, "720p" 0.9216, "1080p" 2.0736, "1440p" 3.6864, "4K" 8.2944, "8K" 33.1776)
set xlabel "size of a frame"
photo = ".content == \"photo\""
plot rows("epyc-1-thread", photo, "$n / 1e6", ns("opencv_us")) using 1:2 with linespoints lw 2 lc rgb gray title "OpenCV 4.6, CPU, 1 thread", \
  rows("epyc-1-thread", photo, "$n / 1e6", ns("thr_us")) using 1:2 with linespoints lw 2 lc rgb green title "cudacanny, CPU, 1 thread", \
  rows("gpu-sizes", photo, "$n / 1e6", ns("npp_us")) using 1:2 with linespoints lw 2 lc rgb purple title "NPP in a sequence, no hysteresis", \
  rows("gpu-sizes", photo, "$n / 1e6", ns("ev_us")) using 1:2 with linespoints lw 2 lc rgb orange title "cudacanny, GPU, a frame alone", \
  rows("gpu-sizes", photo, "$n / 1e6", ns("thr_us")) using 1:2 with linespoints lw 2 lc rgb blue title "cudacanny, GPU, in a sequence"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against sigma.
set title "Time per pixel against sigma, RGB photo, 3840x2160\n" . machine("gpu-sigmas")
set xlabel "sigma"
set ylabel "ns per pixel"
set yrange [0:*]
set key off
plot rows("gpu-sigmas", "true", ".sigma", ns("thr_us")) using 1:2 with linespoints lw 2 lc rgb blue

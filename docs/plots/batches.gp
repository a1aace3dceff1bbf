# SPDX-License-Identifier: LGPL-2.1-or-later
# Time a pixel against the size of pictures, one per call and in batches.
set title "Time per pixel against size of pictures, RGB photo, sigma 1.4\n" . machine("gpu-batches")
set ylabel "ns per pixel"
set logscale xy
set xrange [0.012:2.8]
set xtics ("128x128" 0.016384, "224x224" 0.050176, "512x512" 0.262144, "1080p" 2.0736)
set xlabel "size of a picture"
set key width -5  # two columns
single = ".batch == null"
batch = ".batch == 64"
each(column) = ns(column) . " / (.batch // 1)"
plot rows("gpu-batches", single, "$n / 1e6", each("wall_us")) using 1:2 with linespoints lw 2 lc rgb orange title "one picture alone", \
  rows("gpu-batches", single, "$n / 1e6", each("thr_us")) using 1:2 with linespoints lw 2 lc rgb red title "one picture per call, in a sequence", \
  rows("gpu-batches", batch, "$n / 1e6", each("wall_us")) using 1:2 with linespoints lw 2 lc rgb green title "one batch of 64 alone", \
  rows("gpu-batches", batch, "$n / 1e6", each("thr_us")) using 1:2 with linespoints lw 2 lc rgb blue title "batches of 64, in a sequence"

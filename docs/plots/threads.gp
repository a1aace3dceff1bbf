# SPDX-License-Identifier: LGPL-2.1-or-later
# Speedup of the CPU backend against its number of threads.
set title "RGB, 3840x2160, sigma 1.4"
set xlabel "threads"
set ylabel "speedup over one thread"
set logscale xy 2
set xrange [0.9:18]
set yrange [0.9:18]
set xtics (1, 2, 4, 8, 16)
set ytics (1, 2, 4, 8, 16)
at(content) = ".size == \"3840x2160\" and .content == \"" . content . "\""
plot x with lines lw 1 dashtype 2 lc rgb gray title "as many times as threads", \
  rows("xeon-2-threads", at("photo"), "2", ".speedup") using 1:2 with points pt 7 lc rgb blue title "Xeon, photo", \
  rows("xeon-16-threads", at("photo"), "16", ".speedup") using 1:2 with points pt 7 lc rgb blue notitle, \
  rows("xeon-2-threads", at("noise"), "2", ".speedup") using 1:2 with points pt 6 lc rgb orange title "Xeon, noise", \
  rows("xeon-16-threads", at("noise"), "16", ".speedup") using 1:2 with points pt 6 lc rgb orange notitle, \
  rows("epyc-2-threads", at("photo"), "2", ".speedup") using 1:2 with points pt 4 lc rgb green title "EPYC, photo and noise"

# SPDX-License-Identifier: LGPL-2.1-or-later
# Speedup of the CPU backend against its number of threads.
set title "Speedup of the CPU backend, RGB, 3840x2160, sigma 1.4\n" \
  . machine("emerald-16-threads") . "; " . machine("epyc-2-threads")
set xlabel "threads"
set ylabel "speedup over one thread"
set logscale xy 2
set xrange [0.9:18]
set yrange [0.9:18]
set xtics (1, 2, 4, 8, 16)
set ytics (1, 2, 4, 8, 16)
set pointsize 1.1
at(content) = ".size == \"3840x2160\" and .content == \"" . content . "\""
emerald(threads, content) = rows("emerald-" . threads . "-threads", at(content), threads, ".speedup")
plot x with lines lw 1 dashtype 2 lc rgb gray title "linear speedup", \
  for [n in "2 4 8 16"] emerald(n, "photo") using 1:2 with points pt 9 lc rgb blue title n == 2 ? "Emerald Rapids, photo" : "", \
  for [n in "2 4 8 16"] emerald(n, "noise") using 1:2 with points pt 8 lc rgb orange title n == 2 ? "Emerald Rapids, noise" : "", \
  rows("epyc-2-threads", at("photo"), "2", ".speedup") using 1:2 with points pt 4 lc rgb green title "EPYC, photo"

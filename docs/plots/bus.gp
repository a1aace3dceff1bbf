# SPDX-License-Identifier: LGPL-2.1-or-later
# Frames a second of pipelines in system memory, and of copies over the bus alone.
set title "Frames in system memory through the element\n" . machine("element")
set ylabel "frames/s"
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 border rgb gray
set boxwidth 0.9
set yrange [0:*]
set xtics scale 0
frames(value) = "< jq -r '{\"rgb-4k\": \"4K RGB\", \"nv12-4k\": \"4K NV12\", \"rgb-1080p\": \"1080p RGB\"," \
  . " \"rgb-4k-pageable\": \"4K RGB, pageable\"} as $names" \
  . " | .rows[] | [$names[.row], " . value . "] | @tsv' data/element.json"
plot frames("1e6 / .other_us") using 2:xtic(1) lc rgb gray title "copies over the bus alone", \
  frames(".frames_per_s") using 2 lc rgb blue title "pipeline with cudacanny"

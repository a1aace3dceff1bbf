// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares two edge maps.
///
///     share THEIRS OURS
///     share width PICTURE
///
/// Both maps are binary PPM files of the same size. A pixel is an edge if its green is not 0.
/// Prints six counts: pixels, equal pixels, their edges, those with one of ours at most a pixel
/// away in each direction, our edges, those with one of theirs as near. `width` prints the width of
/// a picture.
#include <algorithm>
#include <cstdio>
#include <string>

#include "ppm.h"

namespace {

bool is_edge(const ppm::Picture& map, int x, int y) {
  return map.rgb[3 * (std::size_t(y) * map.width + x) + 1] != 0;
}

bool has_edge_near(const ppm::Picture& map, int x, int y) {
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, map.height - 1); ++v) {
    for (int u = std::max(x - 1, 0); u <= std::min(x + 1, map.width - 1); ++u) {
      if (is_edge(map, u, v)) return true;
    }
  }
  return false;
}

struct Counts {
  long pixels = 0, equal = 0;
  long theirs = 0, theirs_near = 0, ours = 0, ours_near = 0;
};

Counts compare(const ppm::Picture& theirs, const ppm::Picture& ours) {
  Counts counts;
  for (int y = 0; y < ours.height; ++y) {
    for (int x = 0; x < ours.width; ++x) {
      const bool is_theirs = is_edge(theirs, x, y), is_ours = is_edge(ours, x, y);
      ++counts.pixels;
      counts.equal += is_theirs == is_ours;
      counts.theirs += is_theirs;
      counts.theirs_near += is_theirs && has_edge_near(ours, x, y);
      counts.ours += is_ours;
      counts.ours_near += is_ours && has_edge_near(theirs, x, y);
    }
  }
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: share THEIRS OURS\n       share width PICTURE\n");
    return 2;
  }
  if (argv[1] == std::string("width")) return std::printf("%d\n", ppm::read(argv[2]).width) < 0;
  const ppm::Picture theirs = ppm::read(argv[1]), ours = ppm::read(argv[2]);
  if (theirs.rgb.empty() || theirs.width != ours.width || theirs.height != ours.height) {
    std::fprintf(stderr, "share: %s and %s are not two pictures of the same size\n", argv[1],
                 argv[2]);
    return 1;
  }
  const Counts counts = compare(theirs, ours);
  std::printf("%ld %ld %ld %ld %ld %ld\n", counts.pixels, counts.equal, counts.theirs,
              counts.theirs_near, counts.ours, counts.ours_near);
  return 0;
}

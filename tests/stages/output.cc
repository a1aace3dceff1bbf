// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the output's pixels and the number of edges with the reference, to the bit.
#include "reference/reference.h"
#include "stages.h"

namespace stages {

using cases::Case;
using harness::difference;
using harness::GuardedFrame;

std::string check_output(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 3);
  auto edges = cases::fill_mask(c.fill, c.width, c.height, random);
  std::uint64_t expected_count = 0;
  std::vector<std::uint8_t> map;
  for (std::uint8_t& pixel : edges) {
    pixel = pixel > 0;
    expected_count += pixel;
    map.push_back(pixel ? 255 : 0);
  }
  GuardedFrame expected(c.width, c.height, c.output, c.output_offset, c.output_gap,
                        c.output_bottom_up);
  GuardedFrame actual = expected;
  reference::output(map, expected.frame());
  std::uint64_t counted = 0;
  if (canny::Status s = backend.output(edges, &actual, &counted); !s.ok()) return s.message();
  const std::string d =
      difference(harness::pixels(expected.const_frame()), harness::pixels(actual.const_frame()),
                 canny::row_bytes(c.output, c.width));
  if (!d.empty()) return "output: " + d;
  if (!actual.intact()) return "output wrote outside the rows";
  return counted == expected_count ? ""
                                   : "output counted " + std::to_string(counted) + " edges of " +
                                         std::to_string(expected_count);
}

}  // namespace stages

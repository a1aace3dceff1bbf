// SPDX-License-Identifier: LGPL-2.1-or-later
// Edge maps and their chains, written down.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/contours.h"

namespace drawn_chains {

using Chains = std::vector<reference::ChainPoints>;

struct Drawn {
  const char* name;
  std::vector<std::string> rows;  // of the map: # is an edge
  Chains chains;
  std::ptrdiff_t closed = 0;  // chains
};

inline const Drawn kDrawn[] = {
    {"nothing", {"...", "..."}, {}},
    {"a pixel", {"#"}, {{{0, 0}}}},
    {"a row", {".###"}, {{{1, 0}, {2, 0}, {3, 0}}}},
    {"a column", {"#", "#", "#"}, {{{0, 0}, {0, 1}, {0, 2}}}},
    {"two sides of the topmost point",
     {"..#..", ".#.#.", "#...#"},
     {{{0, 2}, {1, 1}, {2, 0}, {3, 1}, {4, 2}}}},
    {"a corner, none of whose pixels is left over",
     {"#..", ".##", "..#"},
     {{{0, 0}, {1, 1}, {2, 1}, {2, 2}}}},
    {"a ring, from its topmost point back to it",
     {".##.", "#..#", ".##."},
     {{{1, 0}, {2, 0}, {3, 1}, {2, 2}, {1, 2}, {0, 1}}},
     1},
    {"a junction, straight on",
     {"..#..", "..#..", "#####", "..#..", "..#.."},
     {{{2, 0}, {2, 1}}, {{0, 2}, {1, 2}, {2, 2}, {3, 2}, {4, 2}}, {{2, 3}, {2, 4}}}},
    {"of equally straight pairs the first",
     {".#.", ".#.", "#.#"},
     {{{1, 0}, {1, 1}, {2, 2}}, {{0, 2}}}},
    {"a link that one of its pixels does not keep",
     {"#.#", ".#.", "#.#"},
     {{{0, 0}, {1, 1}, {2, 2}}, {{2, 0}}, {{0, 2}}}},
    {"a block", {"##", "##"}, {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}}, 1},
    {"three neighbors", {"##", "#."}, {{{1, 0}, {0, 0}, {0, 1}}}, 1},
    {"two chains, the upper one first", {"...#", "#..."}, {{{3, 0}}, {{0, 1}}}},
};

}  // namespace drawn_chains

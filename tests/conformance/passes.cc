// SPDX-License-Identifier: LGPL-2.1-or-later
/// Checks hysteresis with a number of passes: hand-drawn masks, a second implementation on random
/// and worst-case masks, monotonicity and convergence.
#include "passes.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "drawn_masks.h"
#include "masks.h"
#include "random.h"
#include "reference.h"

namespace {

using reference::Bytes;
using reference::Candidates;
using Mask = std::vector<std::vector<bool>>;

int passed = 0;
int failed = 0;

/// Prints the pixels around the first difference: `.` 0 in both, `#` 1 in both, `-` missing,
/// `+` surplus.
void dump(const Bytes& expected, const Bytes& got, int x, int y) {
  for (int row = std::max(0, y - 5); row < std::min(expected.height, y + 6); row++) {
    std::printf("    ");
    for (int column = std::max(0, x - 16); column < std::min(expected.width, x + 17); column++) {
      const int pair = 2 * expected.row(row)[column] + got.row(row)[column];
      std::putchar(".+-#"[pair & 3]);
    }
    std::putchar('\n');
  }
}

void compare(const std::string& title, const Bytes& expected, const Bytes& got) {
  for (int y = 0; y < expected.height; y++) {
    for (int x = 0; x < expected.width; x++) {
      if (expected.row(y)[x] == got.row(y)[x]) continue;
      std::printf("FAILED %s: %dx%d, first difference at (%d, %d): expected %d, got %d\n",
                  title.c_str(), expected.width, expected.height, x, y, expected.row(y)[x],
                  got.row(y)[x]);
      dump(expected, got, x, y);
      failed++;
      return;
    }
  }
  passed++;
}

void check(const std::string& title, bool holds) {
  if (!holds) std::printf("FAILED %s\n", title.c_str());
  (holds ? passed : failed)++;
}

Mask mask_of(const Bytes& plane) {
  Mask mask(std::size_t(plane.height));
  for (int y = 0; y < plane.height; y++) mask[y].assign(plane.row(y), plane.row(y) + plane.width);
  return mask;
}

Bytes plane_of(const Mask& mask) {
  Bytes plane(int(mask[0].size()), int(mask.size()));
  for (int y = 0; y < plane.height; y++) {
    std::copy(mask[std::size_t(y)].begin(), mask[std::size_t(y)].end(), plane.row(y));
  }
  return plane;
}

bool is_subset(const Bytes& inner, const Bytes& outer) {
  for (std::size_t i = 0; i < inner.samples.size(); i++) {
    if (inner.samples[i] > outer.samples[i]) return false;
  }
  return true;
}

void check_drawn(const reference::DrawnMask& mask) {
  compare(mask.name + ", until stable", mask.stable, reference::hysteresis(mask.candidates, 0));
  for (unsigned n = 1; n < mask.expected.size(); n++) {
    const std::string title = mask.name + ", " + std::to_string(n) + " passes";
    compare(title, mask.expected[n], reference::hysteresis(mask.candidates, n));
    compare(title + ", second implementation", mask.expected[n],
            plane_of(reference::passes_by_components(mask_of(mask.candidates.candidate),
                                                     mask_of(mask.candidates.strong), int(n))));
  }
}

/// Compares both implementations for n = 1 to 8, and checks that E(n) is within E(n + 1) and that
/// the last map is that of n = 0.
void check_mask(const std::string& title, const Candidates& candidates) {
  const Mask candidate = mask_of(candidates.candidate);
  const Mask strong = mask_of(candidates.strong);
  const Bytes stable = reference::hysteresis(candidates, 0);
  Bytes before = candidates.strong;
  for (unsigned n = 1; n <= 8; n++) {
    const std::string name = title + ", " + std::to_string(n) + " passes";
    const Bytes edges = reference::hysteresis(candidates, n);
    compare(name, plane_of(reference::passes_by_components(candidate, strong, int(n))), edges);
    check(name + ": E(n - 1) is within E(n)", is_subset(before, edges));
    before = edges;
  }
  check(title + ": E(8) is within the stable map", is_subset(before, stable));
  // Each pass but the last adds at least one pixel.
  const int enough = int(candidates.candidate.samples.size());
  compare(title + ", converged", stable,
          plane_of(reference::passes_by_components(candidate, strong, enough)));
  Bytes next = reference::hysteresis({candidates.candidate, before}, 1);
  while (next.samples != before.samples) {
    before = next;
    next = reference::hysteresis({candidates.candidate, before}, 1);
  }
  compare(title + ", pass after pass", stable, before);
}

/// A side of 1..100 pixels, more often one around the sides of tiles.
int random_side(reference::Random& random) {
  static constexpr int kSides[] = {1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97};
  if (random.between(0, 1) == 0) return random.between(1, 100);
  return kSides[random.between(0, 10)];
}

void check_random(std::uint64_t seed) {
  reference::Random random(seed);
  const int width = random_side(random);
  const int height = random_side(random);
  const int candidates_percent = random.between(5, 75);
  const int strong_per_thousand = random.between(0, 3) == 0 ? 100 : random.between(0, 10);
  Candidates candidates{{width, height}, {width, height}};
  for (std::size_t i = 0; i < candidates.candidate.samples.size(); i++) {
    const bool candidate = random.between(1, 100) <= candidates_percent;
    candidates.candidate.samples[i] = candidate;
    candidates.strong.samples[i] = candidate && random.between(1, 1000) <= strong_per_thousand;
  }
  check_mask("random mask, --seed " + std::to_string(seed) + ", " +
                 std::to_string(candidates_percent) + " % candidates",
             candidates);
}

void check_worst_cases() {
  static constexpr int kSides[][2] = {{31, 31}, {32, 32}, {33, 33}, {64, 64},
                                      {65, 97}, {100, 3}, {3, 100}, {129, 70}};
  for (const auto& [width, height] : kSides) {
    for (int i = 0; i < masks::kMasks; i++) {
      const auto mask = static_cast<masks::Mask>(i);
      const std::string title = std::string(masks::name(mask)) + " " + std::to_string(width) + "x" +
                                std::to_string(height);
      check_mask(title, masks::draw(mask, width, height, masks::Strong::kBegin));
      if (mask == masks::Mask::kOnes)
        check_mask(title + ", none strong", masks::draw(mask, width, height, masks::Strong::kNone));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--seed") == 0) {
    check_random(std::strtoull(argv[2], nullptr, 10));
  } else if (argc == 1) {
    for (const reference::DrawnMask& mask : reference::drawn_masks()) check_drawn(mask);
    check_worst_cases();
    for (std::uint64_t seed = 1; seed <= 200; seed++) check_random(seed);
  } else {
    std::fprintf(stderr, "usage: passes [--seed N]\n");
    return 2;
  }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

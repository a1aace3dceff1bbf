// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares hysteresis with the reference, to the bit.
#include <iterator>

#include "reference/drawn_masks.h"
#include "reference/masks.h"
#include "reference/reference.h"
#include "stages.h"

namespace stages {

using cases::Case;
using harness::difference;

namespace {

std::string check_edges(BackendStages& backend, unsigned passes, const Planes& planes,
                        const std::vector<std::uint8_t>& expected, int width) {
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::vector<std::uint8_t> edges;
    if (canny::Status s = backend.hysteresis(passes, planes, &edges); !s.ok()) return s.message();
    const std::string d = difference(expected, edges, width);
    if (!d.empty()) return "hysteresis, " + std::to_string(passes) + " passes: " + d;
  }
  return "";
}

struct MaskSize {
  int width, height;
};

// Sizes around multiples of tiles and words, and some large ones.
const std::vector<MaskSize>& mask_sizes() {
  static const std::vector<MaskSize> list = [] {
    constexpr int kSmall[] = {31, 32, 33, 34, 63, 64, 65, 66};
    constexpr int kLarge[] = {127, 128, 129, 130, 255, 256, 257, 258};
    std::vector<MaskSize> sizes = {{513, 385}, {1023, 257}, {2000, 1100}, {1999, 1101}};
    for (int a : kSmall) {
      for (int b : kSmall) sizes.push_back({a, b});
      for (int b : kLarge) sizes.insert(sizes.end(), {{a, b}, {b, a}});
    }
    return sizes;
  }();
  return list;
}

}  // namespace

std::string check_hysteresis(BackendStages& backend, const Case& c) {
  reference::Random random(c.seed + 2);
  const auto mask = cases::fill_mask(c.fill, c.width, c.height, random);
  Planes planes{{c.width, c.height}, {c.width, c.height}};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    planes.candidate.samples[i] = mask[i] > 0;
    planes.strong.samples[i] = mask[i] > 1;
  }
  const unsigned some = random.between(1, 8);
  for (unsigned passes : {0u, 1u, some, canny::kMaxHysteresisPasses}) {
    const auto expected = reference::hysteresis(planes, passes);
    const std::string d = check_edges(backend, passes, planes, expected.samples, c.width);
    if (!d.empty()) return d;
  }
  return "";
}

void run_drawn_masks(BackendStages& backend, harness::Tally* tally) {
  for (const auto& mask : reference::drawn_masks()) {
    std::string failure = backend.set_size(mask.width, mask.height, 2, 1).message();
    for (std::size_t passes = 1; passes < mask.expected.size() && failure.empty(); ++passes)
      failure =
          check_edges(backend, passes, mask.candidates, mask.expected[passes].samples, mask.width);
    if (failure.empty())
      failure = check_edges(backend, 0, mask.candidates, mask.stable.samples, mask.width);
    tally->count(backend.backend(), "drawn mask " + mask.name, failure);
  }
}

// Beside a line that winds so much in the first strip that the CPU backend labels components,
// pieces of two strips that touch only at a corner of words: a run of candidates above or below the
// border of the strips, left or right of that of the words, and a strong pixel or another run,
// which a strong pixel touches elsewhere.
void run_corner_mask(BackendStages& backend, harness::Tally* tally) {
  constexpr int kWord = 64, kWinding = 320, kCorners = 8, kLength = 20;
  constexpr int kWidth = kWinding + (kCorners + 1) * kWord, kHeight = 96, kBorder = kHeight / 2;
  Planes planes{{kWidth, kHeight}, {kWidth, kHeight}};
  const auto draw = [&](int x, int y, bool is_strong) {
    planes.candidate.row(y)[x] = 1;
    planes.strong.row(y)[x] = is_strong;
  };
  const auto line = masks::draw(masks::Mask::kVSerpentine, kWinding, kBorder);
  for (int y = 0; y < kBorder; ++y)
    for (int x = 0; x < kWinding; ++x)
      if (line.candidate.row(y)[x] != 0) draw(x, y, line.strong.row(y)[x] != 0);
  for (int corner = 0; corner < kCorners; ++corner) {
    const int near = kBorder - corner % 2, far = 2 * kBorder - 1 - near;
    const int step = corner / 2 % 2 == 0 ? 1 : -1, begin = kWinding + (corner + 1) * kWord;
    const int first = step > 0 ? begin : begin - 1;
    for (int i = 1; i < 4; ++i) draw(first - i * step, near, false);
    const bool is_run = corner / 4 > 0;
    draw(first, far, !is_run);
    for (int i = 1; is_run && i <= kLength; ++i) draw(first + i * step, far, false);
    if (is_run) draw(first + kLength * step, near, true);
  }
  const auto expected = reference::hysteresis(planes);
  std::string failure = backend.set_size(kWidth, kHeight, 2, 1).message();
  if (failure.empty()) failure = check_edges(backend, 0, planes, expected.samples, kWidth);
  tally->count(backend.backend(), "corners of words between strips", failure);
}

std::uint64_t mask_cases() { return mask_sizes().size() * masks::kMasks; }

void run_mask_case(BackendStages& backend, std::uint64_t seed, harness::Tally* tally) {
  constexpr const char* kStrong[] = {"none strong", "first strong", "middle strong", "last strong"};
  const std::uint64_t index = (seed - kMaskSeeds) % mask_cases();
  const std::uint64_t size = index / masks::kMasks, number = index % masks::kMasks;
  const auto [width, height] = mask_sizes()[size];
  const auto mask = static_cast<masks::Mask>(number);
  const auto strong = static_cast<masks::Strong>((size + number) % std::size(kStrong));
  const Planes planes = masks::draw(mask, width, height, strong);
  std::string failure = backend.set_size(width, height, 2, 1).message();
  for (unsigned passes : {0u, 1u, 3u}) {
    if (!failure.empty()) break;
    const auto expected = reference::hysteresis(planes, passes);
    failure = check_edges(backend, passes, planes, expected.samples, width);
  }
  tally->count(backend.backend(),
               "seed " + std::to_string(seed) + ": mask " + masks::name(mask) + ", " +
                   std::to_string(width) + "x" + std::to_string(height) + ", " +
                   kStrong[static_cast<int>(strong)],
               failure);
}

}  // namespace stages

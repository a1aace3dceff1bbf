// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws the regions of test cases.
#include "case_region.h"

#include <limits>
#include <vector>

namespace cases {
namespace {

using canny::Rectangle;
using harness::RegionMemory;
using reference::Random;

constexpr int kManyRectangles = 1000;

enum class Kind {
  kNone,
  kOne,
  kPixel,
  kBand,
  kFew,
  kMany,
  kExtreme,
  kBlockMask,
  kNoiseMask,
  kEmptyMask,
};
constexpr int kKinds = 10;

Rectangle any_rectangle(int width, int height, Random& random) {
  const int x = random.between(-width / 4 - 1, width), y = random.between(-height / 4 - 1, height);
  return {x, y, random.between(-1, width), random.between(-1, height)};
}

// Numbers whose sums overflow, around the frame and beside it.
Rectangle extreme_rectangle(int width, int height, Random& random) {
  constexpr int kMost = std::numeric_limits<int>::max(), kLeast = std::numeric_limits<int>::min();
  const Rectangle choices[] = {{kLeast, kLeast, kMost, kMost},
                               {width / 3, height / 3, kMost, kMost},
                               {kMost, 0, kMost, height},
                               {kLeast + width, 0, kMost, height},
                               {-1, -1, kMost, 2},
                               {0, 0, kLeast, kLeast},
                               {-kMost, height / 2, kMost, 1},
                               {width - 1, 0, 1, kMost}};
  return random.any(choices);
}

std::vector<Rectangle> rectangles_of(Kind kind, int width, int height, Random& random) {
  std::vector<Rectangle> result;
  const auto add = [&](int count, auto draw) {
    for (int i = 0; i < count; ++i) result.push_back(draw(width, height, random));
  };
  const int x = random.between(0, width - 1), y = random.between(0, height - 1);
  if (kind == Kind::kOne)
    result = {{x, y, random.between(1, width - x), random.between(1, height - y)}};
  if (kind == Kind::kPixel) result = {{x, y, 1, 1}};
  if (kind == Kind::kBand && random.between(0, 1)) result = {{0, y, width, height / 10 + 1}};
  if (kind == Kind::kBand && result.empty()) result = {{x, 0, width / 10 + 1, height}};
  if (kind == Kind::kFew) add(random.between(2, 12), any_rectangle);
  if (kind == Kind::kExtreme) add(random.between(1, 3), extreme_rectangle);
  for (int i = 0; kind == Kind::kMany && i < kManyRectangles; ++i)
    result.push_back({random.between(-9, width), random.between(-9, height), random.between(0, 9),
                      random.between(0, 9)});
  return result;
}

// A mask with any stride, whose gaps are inside if they count.
void set_mask(Kind kind, int width, int height, Random& random, RegionMemory* memory) {
  const std::ptrdiff_t stride = width + random.between(0, 9);
  memory->mask.assign(static_cast<std::size_t>(stride) * height, 255);
  const bool is_bottom_up = random.between(0, 1) != 0;
  std::uint8_t* top = memory->mask.data() + (is_bottom_up ? stride * (height - 1) : 0);
  memory->region.mask = {top, is_bottom_up ? -stride : stride};
  const Rectangle block = any_rectangle(width, height, random);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool in_block =
          x >= block.x && y >= block.y && x - block.x < block.width && y - block.y < block.height;
      const bool is_inside = kind == Kind::kNoiseMask ? random.between(0, 2) == 0
                                                      : kind == Kind::kBlockMask && in_block;
      top[y * memory->region.mask.stride_bytes + x] =
          static_cast<std::uint8_t>(is_inside ? random.between(1, 255) : 0);
    }
  }
}

}  // namespace

std::shared_ptr<const RegionMemory> any_region(int width, int height, Random& random) {
  const auto kind = static_cast<Kind>(random.between(0, kKinds - 1));
  auto memory = std::make_shared<RegionMemory>();
  memory->rectangles = rectangles_of(kind, width, height, random);
  memory->region.rectangles = memory->rectangles.data();
  memory->region.rectangle_count = memory->rectangles.size();
  if (kind >= Kind::kBlockMask) set_mask(kind, width, height, random, memory.get());
  return memory;
}

std::string describe(const RegionMemory* region) {
  if (region == nullptr) return "no region";
  if (!region->mask.empty()) return "a mask";
  std::string text = std::to_string(region->rectangles.size()) + " rectangles";
  if (region->rectangles.empty()) return text;
  const Rectangle& first = region->rectangles.front();
  for (const int number : {first.x, first.y, first.width, first.height})
    text += " " + std::to_string(number);
  return text;
}

}  // namespace cases

// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of test cases that every backend runs: geometry, contents, formats and settings, all
// derived from a case's seed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace cases {

/// The last format.
inline constexpr canny::PixelFormat kLastInput = canny::PixelFormat::kRgbPlanesBf16;

/// The formats that outputs may have: all but those between two.
inline constexpr int kFirstOutputs = static_cast<int>(canny::PixelFormat::kGray16Le) + 1,
                     kInputsOnly = static_cast<int>(canny::PixelFormat::kGrayF32) - kFirstOutputs,
                     kOutputs = static_cast<int>(kLastInput) + 1 - kInputsOnly;
constexpr canny::PixelFormat output_format(int i) {
  return static_cast<canny::PixelFormat>(i < kFirstOutputs ? i : i + kInputsOnly);
}
constexpr bool is_output(canny::PixelFormat format) {
  return format <= canny::PixelFormat::kGray16Le || format >= canny::PixelFormat::kGrayF32;
}

/// The contents of an image or a mask.
enum class Fill {
  kNoise,
  kBlackWhite,  // 0 or 255, at random
  kNearMax,     // 250..255
  kConstant,
  kSinglePixels,  // a few bright ones on black
  kBlocks,        // flat rectangles
  kRamp,
  kSpiral,  // one winding line
  kSerpentine,
  kVerticalSerpentine,
  kCheckerboard,
};
inline constexpr int kFills = 11;

const char* name(Fill fill);

struct Case {
  std::uint64_t seed = 0;
  int width = 1;
  int height = 1;
  Fill fill = Fill::kNoise;
  canny::PixelFormat input = canny::PixelFormat::kGray8;
  canny::PixelFormat output = canny::PixelFormat::kGray8;
  int input_offset = 0;  // bytes from an aligned address to the frame
  int output_offset = 0;
  int input_gap = 0;  // bytes from the end of a row to the next row
  int output_gap = 0;
  bool input_bottom_up = false;
  bool output_bottom_up = false;
  harness::Chroma chroma;                               // of both frames
  std::shared_ptr<const harness::RegionMemory> region;  // of the input, null = the whole frame
  unsigned threads = 1;                                 // of the CPU backend
  canny::Params params;
};

/// The first cases walk the table of sizes and fills, once with all special sizes. The cases after
/// them are random, with sides of 1..max_side pixels. From kFrontSeeds on, cases walk the geometry
/// of the front end.
Case make_case(std::uint64_t seed, int max_side);

/// Changes the size of a case, and draws another region if it has one.
void set_size(int width, int height, Case* c);

/// The number of cases in the table.
std::uint64_t table_size();

inline constexpr std::uint64_t kFrontSeeds = std::uint64_t{1} << 32;

/// The number of cases from kFrontSeeds on.
std::uint64_t front_cases();

/// Describes a Case in one line.
std::string describe(const Case& c);

/// Calls `test` with default parameters but each operator and norm.
template <class Test>
void for_operators(const Test& test) {
  for (const canny::Operator op : reference::kOperators) {
    for (const canny::Norm norm : {canny::Norm::kL1, canny::Norm::kL2}) {
      canny::Params params;
      params.gradient_operator = op;
      params.norm = norm;
      test(params);
    }
  }
}

/// Describes the operator and the norm.
std::string describe_operator(const canny::Params& params);

/// width * height samples.
std::vector<std::uint8_t> fill_image(Fill fill, int width, int height, reference::Random& random);

/// Candidates (1) with strong pixels (2) among them, width * height.
std::vector<std::uint8_t> fill_mask(Fill fill, int width, int height, reference::Random& random);

}  // namespace cases

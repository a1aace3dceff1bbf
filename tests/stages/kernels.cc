// SPDX-License-Identifier: LGPL-2.1-or-later
// Chooses the settings that select kernels, and everything else at random.
#include "kernels.h"

#include "case_region.h"

#include <utility>

namespace kernels {
namespace {

constexpr double kSigmas[] = {0, 0.5, 1.4, 3, 8.5, 20};
constexpr unsigned kPasses[] = {0, 1, 3, 64};
constexpr canny::PixelFormat kFormats[] = {
    canny::PixelFormat::kRgb,   canny::PixelFormat::kRgbx,      canny::PixelFormat::kRgb16,
    canny::PixelFormat::kGray8, canny::PixelFormat::kRgbPlanes, canny::PixelFormat::kGray16Le,
    canny::PixelFormat::kV210};
constexpr canny::Norm kNorms[] = {canny::Norm::kL1, canny::Norm::kL2};
constexpr bool kAlignments[] = {false, true};
constexpr cases::Fill kFills[] = {cases::Fill::kNoise, cases::Fill::kSinglePixels,
                                  cases::Fill::kBlocks, cases::Fill::kSpiral};

}  // namespace

std::vector<Kernels> shuffled_kernels(reference::Random& random) {
  std::vector<Kernels> list;
  for (double sigma : kSigmas)
    for (unsigned passes : kPasses)
      for (canny::PixelFormat input : kFormats)
        for (canny::Norm norm : kNorms)
          for (bool aligned : kAlignments)
            list.push_back({sigma, passes, input, norm, aligned,
                            cases::output_format(random.between(0, cases::kOutputs - 1))});
  for (std::size_t i = list.size() - 1; i > 0; --i)
    std::swap(list[i], list[random.between(0, static_cast<int>(i))]);
  return list;
}

cases::Case any_frame(const Kernels& kernels, Size size, reference::Random& random) {
  cases::Case c;
  c.seed = random.next() >> 32;
  c.width = size.width;
  c.height = size.height;
  c.fill = any(kFills, random);
  c.input = kernels.input;
  c.output = kernels.output;
  const int row_bytes = canny::row_bytes(c.input, size.width);
  if (kernels.aligned) {
    c.input_offset = 16 * random.between(0, 2);
    c.input_gap = 16 * random.between(0, 2) + (16 - row_bytes % 16) % 16;
  } else {
    c.input_offset = 2 * random.between(0, 7) + 1;
    c.input_gap = 2 * random.between(0, 7) + 1 + row_bytes % 2;
  }
  c.output_offset = random.between(0, 1) ? 0 : random.between(1, 15);
  c.output_gap = random.between(0, 33);
  c.input_bottom_up = random.between(0, 3) == 0;
  c.threads = 4;
  c.params.sigma = kernels.sigma;
  c.params.norm = kernels.norm;
  c.params.hysteresis_passes = kernels.passes;
  // A blur leaves weaker edges.
  const double scale = 1 + kernels.sigma * kernels.sigma;
  c.params.low_threshold = random.between(0, 120) / scale;
  c.params.high_threshold = c.params.low_threshold + random.between(0, 300) / scale;
  if (random.between(0, 3) == 0) c.region = cases::any_region(c.width, c.height, random);
  return c;
}

}  // namespace kernels

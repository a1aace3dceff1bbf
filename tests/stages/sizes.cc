// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares frames of every size from 1x1 to 130x130 pixels, in every input format, with the
// reference: 608400 cases, of which `--step N` runs every N-th. The rest of a case is random, and
// the number of threads depends on the size.
#include <cstdint>
#include <iterator>
#include <string>

#include "canny/canny.h"
#include "cases.h"
#include "frames.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::View;
using cases::Case;

constexpr int kSide = 130;
constexpr int kFormats = static_cast<int>(cases::kLastInput) + 1;
constexpr std::uint64_t kCases = std::uint64_t{kSide} * kSide * kFormats;
constexpr unsigned kThreads[] = {1, 2, 3, 8};
// Seeds of random cases, apart from those of other programs.
constexpr std::uint64_t kFirstSeed = 1 << 20;

harness::Tally tally;

// All formats of a size follow each other.
Case make_case(std::uint64_t number) {
  const int size = static_cast<int>(number / kFormats);
  const int width = size % kSide + 1, height = size / kSide + 1;
  Case c = cases::make_case(kFirstSeed + number, kSide);
  cases::set_size(width, height, &c);
  c.input = static_cast<canny::PixelFormat>(number % kFormats);
  c.threads = kThreads[(width + 3 * height) % std::size(kThreads)];
  if (c.params.view != View::kOverlay && c.params.view != View::kMasked) return c;
  if (reference::is_deep(c.input)) {
    c.params.view = View::kEdges;
    return c;
  }
  c.output = c.input;
  if (c.input != canny::PixelFormat::kGray8) c.chroma = {};
  return c;
}

void run(Backend backend, const canny::Detector&, const harness::Options& options) {
  frames::Detectors detectors(backend);
  const auto run_case = [&](std::uint64_t number) {
    const Case c = make_case(number);
    canny::Detector* detector = nullptr;
    const canny::Status status = detectors.find(c, &detector);
    tally.count(backend, "case " + std::to_string(number) + ", " + describe(c),
                status.ok() ? frames::CaseFrames(c).check(*detector) : status.message());
  };
  if (options.one_case) return run_case(options.seed % kCases);
  for (std::uint64_t number = 0; number < kCases; number += options.step) run_case(number);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}

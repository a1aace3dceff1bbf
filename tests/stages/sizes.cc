// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares frames of every size from 1x1 to 130x130 pixels, in every input format, with the
// reference: 608400 cases, of which `--step N` runs every N-th. The rest of a case is random, and
// the number of threads depends on the size.
#include <array>
#include <cstdint>
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

class Detectors {
 public:
  explicit Detectors(Backend backend) : backend_(backend) {}

  void run(std::uint64_t number) {
    const Case c = make_case(number);
    tally.count(backend_, "case " + std::to_string(number) + ", " + describe(c), check(c));
  }

 private:
  struct Sized {
    canny::Detector detector;
    int width = 0, height = 0;
  };

  canny::Status prepare(const Case& c, Sized* sized) {
    canny::Status status;
    if (sized->width == 0)
      status =
          canny::Detector::create(harness::detector_options(backend_, c.threads), &sized->detector);
    if (!status.ok() || (sized->width == c.width && sized->height == c.height)) return status;
    sized->width = c.width;
    sized->height = c.height;
    return sized->detector.set_size(c.width, c.height);
  }

  std::string check(const Case& c) {
    Sized& sized = sized_[backend_ == Backend::kCpu ? c.threads : 0];
    if (const canny::Status s = prepare(c, &sized); !s.ok()) return s.message();
    return frames::CaseFrames(c).check(sized.detector);
  }

  const Backend backend_;
  std::array<Sized, 9> sized_;  // by the number of threads
};

void run(Backend backend, const canny::Detector&, const harness::Options& options) {
  Detectors detectors(backend);
  if (options.one_case) return detectors.run(options.seed % kCases);
  for (std::uint64_t number = 0; number < kCases; number += options.step) detectors.run(number);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Alternates between two sets of parameters and compares with either set alone.
#include "papers_measure.h"

#include <algorithm>

#include "bench.h"
#include "check.h"
#include "named_params.h"

namespace papers {
namespace {

using canny::PixelFormat;

constexpr bench::Size kSize = {512, 512};
constexpr std::size_t kPixels = std::size_t{1} * kSize.width * kSize.height;

/// The memory of a gray input and of its output: page-locked for a CUDA device.
class Buffers {
 public:
  Buffers(canny::Backend backend, const std::vector<std::uint8_t>& picture) {
    if (backend == canny::Backend::kCuda)
      bench::check(canny::HostMemory::allocate(2 * kPixels, -1, &locked_));
    else
      pageable_.resize(2 * kPixels);
    std::copy(picture.begin(), picture.end(), data());
  }

  canny::ConstFrame input() {
    return {data(),       kSize.width,         kSize.width,
            kSize.height, PixelFormat::kGray8, canny::Memory::kHost};
  }
  canny::Frame output() {
    return bench::tight_frame(data() + kPixels, kSize.width, kSize.height, PixelFormat::kGray8,
                              canny::Memory::kHost);
  }

 private:
  std::uint8_t* data() { return locked_.data() ? locked_.data() : pageable_.data(); }

  canny::HostMemory locked_;
  std::vector<std::uint8_t> pageable_;
};

struct Change {
  const char* name;
  const char* after;  ///< the settings that differ from those before
};
constexpr Change kChanges[] = {
    {"thresholds", "low-threshold=20 high-threshold=60"},
    {"sigma", "sigma=1"},
    {"hysteresis passes", "hysteresis-passes=4"},
    {"operator", "operator=prewitt low-threshold=37.5 high-threshold=75"}};

}  // namespace

void measure_live(const Settings& settings, canny::Backend backend, const Pictures& pictures,
                  Recording* recording) {
  const bench::Picture picture =
      bench::convert(pictures.paint(Content::kPortrait, kSize), kSize.width, kSize.height,
                     PixelFormat::kGray8, false);
  Buffers buffers(backend, picture.bytes);
  canny::Detector detector =
      bench::open_detector({backend, -1, settings.threads, nullptr, settings.opencl_device});
  bench::check(detector.set_size(kSize.width, kSize.height));
  const canny::ConstFrame input = buffers.input();
  const canny::Frame output = buffers.output();
  const auto detect = [&](const canny::Params& params) {
    bench::check(detector.detect(params, input, output, nullptr));
  };
  const auto require_right = [&](const canny::Params& params) {
    detect(params);
    const bench::Output expected = reference::detect(params, input);
    if (!std::equal(expected.begin(), expected.end(), output.data))
      bench::fail("the edges after a change of parameters differ from the reference");
  };
  const canny::Params before = bench::params_of("high-threshold=100");
  for (const Change& change : kChanges) {
    const canny::Params after = bench::params_of(std::string("high-threshold=100 ") + change.after);
    for (const canny::Params& params : {before, after, before}) require_right(params);
    const std::vector<double> times =
        bench::time_in_turns({[&] { detect(before); }, [&] { detect(after); },
                              [&] {
                                detect(before);
                                detect(after);
                              }},
                             settings.quick ? 1e3 : 1e6);
    Record& record = recording->at("live", std::string(change.name) + " 512x512", name(backend));
    record.width = kSize.width;
    record.height = kSize.height;
    record.values["steady"] = (times[0] + times[1]) / 2;
    record.values["changing"] = times[2] / 2;
  }
}

}  // namespace papers

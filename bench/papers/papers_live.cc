// SPDX-License-Identifier: LGPL-2.1-or-later
// Alternates between two sets of parameters and compares with either set alone.
#include "papers_live.h"

#include <algorithm>

#include "bench.h"
#include "check.h"

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
  canny::Params before, after;
};

std::vector<Change> changes() {
  const canny::Params params = bench::params(1.4, canny::Norm::kL2, canny::Operator::kSobel);
  Change thresholds = {"thresholds", params, params};
  thresholds.after.low_threshold = 20;
  thresholds.after.high_threshold = 60;
  Change sigma = {"sigma", params, params};
  sigma.after.sigma = 1.0;
  Change passes = {"hysteresis passes", params, params};
  passes.after.hysteresis_passes = 4;
  const Change op = {"operator", params,
                     bench::params(1.4, canny::Norm::kL2, canny::Operator::kPrewitt)};
  return {thresholds, sigma, passes, op};
}

}  // namespace

canny::Status create_detector(const Settings& settings, canny::Backend backend,
                              canny::Detector* detector) {
  canny::Options options;
  options.backend = backend;
  options.threads = settings.threads;
  options.opencl_device = settings.opencl_device;
  return canny::Detector::create(options, detector);
}

bool measure_live(const Settings& settings, canny::Backend backend, const Pictures& pictures,
                  Recording* recording) {
  const bench::Picture picture =
      bench::convert(pictures.paint(Content::kPortrait, kSize), kSize.width, kSize.height,
                     PixelFormat::kGray8, false);
  Buffers buffers(backend, picture.bytes);
  canny::Detector detector;
  bench::check(create_detector(settings, backend, &detector));
  bench::check(detector.set_size(kSize.width, kSize.height));
  const canny::ConstFrame input = buffers.input();
  const canny::Frame output = buffers.output();
  const auto detect = [&](const canny::Params& params) {
    bench::check(detector.detect(params, input, output, nullptr));
  };
  const auto is_right = [&](const canny::Params& params) {
    detect(params);
    const bench::Output expected = reference::detect(params, input);
    return std::equal(expected.begin(), expected.end(), output.data);
  };
  for (const auto& [name, before, after] : changes()) {
    if (!is_right(before) || !is_right(after) || !is_right(before)) return false;
    const std::vector<double> times =
        bench::time_in_turns({[&] { detect(before); }, [&] { detect(after); },
                              [&] {
                                detect(before);
                                detect(after);
                              }},
                             settings.quick ? 1e3 : 1e6);
    Record& record = recording->at("live", std::string(name) + " 512x512", canny::name(backend));
    record.width = kSize.width;
    record.height = kSize.height;
    record.values["steady"] = (times[0] + times[1]) / 2;
    record.values["changing"] = times[2] / 2;
  }
  return true;
}

}  // namespace papers

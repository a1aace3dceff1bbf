// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares whole frames from the public Detector with the reference, to the bit.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "frames.h"
#include "harness.h"

namespace {

using canny::Backend;
using cases::Case;

harness::Tally tally;

// Runs a frame on a detector of its size.
std::string check(canny::Detector& detector, const frames::CaseFrames& frames,
                  const canny::Params& params) {
  harness::GuardedFrame output = frames.output();
  canny::Result result;
  const auto begin = std::chrono::steady_clock::now();
  const canny::Status status =
      detector.detect(params, frames.input().const_frame(), output.frame(), &result);
  const std::chrono::nanoseconds all = std::chrono::steady_clock::now() - begin;
  if (!status.ok()) return status.message();
  const bool on_cpu = detector.info().backend == Backend::kCpu;
  const canny::StageTimes& times = result.times;
  const std::uint64_t sum = times.front + times.hysteresis + times.output;
  if (on_cpu && sum > static_cast<std::uint64_t>(all.count()))
    return "stages took longer than the frame";
  const std::string route = result.route;
  if (route.empty() || on_cpu != (route == "cpu")) return "it took the route " + route;
  const std::string wrong = frames.check(output, result);
  return wrong.empty() ? frames.check_copies(result, !on_cpu, !on_cpu) : wrong;
}

// Runs a frame `repeats` times, each time without and with measuring of its stages.
std::string check(canny::Detector& detector, frames::CaseFrames frames, canny::Params params,
                  int repeats) {
  for (int run = 0; run < 2 * repeats; ++run) {
    params.measure_stages = run % 2 == 1;
    frames.expect_measured(params.measure_stages);
    const std::string wrong = check(detector, frames, params);
    if (!wrong.empty())
      return "repeat " + std::to_string(run / 2) + (params.measure_stages ? ", measured: " : ": ") +
             wrong;
  }
  return "";
}

// Runs every `step`-th case.
class Detectors {
 public:
  Detectors(Backend backend, std::uint64_t step)
      : backend_(backend), step_(step), detectors_(backend) {}

  // With these gray pixels, unless there are none.
  void run(const Case& c, int repeats, const std::string& name = "",
           const std::vector<std::uint8_t>& gray = {}) {
    if (next_++ % step_ != 0) return;
    harness::GuardedFrame input = frames::CaseFrames::blank_input(c);
    if (!gray.empty()) input.paint(gray, 0);
    canny::Detector* detector = nullptr;
    const canny::Status status = detectors_.find(c, &detector);
    const auto frames = gray.empty() ? frames::CaseFrames(c) : frames::CaseFrames(c, input);
    tally.count(backend_, name + describe(c),
                status.ok() ? check(*detector, frames, c.params, repeats) : status.message());
  }

 private:
  const Backend backend_;
  const std::uint64_t step_;
  std::uint64_t next_ = 0;
  frames::Detectors detectors_;
};

// Runs every format to every other, and every number of passes, on a picture with edges.
void run_formats_and_passes(Detectors& detectors, std::uint64_t seed) {
  constexpr int kInputs = static_cast<int>(cases::kLastInput) + 1;
  for (int input = 0; input < kInputs; ++input) {
    for (int output = 0; output < cases::kOutputs; ++output) {
      Case c = cases::make_case(seed++, 100);
      cases::set_size(61 + input, 37 + output, &c);
      c.fill = cases::Fill::kBlocks;
      c.input = static_cast<canny::PixelFormat>(input);
      c.output = cases::output_format(output);
      c.params = {};
      c.params.hysteresis_passes = (input + output) % 9;
      detectors.run(c, 1);
    }
  }
}

// Runs every view to every format, from the same format, from another one and from a deep one if
// the view allows it.
void run_views(Detectors& detectors, std::uint64_t seed) {
  reference::Random random(seed);
  for (int view = 0; view <= static_cast<int>(canny::View::kBlurred); ++view) {
    for (int output = 0; output < cases::kOutputs; ++output) {
      Case c = cases::make_case(seed++, 100);
      cases::set_size(61 + output, 100, &c);
      c.fill = view % 2 == 0 ? cases::Fill::kBlocks : cases::Fill::kNoise;
      c.input = c.output = cases::output_format(output);
      c.chroma = {};
      c.params = {};
      c.params.view = static_cast<canny::View>(view);
      c.params.edge_color = 0x5b3c96e1;
      c.params.threshold_mode = canny::ThresholdMode::kOtsu;
      const bool shows_input = canny::shows_input(c.params.view);
      if (!shows_input || !reference::is_deep(c.output)) detectors.run(c, 1);
      if (shows_input) continue;
      c.input = canny::PixelFormat::kRgb;
      c.params.color_mode = canny::ColorMode::kLargestChannel;
      detectors.run(c, 1);
      c.input = static_cast<canny::PixelFormat>(random.between(
          static_cast<int>(canny::PixelFormat::kGray16Le), static_cast<int>(cases::kLastInput)));
      detectors.run(c, 1);
    }
  }
}

// Checks that 100 repeats, fewer by the factor of cases, give equal results, on frames large enough
// for many threads and blocks.
void run_repeats(Detectors& detectors, std::uint64_t seed, std::uint64_t step) {
  const int repeats = std::max(2, static_cast<int>(100 / step));
  for (cases::Fill fill : {cases::Fill::kNoise, cases::Fill::kSpiral, cases::Fill::kBlocks}) {
    for (unsigned passes : {0u, 3u}) {
      Case c = cases::make_case(seed++, 100);
      cases::set_size(401, 307, &c);
      c.fill = fill;
      c.threads = 4;
      c.params = {};
      c.params.low_threshold = 20;
      c.params.high_threshold = 60;
      c.params.hysteresis_passes = passes;
      detectors.run(c, repeats);
    }
  }
}

// A band of gray in columns that are joined at alternate ends and of which the last one is longer.
// Its contour is weak but for one place in a column.
std::vector<std::uint8_t> draw_band(int width, int height, int strong_column) {
  constexpr int kBand = 4, kPitch = 8, kMargin = 3;
  const int turn = height / 2, columns = (width - 2 * kMargin) / kPitch;
  std::vector<std::uint8_t> gray(static_cast<std::size_t>(width) * height, 100);
  for (int column = 0; column < columns; ++column) {
    const bool is_last = column + 1 == columns;
    const int bottom = is_last ? height - kMargin : turn, left = kMargin + column * kPitch;
    for (int y = kMargin; y < bottom; ++y) {
      const bool joined = column % 2 == 0 ? y >= turn - kBand : y < kMargin + kBand;
      const int right = left + (joined && !is_last ? kPitch : kBand);
      const std::uint8_t value = column == strong_column && y / 8 == turn / 16 ? 130 : 116;
      std::fill(&gray[static_cast<std::size_t>(width) * y + left],
                &gray[static_cast<std::size_t>(width) * y + right], value);
    }
  }
  return gray;
}

// Runs contours that cross the strips of the CPU backend too often to be followed from strip to
// strip, and that end in strips where they are not found before.
void run_winding(Detectors& detectors, std::uint64_t seed) {
  constexpr int kWidth = 518, kHeight = 517;
  for (const int strong_column : {0, 31, 63}) {
    const std::vector<std::uint8_t> gray = draw_band(kWidth, kHeight, strong_column);
    for (const unsigned threads : {1u, 2u, 16u}) {
      Case c = cases::make_case(seed++, 100);
      cases::set_size(kWidth, kHeight, &c);
      c.input = c.output = canny::PixelFormat::kGray8;
      c.chroma = {};
      c.region = nullptr;
      c.threads = threads;
      c.params = {};
      c.params.sigma = 0;
      c.params.low_threshold = 50;
      c.params.high_threshold = 100;
      detectors.run(c, 1, "winding contour: ", gray);
    }
  }
}

void run(Backend backend, const canny::Detector&, const harness::Options& options) {
  Detectors detectors(backend, options.one_case ? 1 : options.step);
  if (options.one_case) return detectors.run(cases::make_case(options.seed, options.max_side), 3);
  const std::uint64_t random_cases = cases::table_size() + options.cases;
  for (std::uint64_t seed = 0; seed < random_cases; ++seed)
    detectors.run(cases::make_case(seed, options.max_side), 1);
  run_formats_and_passes(detectors, random_cases);
  run_views(detectors, random_cases + 500);
  run_repeats(detectors, random_cases + 1000, options.step);
  run_winding(detectors, random_cases + 1500);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}

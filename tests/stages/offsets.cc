// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares the offsets of contours with the reference: in frames with all settings, in flight, in
// batches and in device memory.
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/contours.h"
#include "cases.h"
#include "device_memory.h"
#include "frames.h"
#include "harness.h"
#include "reference/reference.h"
#include "targets.h"

namespace {

using canny::Backend;
using canny::Contours;
using canny::Detector;
using canny::Memory;
using canny::PixelFormat;

harness::Tally tally;

std::string text(int x, int y) { return std::to_string(x) + "," + std::to_string(y); }

// Returns an error unless each point has the offset of the reference; "" if all is right. A frame
// without edges has no points. `*finer` counts offsets other than 0.
std::string check(const Contours& contours, const canny::Params& params,
                  const canny::ConstFrame& input, std::uint64_t* finer) {
  if (contours.point_count() == 0) return "";
  if (contours.offsets() == nullptr) return "no offsets";
  const reference::Response response = reference::respond(params, input);
  for (std::size_t i = 0; i < contours.size(); ++i) {
    const canny::Chain chain = contours[i];
    if (chain.offsets - contours.offsets() != chain.points - contours.points()) return "a gap";
    for (std::size_t j = 0; j < chain.size; ++j) {
      const canny::Point at = chain.points[j];
      const reference::Offset expected = reference::offset(params, response, at.x, at.y);
      const auto [x, y] = chain.position(j);
      if (x != at.x + expected.x / 256.0 || y != at.y + expected.y / 256.0)
        return "offset " + text(chain.offsets[j].x, chain.offsets[j].y) + " instead of " +
               text(expected.x, expected.y) + " at " + text(at.x, at.y);
      *finer += expected.x != 0 || expected.y != 0;
    }
  }
  return "";
}

// Cases with all kinds of sizes, settings, regions and formats. On the CPU, each instruction set
// takes turns.
void test_cases(Backend backend, const harness::Options& options) {
  frames::Detectors detectors(backend);
  Contours contours, plain;
  contours.set_precision(true);
  std::uint64_t finer = 0, cases_run = 0;
  const auto targets = stages::targets();
  for (std::uint64_t seed = 0; seed < cases::table_size() + options.cases; seed += options.step) {
    stages::force_target(targets[cases_run++ % targets.size()]);
    cases::Case c = cases::make_case(seed, options.max_side);
    if (seed % 9 != 0 && !shows_edges(c.params.view)) c.params.view = canny::View::kEdges;
    if (seed % 2 == 0) c.params.thin_edges = true;
    if (seed % 5 == 0) c.params.low_threshold = 0;
    Detector* detector = nullptr;
    canny::Status status = detectors.find(c, &detector);
    const frames::CaseFrames frames(c);
    harness::GuardedFrame output = frames.output();
    canny::Frame to = output.frame();
    const canny::ConstFrame from = frames.input().const_frame();
    contours.set_min_points(seed % 4);
    plain.set_min_points(seed % 4);
    to.contours = &plain;
    if (status.ok()) status = detector->detect(c.params, from, to, nullptr);
    to.contours = &contours;
    canny::Result result;
    if (status.ok()) status = detector->detect(c.params, from, to, &result);
    std::string failure = status.message();
    if (failure.empty()) failure = check(contours, c.params, from, &finer);
    if (failure.empty() && harness::bytes_of(contours, {}) != harness::bytes_of(plain, {}))
      failure = "other chains than without offsets";
    if (failure.empty() && plain.offsets() != nullptr) failure = "offsets that nobody wants";
    if (failure.empty() && !c.params.measure_stages) failure = frames.check(output, result);
    tally.count(backend, describe(c), failure);
  }
  stages::use_best_target();
  // A few cases may have no edges.
  if (cases_run >= 4) tally.count(backend, "offsets other than 0", finer > 0 ? "" : "none");
}

// A case of this format and size with the default parameters.
cases::Case make_case(std::uint64_t seed, PixelFormat format, int width, int height) {
  cases::Case c;
  c.seed = seed;
  c.width = width;
  c.height = height;
  c.fill = cases::Fill::kBlocks;
  c.input = format;
  c.input_gap = static_cast<int>(seed % 3) * 12;
  c.input_bottom_up = seed % 2 == 1;
  c.params.low_threshold = 10;
  c.params.high_threshold = 30;
  return c;
}

// Frames in flight, some of which want offsets when they are submitted.
void test_flight(Backend backend, Detector& detector) {
  constexpr int kFrames = 8, kAhead = 3;
  Contours contours[kFrames];
  std::vector<frames::CaseFrames> inputs;
  std::vector<harness::GuardedFrame> outputs;
  for (int i = 0; i < kFrames; ++i) {
    inputs.emplace_back(make_case(i, PixelFormat::kRgb, 203, 121));
    outputs.push_back(inputs[i].output());
  }
  const canny::Params params = make_case(0, PixelFormat::kRgb, 1, 1).params;
  std::string failure = detector.set_size(203, 121, kAhead).message();
  std::uint64_t finer = 0;
  for (int i = 0; i < kFrames + kAhead && failure.empty(); ++i) {
    if (i >= kAhead) {
      const int done = i - kAhead;
      failure = detector.wait(nullptr).message();
      if (failure.empty() && contours[done].point_count() == 0) failure = "no points";
      if (failure.empty() && (contours[done].offsets() != nullptr) != (done % 3 != 1))
        failure = "offsets of another frame";
      if (failure.empty() && done % 3 != 1)
        failure = check(contours[done], params, inputs[done].input().const_frame(), &finer);
    }
    if (i >= kFrames || !failure.empty()) continue;
    canny::Frame to = outputs[i].frame();
    to.contours = &contours[i];
    contours[i].set_precision(i % 3 != 1);
    failure = detector.submit(params, inputs[i].input().const_frame(), to).message();
    contours[i].set_precision(i % 3 == 1);  // too late
  }
  if (failure.empty() && finer == 0) failure = "no offsets";
  tally.count(backend, "offsets of frames in flight", failure);
}

// Batches, of which each thread computes some pictures alone or all share one.
void test_batch(Backend backend, Detector& detector) {
  constexpr int kWidth = 90, kHeight = 70, kBytes = kWidth * kHeight;
  const canny::Params params = make_case(0, PixelFormat::kGray8, 1, 1).params;
  for (const int pictures : {2, 40}) {
    std::vector<std::uint8_t> pixels, edges(std::size_t{kBytes} * pictures);
    for (int i = 0; i < pictures; ++i) {
      reference::Random random(i);
      const auto picture = cases::fill_image(cases::Fill::kBlocks, kWidth, kHeight, random);
      pixels.insert(pixels.end(), picture.begin(), picture.end());
    }
    std::vector<Contours> contours(pictures);
    for (int i = 0; i < pictures; ++i) contours[i].set_precision(i % 4 != 1);
    canny::ConstFrame from = {pixels.data(), kWidth, kWidth, kHeight};
    canny::Frame to = {edges.data(), kWidth, kWidth, kHeight};
    from.batch = {static_cast<unsigned>(pictures), kBytes, nullptr};
    to.batch = {static_cast<unsigned>(pictures), kBytes, nullptr};
    to.contours = contours.data();
    std::vector<canny::Result> results(pictures);
    std::string failure = detector.set_size(kWidth, kHeight, 1, 8).message();
    if (failure.empty()) failure = detector.detect(params, from, to, results.data()).message();
    std::uint64_t finer = 0;
    for (int i = 0; i < pictures && failure.empty(); ++i) {
      const canny::ConstFrame picture = {pixels.data() + std::ptrdiff_t{kBytes} * i, kWidth, kWidth,
                                         kHeight};
      if (i % 4 != 1)
        failure = check(contours[i], params, picture, &finer);
      else if (contours[i].offsets() != nullptr)
        failure = "offsets that nobody wants";
    }
    if (failure.empty() && finer == 0) failure = "no offsets";
    tally.count(backend, "offsets of a batch of " + std::to_string(pictures), failure);
  }
}

// Frames in device memory, with planes, with gaps and bottom-up.
void test_on_device(Detector& detector) {
  int seed = 0;
  for (const PixelFormat format :
       {PixelFormat::kGray8, PixelFormat::kRgbPlanes, PixelFormat::kBgrx, PixelFormat::kGrayF32}) {
    const cases::Case c = make_case(seed++, format, 301, 203);
    const frames::CaseFrames frames(c);
    const device_memory::Block block(frames.input().block());
    harness::GuardedFrame output = frames.output();
    canny::Frame to = output.frame();
    Contours contours;
    contours.set_precision(true);
    to.contours = &contours;
    canny::Status status = detector.set_size(c.width, c.height);
    if (status.ok())
      status = detector.detect(c.params, frames.input().const_frame(block.data(), Memory::kDevice),
                               to, nullptr);
    std::string failure = status.message();
    std::uint64_t finer = 0;
    if (failure.empty()) failure = check(contours, c.params, frames.input().const_frame(), &finer);
    if (failure.empty() && finer == 0) failure = "no offsets";
    tally.count(Backend::kCuda, "offsets of a frame in device memory: " + describe(c), failure);
  }
}

void test_backend(Backend backend, Detector& detector, const harness::Options& options) {
  test_cases(backend, options);
  test_flight(backend, detector);
  test_batch(backend, detector);
  if (backend == Backend::kCuda) test_on_device(detector);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, test_backend, 2);
  return tally.summary();
}

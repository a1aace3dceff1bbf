// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests that changes of sizes, detectors and threads leave no memory behind.
#include <string>
#include <thread>
#include <vector>

#include "canny/canny.h"
#include "canny/contours.h"
#include "growth.h"
#include "harness.h"
#include "reference/random.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;

harness::Tally tally;

constexpr int kLargest = 320;

// A frame of one of two sizes, which use different numbers of strips and threads.
std::string run_frame(Detector& detector, int round) {
  static const std::vector<std::uint8_t> input = reference::Random(1).bytes(kLargest * kLargest);
  std::vector<std::uint8_t> output(input.size());
  const int width = round % 2 ? kLargest : 240, height = round % 2 ? kLargest : 180;
  const canny::PixelFormat gray = canny::PixelFormat::kGray8;
  Status status = detector.set_size(width, height);
  if (status.ok())
    status =
        detector.detect({}, {input.data(), width, width, height, gray, canny::Memory::kHost},
                        {output.data(), width, width, height, gray, canny::Memory::kHost}, nullptr);
  return status.message();
}

std::string run_detector(const canny::Options& options, int round) {
  Detector detector;
  const Status status = Detector::create(options, &detector);
  return status.ok() ? run_frame(detector, round) : status.message();
}

void measure(const std::string& what, int rounds, const std::function<std::string(int)>& round) {
  const std::string failure = growth::measure(what, rounds, round);
  tally.count(Backend::kCpu, what, failure);
}

void run(unsigned threads, int rounds) {
  const std::string suffix = ", threads " + std::to_string(threads);
  canny::Options options;
  options.backend = Backend::kCpu;
  options.threads = threads;
  Detector detector;
  const Status status = Detector::create(options, &detector);
  if (!status.ok()) return tally.fail(Backend::kCpu, status.message());
  measure("sizes" + suffix, rounds, [&](int i) { return run_frame(detector, i); });
  measure("detectors" + suffix, rounds, [&](int i) { return run_detector(options, i); });
  measure("detectors of threads" + suffix, rounds, [&](int i) {
    std::string failure;
    std::thread([&] { failure = run_detector(options, i); }).join();
    return failure;
  });
}

std::string trace(canny::Contours* contours, int side) {
  const std::vector<std::uint8_t> edges(std::size_t{1} * side * side, 255);
  return contours->trace({edges.data(), side, side, side}).message();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = growth::begin(argc, argv);
  for (const unsigned threads : {1u, 2u, 0u}) run(threads, rounds);
  canny::Contours contours;
  tally.count(
      Backend::kCpu, "contours",
      growth::measure_return(
          "contours", [&] { return trace(&contours, 2048); }, [&] { return trace(&contours, 8); }));
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the CPU backend, from host memory to host memory.
#include "bench.h"
#include "check.h"
#include "cpu/detector.h"
#include "opencv.h"
#include "stages/planes.h"

namespace bench {
namespace {

/// Calls return when their work is done, so that there is one time.
Outcome outcome(double microseconds) {
  Outcome result;
  result.times = Times{microseconds, microseconds, microseconds, microseconds};
  return result;
}

/// The frame from its planes on.
void run_from_planes(canny::cpu::CpuDetector& detector, unsigned passes,
                     const canny::Frame& output) {
  detector.store(detector.hysteresis(passes), output);
}

class CpuBench final : public Bench {
 public:
  CpuBench(unsigned threads, Machine* machine) {
    canny::Options options;
    options.backend = canny::Backend::kCpu;
    options.threads = threads;
    check(canny::Detector::create(options, &detector_));
    if (machine->device.empty()) machine->device = detector_.info().device;
  }

  canny::Backend backend() const override { return canny::Backend::kCpu; }

  Outcome run(const Picture& picture, const canny::Params& params,
              const EdgeMap& expected) override {
    check(detector_.set_size(picture.shape.width, picture.shape.height));
    const canny::ConstFrame input = picture.frame(picture.bytes.data(), canny::Memory::kHost);
    EdgeMap edges(expected.size(), 0x55);
    const canny::Frame output = gray(edges, input.width, input.height);
    const auto frame = [&] { check(detector_.detect(params, input, output, nullptr)); };
    frame();
    if (edges != expected) return {};
    Outcome result = outcome(time_on_host([] {}, frame));
    result.opencv_us = time_opencv(picture, params, detector_.info().threads);
    return result;
  }

  Outcome run(const reference::Candidates& mask, unsigned passes,
              const EdgeMap& expected) override {
    const int width = mask.candidate.width, height = mask.candidate.height;
    canny::cpu::CpuDetector detector(static_cast<int>(detector_.info().threads));
    check(detector.set_size(width, height));
    EdgeMap edges(expected.size(), 0x55);
    const canny::Frame output = gray(edges, width, height);
    const auto insert = [&] {
      stages::pack(mask.candidate.samples, detector.candidate());
      stages::pack(mask.strong.samples, detector.strong());
    };
    const auto frame = [&] { run_from_planes(detector, passes, output); };
    insert();
    frame();
    if (edges != expected) return {};
    return outcome(time_on_host(insert, frame));
  }

 private:
  static canny::Frame gray(EdgeMap& edges, int width, int height) {
    return {edges.data(), width, width, height, canny::PixelFormat::kGray8, canny::Memory::kHost};
  }

  canny::Detector detector_;
};

}  // namespace

std::unique_ptr<Bench> open_cpu(unsigned threads, Machine* machine) {
  return std::make_unique<CpuBench>(threads, machine);
}

}  // namespace bench

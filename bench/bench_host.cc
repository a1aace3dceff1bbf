// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the CPU and the OpenCL backend, from host memory to host memory.
#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "bench.h"
#include "check.h"
#include "cpu/backend.h"
#include "opencv.h"
#include "stages/planes.h"
#include "stages/targets.h"

namespace bench {
namespace {

/// Calls return when their work is done, so all times are the same.
Outcome outcome(double microseconds) {
  Outcome result;
  result.times = Times{microseconds, microseconds, microseconds, microseconds};
  return result;
}

using Words = std::vector<canny::cpu::Plane::Word>;

Words copy(const canny::cpu::Plane& plane) {
  return Words(plane.words, plane.words + plane.stride() * plane.height);
}

/// Reads bytes as fast as a thread can.
void read(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t sum = 0, word;
  for (std::size_t i = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, bytes.data() + i, sizeof word);
    sum += word;
  }
  asm volatile("" : : "r"(sum));
}

class HostBench final : public Bench {
 public:
  HostBench(const Options& options, canny::Detector detector)
      : once_(options.once),
        stages_(options.stages),
        budget_(options.cpu_budget),
        detector_(std::move(detector)) {
    if (is_cpu() && detector_.info().threads > 1)
      alone_ = open_detector({canny::Backend::kCpu, -1, 1});
  }

  canny::Backend backend() const override { return detector_.info().backend; }

  Outcome run(const Picture& picture, const canny::Params& params,
              const Output& expected) override {
    check(detector_.set_size(picture.shape.width, picture.shape.height));
    const canny::ConstFrame input = picture.frame(picture.bytes.data(), canny::Memory::kHost);
    Output bytes(expected.size(), 0x55);
    const canny::Frame output =
        tight_frame(bytes.data(), input.width, input.height, output_format(params, input.format),
                    canny::Memory::kHost, input.batch.count);
    std::vector<canny::Result> numbers(input.batch.count);
    const auto frame = [&] { check(detector_.detect(params, input, output, numbers.data())); };
    const Stopwatch watch;
    frame();
    const double first = watch.microseconds();
    if (bytes != expected) return {};
    if (once_) return outcome(first);

    const unsigned threads = detector_.info().threads;
    std::vector<std::function<void()>> calls{frame, [&] { read(picture.bytes); }};
    const auto opencv = is_cpu() ? opencv_call(picture, params, threads) : nullptr;
    if (opencv) calls.push_back(opencv);
    const bool has_alone = is_cpu() && threads > 1;
    if (has_alone) {
      check(alone_.set_size(picture.shape.width, picture.shape.height));
      calls.push_back([&] { check(alone_.detect(params, input, output, nullptr)); });
    }
    const std::vector<double> times = time_in_turns(calls, budget_);
    Outcome result = outcome(times[0]);
    result.route = numbers[0].route;
    result.copy_us = times[1];
    if (opencv) result.opencv_us = times[2];
    if (has_alone) result.alone_us = times.back();
    if (!stages_ || input.batch.count > 1) return result;
    canny::Params measured = params;
    measured.measure_stages = true;
    result.stages = time_stages(
        1, [&](canny::Result* stages) { check(detector_.detect(measured, input, output, stages)); },
        budget_ / 4);
    if (!is_cpu())
      result.times->ev = result.stages->front + result.stages->hysteresis + result.stages->output;
    return result;
  }

  Outcome run(const reference::Candidates& mask, unsigned passes,
              const EdgeMap& expected) override {
    const int width = mask.candidate.width, height = mask.candidate.height;
    canny::cpu::CpuBackend backend(static_cast<int>(detector_.info().threads));
    check(backend.set_size(width, height, 1, 1));
    EdgeMap edges(expected.size(), 0x55);
    const canny::Frame output =
        tight_frame(edges.data(), width, height, canny::PixelFormat::kGray8, canny::Memory::kHost);
    const auto frame = [&] { backend.output(backend.hysteresis(passes), output); };
    stages::pack(mask.candidate.samples, backend.candidate());
    stages::pack(mask.strong.samples, backend.strong());
    // Copies take so little time that the backend's threads do not fall asleep between frames.
    const Words candidate = copy(backend.candidate()), strong = copy(backend.strong());
    const auto insert = [&] {
      std::copy(candidate.begin(), candidate.end(), backend.candidate().words);
      std::copy(strong.begin(), strong.end(), backend.strong().words);
    };
    frame();
    if (edges != expected) return {};
    return outcome(time_on_host(insert, frame));
  }

 private:
  bool is_cpu() const { return backend() == canny::Backend::kCpu; }

  const bool once_, stages_;
  const double budget_;
  canny::Detector detector_, alone_;
};

}  // namespace

std::unique_ptr<Bench> open_cpu(const Options& options, Machine* machine, std::string* why) {
  std::string names;
  for (const stages::Target& each : stages::targets()) {
    names += (names.empty() ? "" : ", ") + each.name;
    if (!options.target.empty() && each.name != options.target) continue;
    stages::force_target(each);
    canny::Detector detector = open_detector({canny::Backend::kCpu, -1, options.threads});
    if (machine->device.empty()) machine->device = detector.info().device + ", " + each.name;
    return std::make_unique<HostBench>(options, std::move(detector));
  }
  *why = "target " + options.target + " is not one of " + names;
  return nullptr;
}

std::unique_ptr<Bench> open_opencl(const Options& options, const std::string& device,
                                   Machine* machine, std::string* why) {
  canny::Options detector_options;
  detector_options.backend = canny::Backend::kOpenCl;
  detector_options.opencl_device = device;
  canny::Detector detector;
  const canny::Status status = canny::Detector::create(detector_options, &detector);
  *why = status.message();
  if (!status.ok()) return nullptr;
  machine->device = detector.info().device + ", " + detector.info().reason;
  return std::make_unique<HostBench>(options, std::move(detector));
}

}  // namespace bench

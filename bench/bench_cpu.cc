// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the CPU backend, from host memory to host memory.
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "bench.h"
#include "canny/batch.h"
#include "canny/frame.h"
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

/// Computes a frame from its planes on.
void run_from_planes(canny::cpu::CpuBackend& backend, unsigned passes, const canny::Frame& output) {
  backend.output(backend.hysteresis(passes), output);
}

using Words = std::vector<canny::cpu::Plane::Word>;

Words copy(const canny::cpu::Plane& plane) {
  return Words(plane.words, plane.words + plane.stride() * plane.height);
}

/// Reads a picture as fast as a thread can.
void read_picture(const canny::ConstFrame& frame) {
  std::uint64_t sum = 0;
  const std::size_t bytes = row_bytes(frame);
  for (int plane = 0; plane < canny::planes(frame.format); ++plane) {
    const canny::ConstFrame rows = canny::plane(frame, plane);
    for (int y = 0; y < rows.height; ++y) {
      const std::uint8_t* row = rows.data + y * rows.stride_bytes;
      for (std::size_t i = 0; i + sizeof sum <= bytes; i += sizeof sum) {
        std::uint64_t word;
        std::memcpy(&word, row + i, sizeof word);
        sum += word;
      }
    }
  }
  asm volatile("" : : "r"(sum));
}

void read(const canny::ConstFrame& frame) {
  for (unsigned i = 0; i < frame.batch.count; ++i) read_picture(canny::picture_of(frame, i));
}

class CpuBench final : public Bench {
 public:
  CpuBench(const Options& options, const std::string& target, Machine* machine)
      : once_(options.once),
        stages_(options.stages),
        budget_(options.cpu_budget),
        detector_(open_detector({canny::Backend::kCpu, -1, options.threads})),
        alone_(open_detector({canny::Backend::kCpu, -1, 1})) {
    if (machine->device.empty()) machine->device = detector_.info().device + ", " + target;
  }

  canny::Backend backend() const override { return canny::Backend::kCpu; }

  Outcome run(const Picture& picture, const canny::Params& params,
              const Output& expected) override {
    check(detector_.set_size(picture.shape.width, picture.shape.height));
    check(alone_.set_size(picture.shape.width, picture.shape.height));
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
    const auto opencv = opencv_call(picture, params, threads);
    std::vector<std::function<void()>> calls{frame, [&] { read(input); }};
    if (opencv) calls.push_back(opencv);
    if (threads > 1) calls.push_back([&] { check(alone_.detect(params, input, output, nullptr)); });
    const std::vector<double> times = time_in_turns(calls, budget_);
    Outcome result = outcome(times[0]);
    result.route = numbers[0].route;
    result.copy_us = times[1];
    if (opencv) result.opencv_us = times[2];
    if (threads > 1) result.alone_us = times.back();
    if (!stages_ || input.batch.count > 1) return result;
    canny::Params measured = params;
    measured.measure_stages = true;
    result.stages = time_stages(
        1, [&](canny::Result* stages) { check(detector_.detect(measured, input, output, stages)); },
        budget_ / 4);
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
    const auto frame = [&] { run_from_planes(backend, passes, output); };
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
    return std::make_unique<CpuBench>(options, each.name, machine);
  }
  *why = "target " + options.target + " is not one of " + names;
  return nullptr;
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the OpenCL backend, from host memory to host memory.
#include "papers_opencl.h"

#include <utility>

#include "check.h"
#include "papers_live.h"

namespace papers {
namespace {

class OpenClBench final : public bench::Bench {
 public:
  OpenClBench(double budget, canny::Detector detector)
      : budget_(budget), detector_(std::move(detector)) {}

  canny::Backend backend() const override { return canny::Backend::kOpenCl; }

  bench::Outcome run(const bench::Picture& picture, const canny::Params& params,
                     const bench::Output& expected) override {
    const canny::ConstFrame input = picture.frame(picture.bytes.data(), canny::Memory::kHost);
    bench::Output bytes(expected.size(), 0x55);
    const canny::Frame output =
        bench::tight_frame(bytes.data(), input.width, input.height,
                           bench::output_format(params, input.format), canny::Memory::kHost);
    canny::Params measured = params;
    measured.measure_stages = true;
    bench::check(detector_.set_size(input.width, input.height));
    const auto frame = [&](canny::Result* result) {
      bench::check(detector_.detect(measured, input, output, result));
    };
    canny::Result result;
    frame(&result);
    if (bytes != expected) return {};

    bench::Outcome outcome;
    outcome.route = result.route;
    outcome.stages = bench::time_stages(1, frame, budget_);
    const double kernels =
        outcome.stages->front + outcome.stages->hysteresis + outcome.stages->output;
    const double wall = bench::time_in_turns(
        {[&] { bench::check(detector_.detect(params, input, output, nullptr)); }}, budget_)[0];
    outcome.times = bench::Times{kernels, wall, wall, wall};
    return outcome;
  }

  bench::Outcome run(const reference::Candidates&, unsigned, const bench::EdgeMap&) override {
    bench::check({canny::StatusCode::kInvalidOptions, "the OpenCL backend takes whole frames"});
    return {};
  }

 private:
  const double budget_;
  canny::Detector detector_;
};

}  // namespace

std::unique_ptr<bench::Bench> open_opencl(const Settings& settings, double budget,
                                          bench::Machine* machine, std::string* why) {
  canny::Detector detector;
  const canny::Status status = create_detector(settings, canny::Backend::kOpenCl, &detector);
  if (!status.ok()) {
    *why = status.message();
    return nullptr;
  }
  machine->device = detector.info().device + ", " + detector.info().reason;
  return std::make_unique<OpenClBench>(budget, std::move(detector));
}

}  // namespace papers

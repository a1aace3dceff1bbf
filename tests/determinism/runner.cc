// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs frames on the reference and on detectors with every instruction set and number of threads.
#include "runner.h"

#include <algorithm>
#include <cstdlib>

#include "frames.h"
#include "reference/reference.h"

namespace determinism {
namespace {

constexpr unsigned kThreads[] = {1, 2, 3, 8};

void keep_busy(canny::Backend backend, std::uint64_t seed, const std::atomic<bool>& is_over) {
  canny::Options options;
  options.backend = backend;
  options.threads = 1;
  canny::Detector detector;
  if (!canny::Detector::create(options, &detector).ok()) return;
  cases::Case c = cases::make_case(cases::table_size() + seed, 400);
  cases::set_size(640, 480, &c);
  c.fill = cases::Fill::kBlocks;
  c.params = {};
  c.params.sigma = 2;
  const Frames frames(c);
  harness::GuardedFrame output = frames.output;
  if (!detector.set_size(c.width, c.height).ok()) return;
  while (!is_over) {
    if (!detector.detect(c.params, frames.input.const_frame(), output.frame(), nullptr).ok())
      return;
  }
}

}  // namespace

bool Outcome::operator==(const Outcome& other) const {
  return pixels == other.pixels && edges == other.edges && low == other.low && high == other.high;
}

void Sum::add(const Outcome& outcome) {
  const auto update = [&](const void* bytes, std::size_t size) {
    g_checksum_update(sum_.get(), static_cast<const guchar*>(bytes), static_cast<gssize>(size));
  };
  update(outcome.pixels.data(), outcome.pixels.size());
  // The digits of a threshold tell its value exactly.
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr(low, sizeof low, outcome.low);
  g_ascii_dtostr(high, sizeof high, outcome.high);
  const std::string numbers = std::to_string(outcome.edges) + " " + low + " " + high + "\n";
  update(numbers.data(), numbers.size());
}

Frames::Frames(const cases::Case& c)
    : input(frames::CaseFrames::blank_input(c)),
      output(c.width, c.height, c.output, c.output_offset, c.output_gap, c.output_bottom_up,
             c.chroma) {
  reference::Random random(c.seed + 1);
  input.paint(cases::fill_image(c.fill, c.width, c.height, random), c.seed);
}

Outcome reference_outcome(const cases::Case& c, const Frames& frames) {
  harness::GuardedFrame output = frames.output;
  const canny::Frame frame = output.frame();
  const reference::Rendered rendered =
      reference::render(c.params, frames.input.const_frame(), frame);
  if (!shows_input(c.params.view)) frames::remove_color(frame);
  return {harness::pixels(output.const_frame()), rendered.edges, rendered.limits.low,
          rendered.limits.high};
}

Runner::Runner(unsigned threads, const stages::Target& target)
    : backend_(canny::Backend::kCpu),
      threads_(threads),
      target_(target),
      name_(target.name + ", " + std::to_string(threads) + " threads") {}

Runner::Runner(canny::Backend backend, const char* kernels)
    : backend_(backend),
      kernels_(kernels),
      name_(std::string("kernels ") + (*kernels != '\0' ? kernels : "of the device")) {}

const char* kernels_variable(canny::Backend backend) {
  return backend == canny::Backend::kCuda ? "CANNY_CUDA_KERNELS" : "CANNY_OPENCL_KERNELS";
}

// Makes this runner's instruction set, or kernels, those of the next calls.
void Runner::select() const {
  if (backend_ == canny::Backend::kCpu) {
    stages::force_target(target_);
  } else if (*kernels_ != '\0') {
    setenv(kernels_variable(backend_), kernels_, 1);
  } else {
    unsetenv(kernels_variable(backend_));
  }
}

std::string Runner::run(const cases::Case& c, const Frames& frames, Outcome* outcome) {
  select();
  canny::Status status;
  if (!is_created_) {
    status = canny::Detector::create(harness::detector_options(backend_, threads_), &detector_);
    is_created_ = status.ok();
  }
  if (status.ok()) status = detector_.set_size(c.width, c.height);
  harness::GuardedFrame output = frames.output;
  canny::Result result;
  if (status.ok())
    status = detector_.detect(c.params, frames.input.const_frame(), output.frame(), &result);
  if (!status.ok()) return status.message();
  if (!output.intact()) return "wrote outside the output's rows";
  *outcome = {harness::pixels(output.const_frame()), result.edge_pixels, result.low_threshold,
              result.high_threshold};
  return "";
}

std::vector<std::unique_ptr<Runner>> cpu_runners() {
  std::vector<std::unique_ptr<Runner>> runners;
  for (const stages::Target& target : stages::targets())
    for (const unsigned threads : kThreads)
      runners.push_back(std::make_unique<Runner>(threads, target));
  return runners;
}

std::vector<std::unique_ptr<Runner>> device_runners(canny::Backend backend) {
  std::vector<std::unique_ptr<Runner>> runners;
  const auto add = [&](const char* kernels) {
    runners.push_back(std::make_unique<Runner>(backend, kernels));
  };
  add("");
  add("generic");
  if (backend == canny::Backend::kCuda) {
    add("8.0");
    add("portable");
  }
  return runners;
}

Load::Load(bool with_cuda) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < cores; ++i)
    threads_.emplace_back(keep_busy, canny::Backend::kCpu, i, std::ref(is_over_));
  if (with_cuda) threads_.emplace_back(keep_busy, canny::Backend::kCuda, cores, std::ref(is_over_));
}

Load::~Load() {
  is_over_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace determinism

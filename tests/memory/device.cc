// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes each CUDA call in turn report out of memory. The library's call reports it too, and the
// same detector continues on the device.
#include "device.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "cuda/backend.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/stages.h"
#include "frames.h"

namespace device {
namespace {

using canny::Backend;
using canny::Status;
using canny::StatusCode;
using frames::InFlight;

constexpr int kCallsAfterTheLast = 10;  // some earlier failures are harmless
constexpr int kWidth = 203, kHeight = 121;
constexpr unsigned kFramesInFlight = 3;

harness::Tally* tally = nullptr;

void count(const std::string& what, const std::string& failure) {
  tally->count(Backend::kCuda, what, failure);
}

// Counts a call that may run out of memory, and returns whether it did.
bool is_out_of_memory(const std::string& what, const Status& status) {
  const bool is_right = status.ok() || status.code() == StatusCode::kOutOfMemory;
  count(what, is_right ? "" : status.message());
  return !status.ok();
}

// Calls run(name) while CUDA call 1, 2, 3 ... fails, until no failure shows. run() returns whether
// one showed.
template <class Run>
void fail_each(const std::string& what, Run run) {
  int harmed = 0;
  for (int call = 1, unharmed = 0; unharmed < kCallsAfterTheLast; ++call) {
    setenv("CANNY_CUDA_FAULT", (std::to_string(call) + ":memory").c_str(), 1);
    const bool has_harmed = run(what + ", CUDA call " + std::to_string(call));
    unsetenv("CANNY_CUDA_FAULT");
    canny::cuda::disarm_fault();
    harmed += has_harmed;
    unharmed = has_harmed ? 0 : unharmed + 1;
  }
  count(what, harmed > 0 ? "" : "no call failed");
}

// Streams, events and the page-locked counts of a new backend.
bool fail_open(const std::string& what) {
  canny::cuda::Device found;
  const Status status = canny::cuda::find_device(-1, &found);
  count(what, status.message());
  canny::cuda::CudaBackend backend(std::make_unique<canny::cuda::Stages>(found));
  canny::cuda::arm_fault();
  return is_out_of_memory(what, backend.open());
}

template <class Memory>
bool fail_memory(const std::string& what) {
  Memory memory;
  canny::cuda::arm_fault();
  return is_out_of_memory(what, Memory::allocate(4096, -1, &memory));
}

cases::Case any_case(std::uint64_t seed) {
  cases::Case c = cases::make_case(cases::table_size() + seed, 64);
  c.width = kWidth;
  c.height = kHeight;
  return c;
}

// Default settings, between frames of one format.
cases::Case plain_case(canny::PixelFormat format) {
  cases::Case c = any_case(0);
  c.input = c.output = format;
  c.params = {};
  c.chroma = {};
  return c;
}

// Frames that differ in the memory and the calls that they need, in the order in which they run.
std::vector<cases::Case> all_cases() {
  cases::Case measured = plain_case(canny::PixelFormat::kRgb);
  measured.params.measure_stages = true;
  cases::Case options = plain_case(canny::PixelFormat::kRgb);
  options.params.color_mode = canny::ColorMode::kLargestChannel;
  options.params.threshold_mode = canny::ThresholdMode::kOtsu;
  options.params.min_length = 12;
  cases::Case measured_options = options;
  measured_options.params.measure_stages = true;
  cases::Case overlay = plain_case(canny::PixelFormat::kBgrx);
  overlay.params.view = canny::View::kOverlay;
  cases::Case passes = plain_case(canny::PixelFormat::kGray8);
  passes.params.view = canny::View::kPasses;
  passes.params.measure_stages = true;
  cases::Case gradient = plain_case(canny::PixelFormat::kRgb);
  gradient.params.view = canny::View::kGradient;
  return {any_case(0), any_case(1), any_case(2),      measured, options,
          overlay,     passes,      measured_options, gradient};
}

// Runs as many frames as fit in flight, of which one may fail. Returns whether it did.
bool run_group(const std::string& what, canny::Detector& detector, InFlight* first,
               InFlight* last) {
  bool has_failed = false;
  std::vector<InFlight*> flying;
  for (InFlight* flight = first; flight != last; ++flight) {
    if (is_out_of_memory(what, flight->submit(detector)))
      has_failed = true;
    else
      flying.push_back(flight);
  }
  for (InFlight* flight : flying) {
    if (is_out_of_memory(what, flight->wait(detector))) {
      has_failed = true;
      continue;
    }
    const std::string wrong = flight->check();
    count(what, wrong.empty() ? flight->frames.check_copies(flight->result, true, true) : wrong);
  }
  return has_failed;
}

// Runs all frames, several in flight. Returns whether one failed.
bool run_flights(const std::string& what, canny::Detector& detector) {
  static const std::vector<cases::Case> cases = all_cases();
  static const std::vector<InFlight> fresh(cases.begin(), cases.end());
  std::vector<InFlight> all = fresh;
  bool has_failed = false;
  for (std::size_t i = 0; i < all.size(); i += kFramesInFlight)
    has_failed |= run_group(what, detector, &all[i],
                            all.data() + std::min<std::size_t>(i + kFramesInFlight, all.size()));
  return has_failed;
}

bool fail_frames(const std::string& what) {
  canny::Options options;
  options.backend = Backend::kCuda;
  canny::Detector detector;
  const Status created = canny::Detector::create(options, &detector);
  count(what, created.message());
  if (!created.ok()) return false;
  bool has_failed = is_out_of_memory(what, detector.set_size(kWidth, kHeight, kFramesInFlight));
  if (has_failed) count(what, detector.set_size(kWidth, kHeight, kFramesInFlight).message());
  has_failed |= run_flights(what, detector);
  canny::cuda::disarm_fault();
  count("after " + what, run_flights("after " + what, detector) ? "a frame failed" : "");
  return has_failed;
}

// Detects the edges of a frame with their chains and components. With `is_measured`, each kernel is
// launched by a call. Sets `*bytes` to all bytes of the lists.
Status detect_lists(canny::Detector& detector, bool is_measured, std::string* bytes) {
  cases::Case c = plain_case(canny::PixelFormat::kGray8);
  c.fill = cases::Fill::kBlocks;
  c.params.measure_stages = is_measured;
  const frames::CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  canny::Contours contours;
  canny::Components components;
  canny::Frame to = output.frame();
  to.contours = &contours;
  to.components = &components;
  const Status status = detector.detect(c.params, frames.input().const_frame(), to, nullptr);
  *bytes = harness::bytes_of(contours, components);
  return status;
}

canny::Detector make_detector(Backend backend) {
  canny::Options options;
  options.backend = backend;
  canny::Detector detector;
  Status status = canny::Detector::create(options, &detector);
  canny::cuda::disarm_fault();
  if (status.ok()) status = detector.set_size(kWidth, kHeight);
  count("a detector for lists", status.message());
  return detector;
}

// Lists of frames, of which one fails, and of the frames after it.
template <bool kIsMeasured>
bool fail_lists(const std::string& what) {
  static const std::string expected = [] {
    canny::Detector cpu = make_detector(Backend::kCpu);
    std::string bytes;
    count("lists", detect_lists(cpu, false, &bytes).message());
    return bytes;
  }();
  canny::Detector detector = make_detector(Backend::kCuda);
  canny::cuda::arm_fault();
  std::string bytes;
  bool has_failed = false;
  for (int i = 0; i < 3; ++i) {
    const Status status = detect_lists(detector, kIsMeasured, &bytes);
    if (!is_out_of_memory(what, status))
      count(what, !expected.empty() && bytes == expected ? "" : "other lists");
    else
      has_failed = true;
  }
  return has_failed;
}

}  // namespace

void run_faults(harness::Tally* program_tally) {
  tally = program_tally;
  fail_each("a backend", fail_open);
  fail_each("page-locked memory", fail_memory<canny::HostMemory>);
  fail_each("device memory", fail_memory<canny::DeviceMemory>);
  fail_each("frames", fail_frames);
  fail_each("lists", fail_lists<false>);
  fail_each("lists of measured frames", fail_lists<true>);
}

}  // namespace device

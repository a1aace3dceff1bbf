// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes each CUDA call in turn report out of memory. The library's call reports it too, and the
// same detector continues on the device.
#include "device.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
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

bool fail_host_memory(const std::string& what) {
  canny::HostMemory memory;
  canny::cuda::arm_fault();
  return is_out_of_memory(what, canny::HostMemory::allocate(4096, -1, &memory));
}

// A frame in pageable memory and memory for its output.
class Flight {
 public:
  explicit Flight(std::uint64_t seed) : case_(case_of(seed)), frames_(case_) {}

  Status submit(canny::Detector& detector) {
    return detector.submit(case_.params, frames_.input().const_frame(), output_.frame());
  }
  Status wait(canny::Detector& detector) { return detector.wait(&result_); }
  std::string check() const { return frames_.check(output_, result_); }

 private:
  static cases::Case case_of(std::uint64_t seed) {
    cases::Case c = cases::make_case(cases::table_size() + seed, 64);
    c.width = kWidth;
    c.height = kHeight;
    return c;
  }

  cases::Case case_;
  frames::CaseFrames frames_;
  harness::GuardedFrame output_ = frames_.output();
  canny::Result result_;
};

// Runs several frames in flight, of which one may fail. Returns whether it did.
bool run_flights(const std::string& what, canny::Detector& detector) {
  std::vector<Flight> all;
  for (std::uint64_t seed = 0; seed < kFramesInFlight; ++seed) all.emplace_back(seed);
  bool has_failed = false;
  std::vector<Flight*> flying;
  for (Flight& flight : all) {
    if (is_out_of_memory(what, flight.submit(detector)))
      has_failed = true;
    else
      flying.push_back(&flight);
  }
  for (Flight* flight : flying) {
    if (is_out_of_memory(what, flight->wait(detector)))
      has_failed = true;
    else
      count(what, flight->check());
  }
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

}  // namespace

void run_faults(harness::Tally* program_tally) {
  tally = program_tally;
  fail_each("a backend", fail_open);
  fail_each("page-locked memory", fail_host_memory);
  fail_each("frames", fail_frames);
}

}  // namespace device

// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes each call of the OpenCL loader fail in turn: alone, or with all later ones, as when the
// device is lost. With kAuto, the CPU completes all frames; with kOpenCl, those that fail name the
// device, and when memory runs out once, no other frame fails.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "failing.h"
#include "opencl/device.h"
#include "stages/cases.h"
#include "stages/frames.h"
#include "stages/harness.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;
using canny::StatusCode;
using canny::opencl::Library;
using failing::fault;

constexpr Backend kOpenCl = Backend::kOpenCl;

harness::Tally tally;

Library failing_library() {
  Library library;
#define CANNY_WRAP(function) library.function = CANNY_FAILING(function);
  CANNY_OPENCL_FUNCTIONS(CANNY_WRAP)
#undef CANNY_WRAP
  return library;
}

constexpr int kUnharmed = 3;  // calls that do not come anymore, until the end
const char* device_name = "";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string name_of(cl_int error, bool is_lost) {
  return (error == CL_OUT_OF_RESOURCES ? "resources" : "memory") +
         std::string(is_lost ? ", from then on" : "");
}

// Detectors of `backend` whose creation fails at each call. Some earlier failures are harmless:
// those of cached programs, and what is only asked for.
void test_creation(Backend backend, cl_int error, bool is_lost) {
  int unharmed = 0;
  for (int call = 0; unharmed < kUnharmed; ++call) {
    canny::Options options = harness::detector_options(kOpenCl);
    options.backend = backend;
    Detector detector;
    fault.arm(call, error, is_lost);
    const Status status = Detector::create(options, &detector);
    const std::string failed = fault.failed.load();
    fault.disarm();
    unharmed = failed.empty() ? unharmed + 1 : 0;
    const std::string what =
        "creation, " + name_of(error, is_lost) + ", call " + std::to_string(call) + " " + failed;
    if (backend == Backend::kAuto || failed.empty()) {
      const Backend expected = detector.info().backend;
      const bool is_right =
          status.ok() && (expected == kOpenCl || (!failed.empty() && expected == Backend::kCpu));
      tally.count(kOpenCl, what, is_right ? "" : "no detector: " + status.message());
    } else if (!status.ok()) {
      const bool is_known = status.code() == StatusCode::kDeviceFailure ||
                            status.code() == StatusCode::kOutOfMemory ||
                            status.code() == StatusCode::kNoDriver ||
                            status.code() == StatusCode::kDeviceOutOfRange;
      tally.count(kOpenCl, what, is_known && !status.message().empty() ? "" : status.message());
    }
  }
}

cases::Case frame_case(std::uint64_t seed) {
  cases::Case c = cases::make_case(cases::table_size() + seed, 64);
  cases::set_size(203, 121, &c);
  c.params.measure_stages = seed % 5 == 1;
  return c;
}

// A frame with its memory.
struct InFlight {
  explicit InFlight(std::uint64_t seed) : c(frame_case(seed)), frames(c), output(frames.output()) {}

  const cases::Case c;
  const frames::CaseFrames frames;
  harness::GuardedFrame output;
};

// Eight frames, three at a time. With kAuto every one is right; with kOpenCl each is right or fails
// with a message that names the device.
std::string run_frames(Detector& detector, bool is_auto, int* failed_frames) {
  std::deque<InFlight> flight;
  std::string failure;
  const auto check = [&](const std::string& wrong) {
    if (failure.empty()) failure = wrong;
  };
  const auto check_status = [&](const Status& status) {
    ++*failed_frames;
    if (is_auto || !has(status.message(), device_name)) check("message " + status.message());
  };
  const auto wait = [&] {
    canny::Result result;
    const Status status = detector.wait(&result);
    if (status.ok())
      check(flight.front().frames.check(flight.front().output, result));
    else
      check_status(status);
    flight.pop_front();
  };
  for (std::uint64_t i = 0; i < 8; ++i) {
    if (flight.size() == 3) wait();
    flight.emplace_back(i);
    InFlight& frame = flight.back();
    const Status status =
        detector.submit(frame.c.params, frame.frames.input().const_frame(), frame.output.frame());
    if (status.ok()) continue;
    check_status(status);
    flight.pop_back();
  }
  while (!flight.empty()) wait();
  return failure;
}

void test_frames(Backend backend, cl_int error, bool is_lost, int step) {
  const bool is_auto = backend == Backend::kAuto;
  int unharmed = 0;
  for (int call = 0; unharmed < kUnharmed; call += step) {
    canny::Options options = harness::detector_options(kOpenCl);
    options.backend = backend;
    Detector detector;
    Status status = Detector::create(options, &detector);
    fault.arm(call, error, is_lost);
    if (status.ok()) status = detector.set_size(203, 121, 3);
    const bool has_size = status.ok();
    int failed_frames = 0;
    std::string wrong = has_size ? run_frames(detector, is_auto, &failed_frames) : "";
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE && !is_lost && failed_frames > 1)
      wrong = std::to_string(failed_frames) + " frames failed";
    const std::string failed = fault.failed.load();
    fault.disarm();
    unharmed = failed.empty() ? unharmed + 1 : 0;
    const canny::Info& info = detector.info();
    const bool has_device_name = failed.empty() || has(is_auto    ? info.reason
                                                       : has_size ? device_name
                                                                  : status.message(),
                                                       device_name);
    const bool took_over = failed.empty() || !is_auto || info.backend == Backend::kCpu;
    tally.count(kOpenCl,
                std::string(canny::name(backend)) + ", " + name_of(error, is_lost) + ", call " +
                    std::to_string(call) + " " + failed,
                !wrong.empty()         ? wrong
                : is_auto && !has_size ? "set_size: " + status.message()
                : !took_over           ? "the CPU has not taken over"
                : !has_device_name     ? "no name of a device in " + info.reason
                                       : "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  canny::opencl::Device device;
  Status status = canny::opencl::load(&failing::real);
  if (status.ok())
    status = canny::opencl::find_device(harness::detector_options(kOpenCl).opencl_device, &device);
  if (!status.ok()) {
    tally.skip(kOpenCl, status.message());
    return tally.summary();
  }
  const std::string name = device.text();
  device_name = name.c_str();
  const Library library = failing_library();
  canny::opencl::replace_library(&library);
  // With CUDA, auto never comes to OpenCL.
  Detector cuda;
  std::vector<Backend> backends = {kOpenCl};
  if (!Detector::create(harness::detector_options(Backend::kCuda), &cuda).ok())
    backends.push_back(Backend::kAuto);
  for (const Backend backend : backends) {
    for (const cl_int error : {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE}) {
      for (const bool is_lost : {false, true}) {
        test_creation(backend, error, is_lost);
        test_frames(backend, error, is_lost, static_cast<int>(options.step));
      }
    }
  }
  canny::opencl::replace_library(nullptr);
  return tally.summary();
}

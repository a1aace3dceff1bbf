// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes each call of the OpenCL loader fail in turn: alone, or with all later ones, as when the
// device is lost. With kAuto, the CPU completes all frames; with kOpenCl, those that fail name the
// device, and when memory runs out once, no other frame fails. Waits and compilers also fail while
// one thread submits and another one waits. A failure keeps its code if there is no memory for its
// message. In the end, all objects are released. Devices that lack something are not listed. A
// frame fails whose results do not come, whatever the loader returns.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "failing.h"
#include "opencl/device.h"
#include "stages/cases.h"
#include "stages/frames.h"
#include "stages/harness.h"
#include "stages/limited_new.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;
using canny::StatusCode;
using canny::opencl::Library;
using failing::fault;
using frames::InFlight;

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
std::string device_name;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string name_of(cl_int error, bool is_lost) {
  return (error == CL_OUT_OF_RESOURCES ? "resources" : "memory") +
         std::string(is_lost ? ", from then on" : "");
}

// Detectors of `backend` whose creation fails at each call. Some earlier failures are harmless:
// those of what is only asked for.
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

// What became of the frames. With kAuto every one is right; with kOpenCl each is right or fails
// with a message that names the device. Threads may add to it together.
struct Outcome {
  explicit Outcome(Backend backend) : is_auto(backend == Backend::kAuto) {}

  void add(const std::string& wrong) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (failure.empty()) failure = wrong;
  }
  void add_failed(const Status& status) {
    if (is_auto || !has(status.message(), device_name)) add("message " + status.message());
    const std::lock_guard<std::mutex> lock(mutex);
    ++failed_frames;
  }
  void wait(Detector& detector, InFlight& frame) {
    const Status status = frame.wait(detector);
    if (status.ok())
      add(frame.check());
    else
      add_failed(status);
  }

  const bool is_auto;
  std::mutex mutex;
  std::string failure;
  int failed_frames = 0;
};

// Eight frames, three at a time.
void run_frames(Detector& detector, Outcome* outcome) {
  std::deque<InFlight> flight;
  const auto wait = [&] {
    outcome->wait(detector, flight.front());
    flight.pop_front();
  };
  for (std::uint64_t i = 0; i < 8; ++i) {
    if (flight.size() == 3) wait();
    flight.emplace_back(frame_case(i));
    const Status status = flight.back().submit(detector);
    if (status.ok()) continue;
    outcome->add_failed(status);
    flight.pop_back();
  }
  while (!flight.empty()) wait();
}

// Plain frames, among them the first ones that need the kernels of shallow and of deep samples,
// which submit() compiles meanwhile.
cases::Case late_case(std::uint64_t i) {
  cases::Case c = frame_case(i);
  c.params = {};
  c.input = i >= 6 ? canny::PixelFormat::kGray16Le : canny::PixelFormat::kRgb;
  c.output = canny::PixelFormat::kGray8;
  c.chroma = {};
  if (i >= 6) c.params.luma_depth = canny::LumaDepth::kFull;
  if (i == 3) c.params.view = canny::View::kGradient;
  if (i == 5) c.params.threshold_mode = canny::ThresholdMode::kMedian;
  return c;
}

// Three frames at a time, submitted by one thread while another one waits for the oldest.
void run_two_threads(Detector& detector, Outcome* outcome) {
  std::deque<InFlight> flight;  // references to its elements stay valid
  for (std::uint64_t i = 0; i < 9; ++i) flight.emplace_back(late_case(i));
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<InFlight*> submitted;
  int in_flight = 0;
  bool has_ended = false;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !submitted.empty() || has_ended; });
      if (submitted.empty()) return;
      InFlight& frame = *submitted.front();
      submitted.pop_front();
      lock.unlock();
      outcome->wait(detector, frame);
      lock.lock();
      --in_flight;
      changed.notify_one();
    }
  });
  std::unique_lock<std::mutex> lock(mutex);
  for (InFlight& frame : flight) {
    changed.wait(lock, [&] { return in_flight < 3; });
    lock.unlock();
    const Status status = frame.submit(detector);
    if (!status.ok()) outcome->add_failed(status);
    lock.lock();
    if (!status.ok()) continue;
    ++in_flight;
    submitted.push_back(&frame);
    changed.notify_one();
  }
  has_ended = true;
  changed.notify_one();
  lock.unlock();
  waiter.join();
}

// Makes the first `calls` calls of a function fail in turn: of a wait beside a submit(), of the
// compiler beside a wait.
void test_two_threads(Backend backend, const char* function, int calls, cl_int error,
                      bool is_lost) {
  for (int call = 0; call < calls; ++call) {
    canny::Options options = harness::detector_options(kOpenCl);
    options.backend = backend;
    Detector detector;
    Status status = Detector::create(options, &detector);
    if (status.ok()) status = detector.set_size(203, 121, 3);
    fault.arm(call, error, is_lost, function);
    Outcome outcome(backend);
    if (status.ok()) run_two_threads(detector, &outcome);
    const bool has_failed = *fault.failed.load() != '\0';
    fault.disarm();
    const bool took_over = detector.info().backend == Backend::kCpu;
    tally.count(kOpenCl,
                std::string(canny::name(backend)) + ", two threads, " + name_of(error, is_lost) +
                    ", call " + std::to_string(call) + " of " + function,
                !status.ok()                                     ? status.message()
                : !has_failed                                    ? "no call failed"
                : !outcome.failure.empty()                       ? outcome.failure
                : outcome.is_auto && !took_over                  ? "the CPU has not taken over"
                : !outcome.is_auto && outcome.failed_frames == 0 ? "no frame failed"
                                                                 : "");
  }
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
    Outcome outcome(backend);
    if (has_size) run_frames(detector, &outcome);
    std::string wrong = outcome.failure;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE && !is_lost && outcome.failed_frames > 1)
      wrong = std::to_string(outcome.failed_frames) + " frames failed";
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

// What the loader states about each device instead of the truth.
struct Statement {
  const char* name;
  cl_device_info what;
  std::string bytes;  // of the value
  bool is_usable;     // whether the kernels could run
};
const Statement* statement;

cl_int state(cl_device_id device, cl_device_info what, std::size_t size, void* value,
             std::size_t* needed) {
  if (what != statement->what)
    return failing::real->clGetDeviceInfo(device, what, size, value, needed);
  const std::string& bytes = statement->bytes;
  if (needed != nullptr) *needed = bytes.size();
  if (value != nullptr) std::memcpy(value, bytes.data(), std::min(size, bytes.size()));
  return CL_SUCCESS;
}

template <class Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void test_unusable_devices() {
  const Statement statements[] = {
      {"OpenCL 1.2", CL_DEVICE_VERSION, "OpenCL 1.2 x", true},
      {"OpenCL 2.0", CL_DEVICE_VERSION, "OpenCL 2.0 x", true},
      {"OpenCL 1.1", CL_DEVICE_VERSION, "OpenCL 1.1 x", false},
      {"another version", CL_DEVICE_VERSION, "3.0", false},
      {"the embedded profile", CL_DEVICE_PROFILE, "EMBEDDED_PROFILE", false},
      {"a device that is not available", CL_DEVICE_AVAILABLE, bytes_of<cl_bool>(CL_FALSE), false},
      {"no compiler", CL_DEVICE_COMPILER_AVAILABLE, bytes_of<cl_bool>(CL_FALSE), false},
      {"big-endian words", CL_DEVICE_ENDIAN_LITTLE, bytes_of<cl_bool>(CL_FALSE), false},
      {"64 work items", CL_DEVICE_MAX_WORK_GROUP_SIZE, bytes_of<std::size_t>(64), true},
      {"63 work items", CL_DEVICE_MAX_WORK_GROUP_SIZE, bytes_of<std::size_t>(63), false},
  };
  Library library = *failing::real;
  library.clGetDeviceInfo = state;
  canny::opencl::replace_library(&library);
  for (const Statement& each : statements) {
    statement = &each;
    std::vector<canny::opencl::Device> devices;
    const Status status = canny::opencl::list_devices(&devices);
    tally.count(kOpenCl, each.name,
                !status.ok()                        ? status.message()
                : devices.empty() == each.is_usable ? std::to_string(devices.size()) + " devices"
                                                    : "");
  }
  canny::opencl::replace_library(nullptr);
}

Status submit_one(Detector* detector, InFlight* frame) {
  CANNY_TRY(Detector::create(harness::detector_options(kOpenCl), detector));
  CANNY_TRY(detector->set_size(203, 121));
  return frame->submit(*detector);
}

cl_int read_nothing(cl_command_queue, cl_mem, cl_bool, std::size_t, std::size_t, void*, cl_uint,
                    const cl_event*, cl_event*) {
  return CL_SUCCESS;
}

void test_silent_failure() {
  Library library = *failing::real;
  library.clEnqueueReadBuffer = read_nothing;
  canny::opencl::replace_library(&library);
  Detector detector;
  InFlight frame(frame_case(0));
  Status status = submit_one(&detector, &frame);
  if (status.ok()) status = detector.wait(nullptr);
  tally.expect(kOpenCl, "no results", status, StatusCode::kDeviceFailure,
               device_name + ": the device did not complete the frame");
  canny::opencl::replace_library(nullptr);
}

// The device is lost, and there is no memory for a message either, until the detector is gone.
void test_without_memory() {
  std::optional<Detector> detector(std::in_place);
  InFlight frame(frame_case(0));
  Status status = submit_one(&*detector, &frame);
  tally.expect(kOpenCl, "a frame in flight", status, StatusCode::kOk);
  fault.arm(0, CL_OUT_OF_RESOURCES, true);
  limited_new::allocations_left = 0;
  status = detector->wait(nullptr);
  detector.reset();
  limited_new::allocations_left = UINT64_MAX;
  fault.disarm();
  tally.expect(kOpenCl, "a lost device without memory", status, StatusCode::kDeviceFailure);
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
  device_name = device.text();
  test_unusable_devices();
  test_silent_failure();
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
        test_two_threads(backend, "clWaitForEvents", 4, error, is_lost);
      }
      test_two_threads(backend, "clBuildProgram", 2, error, true);
    }
  }
  test_without_memory();
  canny::opencl::replace_library(nullptr);
  tally.count(kOpenCl, "the objects of all detectors",
              failing::objects == 0 ? "" : std::to_string(failing::objects) + " are not released");
  return tally.summary();
}

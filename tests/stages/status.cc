// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests bad input to the library: provokes every StatusCode but kInvalidParams, and checks the
// messages.
#include <tbb/parallel_for.h>

#include <cfenv>
#include <csignal>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "canny/transfer.h"
#include "device_memory.h"
#include "harness.h"
#include "limited_new.h"
#include "reference/random.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;
using canny::StatusCode;

harness::Tally tally;

// In 32 bits, the lowest number.
constexpr auto kTooLong = static_cast<std::ptrdiff_t>(std::int64_t{1} << 31);

// A 16x8 RGB frame and a gray one, which a test damages.
struct Frames {
  std::vector<std::uint8_t> input_bytes = std::vector<std::uint8_t>(16 * 8 * 3, 100);
  std::vector<std::uint8_t> output_bytes = std::vector<std::uint8_t>(16 * 8, 77);
  canny::ConstFrame input{input_bytes.data(), 48, 16, 8, canny::PixelFormat::kRgb};
  canny::Frame output{output_bytes.data(), 16, 16, 8};

  const std::vector<std::uint8_t>& written() const { return output_bytes; }
};

// Expects detect() to return this code.
template <class TwoFrames>
void expect_detect(Backend backend, const std::string& what, Detector& detector,
                   const TwoFrames& frames, StatusCode code,
                   const std::string& part_of_message = "") {
  tally.expect(backend, what, detector.detect({}, frames.input, frames.output, nullptr), code,
               part_of_message);
}

// Expects detect() to refuse frames that `spoil` damages, with this part of a message, and to write
// nothing.
template <class TwoFrames, class Spoil>
void expect_invalid(Backend backend, Detector& detector, const std::string& message, Spoil spoil) {
  TwoFrames frames;
  spoil(frames);
  expect_detect(backend, message, detector, frames, StatusCode::kInvalidFrame, message);
  for (const std::uint8_t byte : frames.written())
    if (byte != 77) return tally.fail(backend, message + ": wrote to the output");
}

Detector make_detector(Backend backend) {
  Detector detector;
  Status status = Detector::create(harness::detector_options(backend), &detector);
  if (status.ok()) status = detector.set_size(16, 8);
  tally.expect(backend, "a detector", status, StatusCode::kOk);
  return detector;
}

void test_frames(Backend backend) {
  Detector detector = make_detector(backend);
  const auto expect_invalid = [&](const char* message, auto spoil) {
    ::expect_invalid<Frames>(backend, detector, message, spoil);
  };
  expect_invalid("input frame: data is null", [](Frames& f) { f.input.data = nullptr; });
  expect_invalid("output frame: data is null", [](Frames& f) { f.output.data = nullptr; });
  expect_invalid("input frame: size 15x8", [](Frames& f) { f.input.width = 15; });
  expect_invalid("output frame: size 16x9", [](Frames& f) { f.output.height = 9; });
  expect_invalid("input frame: size 0x0", [](Frames& f) {
    f.input = {};
    f.input.data = f.input_bytes.data();
  });
  expect_invalid("stride_bytes 0 is shorter", [](Frames& f) {
    f.output = {};
    f.output.data = f.output_bytes.data(), f.output.width = 16, f.output.height = 8;
  });
  expect_invalid("stride_bytes 47 is shorter", [](Frames& f) { f.input.stride_bytes = 47; });
  expect_invalid("stride_bytes -15 is shorter", [](Frames& f) { f.output.stride_bytes = -15; });
  expect_invalid("is beyond", [](Frames& f) { f.input.stride_bytes = kTooLong; });
  expect_invalid("is beyond", [](Frames& f) { f.output.stride_bytes = PTRDIFF_MIN; });
  if (sizeof(std::ptrdiff_t) == 4)
    expect_invalid("its rows cover", [](Frames& f) { f.input.stride_bytes = 1 << 29; });
  expect_invalid("unknown pixel format",
                 [](Frames& f) { f.input.format = static_cast<canny::PixelFormat>(99); });
  expect_invalid("output frame: the pixel format is for input only", [](Frames& f) {
    f.output_bytes.resize(2 * f.output_bytes.size(), f.output_bytes[0]);
    f.output = {f.output_bytes.data(), 32, 16, 8, canny::PixelFormat::kGray16Be};
  });
  expect_invalid("unknown memory",
                 [](Frames& f) { f.output.memory = static_cast<canny::Memory>(9); });
  expect_invalid("output frame: overlaps the input", [](Frames& f) {
    f.output.data = f.input_bytes.data() + 3;
    f.output.stride_bytes = 48;
  });
  expect_invalid(backend == Backend::kCuda ? "not in memory of CUDA device" : "host memory only",
                 [](Frames& f) { f.input.memory = canny::Memory::kDevice; });
}

// Views have a palette for each format that they may have.
void test_views_of_input_formats(Backend backend) {
  Detector detector = make_detector(backend);
  for (const canny::View view : {canny::View::kGradient, canny::View::kOverlay}) {
    Frames frames;
    frames.output_bytes.resize(16 * 8 * 8);
    frames.output = {frames.output_bytes.data(), 16 * 8, 16, 8, canny::PixelFormat::kXrgb64Le};
    canny::Params params;
    params.view = view;
    tally.expect(backend, "a view in a format for input only",
                 detector.detect(params, frames.input, frames.output, nullptr),
                 StatusCode::kInvalidFrame, "output frame: the pixel format");
  }
}

// 16x8 pixels in planes; the input's planes are 100 bytes apart and the output's 200.
struct PlaneFrames {
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(1200, 77);
  canny::ConstFrame input{bytes.data() + 10, 16, 16, 8, canny::PixelFormat::kRgbPlanes};
  canny::Frame output{bytes.data() + 500, 17, 16, 8, canny::PixelFormat::kRgbPlanes};
  const std::vector<std::uint8_t>& written() const { return bytes; }
  PlaneFrames() {
    input.green = {bytes.data() + 140, 18};
    input.blue = {bytes.data() + 300, 16};
    output.green = {bytes.data() + 700, 16};
    output.blue = {bytes.data() + 900 + 7 * 20, -20};
  }
};

void test_planes(Backend backend) {
  Detector detector = make_detector(backend);
  const auto expect_invalid = [&](const std::string& message, auto spoil) {
    ::expect_invalid<PlaneFrames>(backend, detector, message, spoil);
  };
  expect_invalid("input frame, red plane: data is null",
                 [](PlaneFrames& f) { f.input.data = nullptr; });
  expect_invalid("input frame, green plane: data is null",
                 [](PlaneFrames& f) { f.input.green = {}; });
  expect_invalid("output frame, blue plane: data is null",
                 [](PlaneFrames& f) { f.output.blue.data = nullptr; });
  expect_invalid("input frame, blue plane: stride_bytes 15 is shorter than a row of 16",
                 [](PlaneFrames& f) { f.input.blue.stride_bytes = 15; });
  expect_invalid("output frame, green plane: stride_bytes -15 is shorter than a row of 16",
                 [](PlaneFrames& f) { f.output.green.stride_bytes = -15; });
  const std::string beyond = "stride_bytes " + std::to_string(kTooLong) + " is beyond";
  expect_invalid("input frame, green plane: " + beyond,
                 [](PlaneFrames& f) { f.input.green.stride_bytes = kTooLong; });
  for (int plane : {0, 1, 2}) {
    expect_invalid("output frame: overlaps the input frame", [plane](PlaneFrames& f) {
      const canny::BasicPlane<const std::uint8_t> inputs[] = {
          {f.input.data, 16}, f.input.green, f.input.blue};
      f.output.blue = {f.bytes.data() + (inputs[plane].data - f.bytes.data()) + 100, 16};
    });
  }
  expect_invalid("output frame: its planes overlap", [](PlaneFrames& f) {
    f.output.blue = {f.output.data + 15, 17};
  });
  expect_invalid("output frame: its planes overlap",
                 [](PlaneFrames& f) { f.output.blue = f.output.green; });

  PlaneFrames frames;
  expect_detect(backend, "planes at strides of their own", detector, frames, StatusCode::kOk);
  frames.input.green = frames.input.blue;
  expect_detect(backend, "an input that has a plane twice", detector, frames, StatusCode::kOk);
  // Three rows side by side.
  std::vector<std::uint8_t> rows(3 * 16 * 8);
  frames.output.data = rows.data();
  frames.output.stride_bytes = 48;
  frames.output.green = {rows.data() + 16, 48};
  frames.output.blue = {rows.data() + 32, 48};
  expect_detect(backend, "planes whose rows interleave", detector, frames, StatusCode::kOk);
  frames.output.blue.data = nullptr;
  expect_detect(backend, "no blue plane", detector, frames, StatusCode::kInvalidFrame,
                "output frame, blue plane: data is null");
}

// The result is the same in every rounding mode of the calling thread, which is kept.
void test_rounding_modes(Backend backend, const std::string& what, const canny::Params& params,
                         const canny::ConstFrame& input) {
  std::vector<std::uint8_t> edges(static_cast<std::size_t>(input.width) * input.height), expected;
  for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    Detector detector = make_detector(backend);
    Status status = detector.set_size(input.width, input.height);
    std::fesetround(mode);
    if (status.ok())
      status = detector.detect(params, input,
                               {edges.data(), input.width, input.width, input.height}, nullptr);
    const bool is_kept = std::fegetround() == mode;
    std::fesetround(FE_TONEAREST);
    if (expected.empty()) expected = edges;
    tally.expect(backend, what, status, StatusCode::kOk);
    tally.count(backend, what + ", rounding mode " + std::to_string(mode),
                !is_kept            ? "is not kept"
                : edges == expected ? ""
                                    : "changes the result");
  }
}

// Rounding makes the taps, the numbers of floats, and thresholds that are measured.
void test_rounding(Backend backend) {
  reference::Random random(1);
  const std::vector<std::uint8_t> pixels = random.bytes(16 * 8 * 3);
  canny::Params params;
  params.low_threshold = params.high_threshold = 20;
  params.sigma = 1.3;
  test_rounding_modes(backend, "taps", params,
                      {pixels.data(), 16 * 3, 16, 8, canny::PixelFormat::kRgb});
  constexpr int kWidth = 512, kHeight = 100;
  std::vector<float> samples(kWidth * kHeight);
  for (float& sample : samples) sample = static_cast<float>(random.between(0, 1 << 20)) / (1 << 20);
  params = {};
  params.threshold_mode = canny::ThresholdMode::kOtsu;
  params.luma_depth = canny::LumaDepth::k8;
  test_rounding_modes(backend, "floats", params,
                      {reinterpret_cast<const std::uint8_t*>(samples.data()), 4 * kWidth, kWidth,
                       kHeight, canny::PixelFormat::kGrayF32});
}

// After an error there are no components, nor chains.
void test_lists_after_errors(Backend backend) {
  Detector detector = make_detector(backend);
  Frames frames;
  for (std::size_t i = 0; i < 16 * 4 * 3; ++i) frames.input_bytes[i] = 0;
  canny::Components components;
  canny::Contours contours;
  frames.output.components = &components;
  frames.output.contours = &contours;
  const auto counts = [&] { return std::make_pair(components.size(), contours.size()); };
  const std::pair<std::size_t, std::size_t> one(1, 1), none(0, 0);
  expect_detect(backend, "an edge", detector, frames, StatusCode::kOk);
  tally.count(backend, "an edge", counts() == one ? "" : "is not one component and chain");
  frames.output.batch.count = 60000;  // there are not so many lists
  expect_detect(backend, "another count", detector, frames, StatusCode::kInvalidFrame,
                "batch.count 60000 differs from the input's 1");
  tally.count(backend, "another count", counts() == none ? "" : "leaves lists");
  frames.output.batch.count = 1;
  expect_detect(backend, "an edge", detector, frames, StatusCode::kOk);
  tally.expect(backend, "no size", detector.set_size(0, 0), StatusCode::kInvalidSize);
  expect_detect(backend, "no size", detector, frames, StatusCode::kNotConfigured, "set_size()");
  tally.count(backend, "no size", counts() == none ? "" : "leaves lists");
}

// Two fields of one buffer: rows that interleave and do not touch are two frames.
void test_interleaved_frames(Backend backend) {
  Detector detector = make_detector(backend);
  std::vector<std::uint8_t> bytes(16 * 16, 5);
  const canny::ConstFrame input{bytes.data(), 32, 16, 8};
  const canny::Frame output{bytes.data() + 16, 32, 16, 8};
  tally.expect(backend, "interleaved frames", detector.detect({}, input, output, nullptr),
               StatusCode::kOk);
}

void test_without_create() {
  Detector detector;
  Frames frames;
  tally.expect(Backend::kCpu, "set_size() without create()", detector.set_size(16, 8),
               StatusCode::kNotConfigured, "create()");
  expect_detect(Backend::kCpu, "detect() without create()", detector, frames,
                StatusCode::kNotConfigured, "create()");
}

void test_options() {
  tally.expect(Backend::kCpu, "no detector", Detector::create({Backend::kCpu}, nullptr),
               StatusCode::kInvalidOptions, "detector is null");
  const canny::Ratios ratios = canny::usual_ratios(static_cast<canny::ThresholdMode>(5));
  tally.count(ratios.high == 0 && ratios.low == 0, "the ratios of no mode");
}

// Copies between frames and a device's memory are complete, even if the caller's loop is canceled.
void test_canceled_loop() {
  constexpr std::size_t kRows = 4096, kRow = 512;
  const std::vector<std::uint8_t> from(kRows * kRow, 1);
  std::vector<std::uint8_t> to(kRows * kRow);
  tbb::task_group_context loop;
  const auto copy = [&](int) {
    loop.cancel_group_execution();
    canny::copy_rows({from.data(), kRow, kRow, kRows}, {to.data(), kRow, kRow, kRows});
  };
  tbb::parallel_for(0, 1, copy, loop);
  tally.count(Backend::kCpu, "a canceled loop", to == from ? "" : "leaves rows out");
}

// Runs with less memory than the frame needs.
void test_out_of_host_memory() {
  Detector detector = make_detector(Backend::kCpu);
  Frames frames;
  for (std::size_t limit : {1 << 20, 0}) {  // 0: not even a message can be allocated
    limited_new::most_bytes = limit;
    const Status status = detector.set_size(16384, 16384);
    limited_new::most_bytes = SIZE_MAX;
    tally.expect(Backend::kCpu, "out of memory", status, StatusCode::kOutOfMemory, "out of memory");
  }
  expect_detect(Backend::kCpu, "detect() after it", detector, frames, StatusCode::kNotConfigured,
                "set_size()");
  tally.expect(Backend::kCpu, "set_size() once there is memory", detector.set_size(16, 8),
               StatusCode::kOk);
  expect_detect(Backend::kCpu, "detect() once there is memory", detector, frames, StatusCode::kOk);
}

Status status_of(const canny::Options& options) {
  Detector detector;
  return Detector::create(options, &detector);
}

void handle(int) {}

// Drivers load compilers that would handle the signals of the process. Returns whether there is a
// detector with these options. Run this before any other of the backend.
Status test_signals(const canny::Options& options) {
  constexpr int kSignals[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGFPE, SIGSEGV};
  for (const int number : kSignals) std::signal(number, handle);
  Detector detector;
  const Status created = Detector::create(options, &detector);
  Frames frames;
  if (created.ok()) {
    Status status = detector.set_size(16, 8);
    if (status.ok()) status = detector.detect({}, frames.input, frames.output, nullptr);
    tally.expect(options.backend, "a frame with handlers", status, StatusCode::kOk);
  }
  for (const int number : kSignals)
    tally.count(options.backend, "signal " + std::to_string(number),
                std::signal(number, SIG_DFL) == handle ? "" : "has another handler");
  return created;
}

// Without a device, checks the codes that state the reason. With one, Backend::kAuto finds it.
void test_absent_device(const Status& cuda) {
  const StatusCode code = cuda.code();
  if (code != StatusCode::kBackendNotBuilt && code != StatusCode::kNoDriver &&
      code != StatusCode::kDriverTooOld && code != StatusCode::kNoDevice &&
      code != StatusCode::kDeviceUnusable)
    tally.fail(Backend::kCpu, "no device, but code " + std::to_string(static_cast<int>(code)));
  Detector detector;
  tally.expect(Backend::kCpu, "auto without a device", Detector::create({}, &detector),
               StatusCode::kOk);
  const canny::Info& info = detector.info();
  canny::Options opencl_gpu;
  opencl_gpu.backend = Backend::kOpenCl;
  const Status opencl = status_of(opencl_gpu);
  if (opencl.ok())
    return tally.count(
        info.backend == Backend::kOpenCl && info.reason.find(cuda.message()) != std::string::npos,
        "auto does not choose OpenCL's GPU, or does not state why");
  for (const Status& absent : {cuda, opencl})
    tally.count(
        info.backend == Backend::kCpu && info.reason.find(absent.message()) != std::string::npos,
        "auto does not state why it chose the CPU: " + info.reason);
}

void test_device_range() {
  Detector detector;
  canny::Options options;
  options.backend = Backend::kCuda;
  options.cuda_device = 1000;
  tally.expect(Backend::kCuda, "device 1000", Detector::create(options, &detector),
               StatusCode::kDeviceOutOfRange, "1000");
}

// After each call the application finds its own current context, or none, again.
void test_context() {
  for (bool with_context : {true, false}) {
    std::thread([with_context] {
      const device_memory::CurrentContext context(with_context);
      Frames frames;
      Detector detector = make_detector(Backend::kCuda);
      expect_detect(Backend::kCuda, "detect() beside a context", detector, frames, StatusCode::kOk);
      tally.count(Backend::kCuda, "the thread's context after detect()",
                  context.is_current() ? "" : "is another one");
    }).join();
  }
}

void test_out_of_device_memory() {
  Detector detector = make_detector(Backend::kCuda);
  Frames frames;
  {
    const device_memory::Exhausted exhausted;
    tally.expect(Backend::kCuda, "out of device memory", detector.set_size(16384, 16384),
                 StatusCode::kOutOfMemory, "cudaMalloc");
  }
  tally.expect(Backend::kCuda, "set_size() once there is memory", detector.set_size(16, 8),
               StatusCode::kOk);
  expect_detect(Backend::kCuda, "detect() once there is memory", detector, frames, StatusCode::kOk);
}

// Runs last: a device frame that is smaller than stated ends this process's use of the device.
void test_device_failure() {
  Detector detector = make_detector(Backend::kCuda);
  Frames frames;
  if (Status s = detector.set_size(16384, 16384); !s.ok())
    return tally.expect(Backend::kCuda, "set_size", s, StatusCode::kOk);
  frames.input = {static_cast<const std::uint8_t*>(device_memory::small_block()), 1 << 22, 16384,
                  16384};
  frames.input.memory = canny::Memory::kDevice;
  std::vector<std::uint8_t> output(std::size_t{16384} * 16384);
  frames.output = {output.data(), 16384, 16384, 16384};
  // Rows beyond mapped memory may reach the addresses of shared memory.
  const Status fault = detector.detect({}, frames.input, frames.output, nullptr);
  const bool other_space = fault.message().find("address space") != std::string::npos;
  tally.expect(Backend::kCuda, "a kernel that faults", fault, StatusCode::kDeviceFailure,
               other_space ? "operation not supported on global/shared address space"
                           : "illegal memory access");
  expect_detect(Backend::kCuda, "detect() after a device failure", detector, frames,
                StatusCode::kDeviceFailure, fault.message());
}

void test_backend(Backend backend) {
  test_frames(backend);
  test_views_of_input_formats(backend);
  test_planes(backend);
  test_rounding(backend);
  test_lists_after_errors(backend);
  test_interleaved_frames(backend);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) {
    test_canceled_loop();
    test_out_of_host_memory();
    test_without_create();
    test_options();
    tally.expect(Backend::kCpu, "auto", test_signals({}), StatusCode::kOk);
    test_backend(Backend::kCpu);
  }
  if (options.opencl) {
    const Status opencl = test_signals(harness::detector_options(Backend::kOpenCl));
    if (opencl.ok())
      test_backend(Backend::kOpenCl);
    else
      tally.skip(Backend::kOpenCl, opencl.message());
  }
  device_memory::test_machine_codes(&tally);
  if (options.cuda) {
    const Status cuda = status_of(harness::detector_options(Backend::kCuda));
    if (cuda.ok()) {
      test_backend(Backend::kCuda);
      test_device_range();
      test_context();
      test_out_of_device_memory();
      test_device_failure();
    } else {
      test_absent_device(cuda);
      tally.skip(Backend::kCuda, cuda.message());
    }
  }
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests several frames in flight: the same bytes in the same order, from any memory, and no frame
// lost when the device fails.
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "device_memory.h"
#include "flight.h"
#include "frames.h"
#include "harness.h"

using canny::Backend;
using canny::Status;
using canny::StatusCode;
using cases::Case;

namespace flight {

harness::Tally tally;

Case frame_case(std::uint64_t seed, Size size) {
  Case c = cases::make_case(cases::table_size() + seed, 64);
  cases::set_size(size.width, size.height, &c);
  if (seed % 7 == 0) c.params.sigma = 9;
  c.params.measure_stages = seed % 3 == 1;
  // Frames with memory of their own for several options at a time, next to each other.
  if (seed % 8 == 4) {
    c.input = canny::PixelFormat::kRgb;
    c.params.color_mode = canny::ColorMode::kLargestChannel;
    c.params.threshold_mode = canny::ThresholdMode::kOtsu;
    c.params.min_length = 12;
    c.params.view = canny::View::kEdges;
    c.chroma = {};
  } else if (seed % 8 == 5) {
    c.input = c.output = canny::PixelFormat::kBgrx;
    c.params.view = canny::View::kOverlay;
    c.chroma = {};
  }
  return c;
}

canny::Detector make_detector(canny::Options options, Size size, unsigned frames_in_flight) {
  canny::Detector detector;
  Status status = canny::Detector::create(options, &detector);
  if (status.ok()) status = detector.set_size(size.width, size.height, frames_in_flight);
  if (!status.ok()) tally.fail(options.backend, "a detector: " + status.message());
  return detector;
}

}  // namespace flight

namespace {

using flight::frame_case;
using flight::make_detector;
using flight::Size;
using flight::tally;

// A copy of a block of bytes, in page-locked memory if that is wanted and possible.
class LockedBlock {
 public:
  explicit LockedBlock(const std::vector<std::uint8_t>& bytes, bool page_locked = true)
      : pageable_(bytes) {
    if (page_locked && canny::HostMemory::allocate(bytes.size(), -1, &locked_).ok())
      std::copy(bytes.begin(), bytes.end(), locked_.data());
  }
  std::uint8_t* data() { return locked_.data() != nullptr ? locked_.data() : pageable_.data(); }

 private:
  std::vector<std::uint8_t> pageable_;
  canny::HostMemory locked_;
};

// A frame with its memory, which is page-locked if possible.
struct InFlight : frames::InFlight {
  InFlight(const Case& of, bool page_locked)
      : frames::InFlight(of),
        input_block(frames.input().block(), page_locked),
        output_block(output.block(), page_locked) {}

  Status submit(canny::Detector& detector) {
    const canny::Memory host = canny::Memory::kHost;
    return detector.submit(c.params, frames.input().const_frame(input_block.data(), host),
                           output.frame(output_block.data(), host));
  }

  std::string wait(canny::Detector& detector) {
    const Status status = frames::InFlight::wait(detector);
    if (!status.ok()) return status.message();
    std::copy_n(output_block.data(), output.block().size(), output.block().begin());
    const std::string wrong = check();
    // After a device failure, the device may still have completed a frame that it had begun.
    const bool is_copied = detector.info().backend != Backend::kCpu || result.uploaded_bytes > 0;
    return wrong.empty() ? frames.check_copies(result, is_copied, is_copied) : wrong;
  }

  LockedBlock input_block, output_block;
};

// Keeps as many frames in flight as allowed.
void run_frames(canny::Detector& detector, Backend backend, Size size, unsigned frames_in_flight,
                std::uint64_t count_of_frames) {
  std::deque<InFlight> flight;
  const auto wait = [&] {
    tally.count(backend, describe(flight.front().c), flight.front().wait(detector));
    flight.pop_front();
  };
  for (std::uint64_t i = 0; i < count_of_frames; ++i) {
    if (flight.size() == frames_in_flight) wait();
    flight.emplace_back(frame_case(i + frames_in_flight, size), i % 3 != 0);
    const Status status = flight.back().submit(detector);
    if (!status.ok()) {
      tally.fail(backend, "submit(): " + status.message());
      flight.pop_back();
    }
  }
  while (!flight.empty()) wait();
}

// One thread submits and another one waits.
void run_two_threads(canny::Detector& detector, Backend backend, Size size,
                     unsigned frames_in_flight, std::uint64_t count_of_frames) {
  std::deque<InFlight> flight;  // references to its elements stay valid
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t submitted = 0, waited = 0;
  const auto advance = [&](std::uint64_t* number) {
    const std::lock_guard<std::mutex> lock(mutex);
    ++*number;
    changed.notify_one();
  };
  for (std::uint64_t i = 0; i < count_of_frames; ++i)
    flight.emplace_back(frame_case(i, size), i % 2 == 0);
  std::thread waiter([&] {
    for (InFlight& frame : flight) {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return submitted > waited; });
      lock.unlock();
      tally.count(backend, describe(frame.c), frame.wait(detector));
      advance(&waited);
    }
  });
  Status status;
  for (InFlight& frame : flight) {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return submitted - waited < frames_in_flight; });
    lock.unlock();
    if (Status s = frame.submit(detector); !s.ok()) status = s;
    advance(&submitted);
  }
  waiter.join();
  tally.expect(backend, "two threads", status, StatusCode::kOk);
}

void run_every_number(const canny::Options& options, const harness::Options& run) {
  const std::uint64_t frames = std::max<std::uint64_t>(40 / run.step, 6);
  for (unsigned n = 1; n <= canny::kMaxFramesInFlight; ++n) {
    canny::Detector detector = make_detector(options, {203, 121}, n);
    run_frames(detector, options.backend, {203, 121}, n, frames);
    if (run.threads) run_two_threads(detector, options.backend, {203, 121}, n, frames);
    // Another size on the same detector: copies in several pieces.
    const Size large = {1501, 1003};
    if (n % 3 != 0 || run.step > 1) continue;
    tally.expect(options.backend, "another size", detector.set_size(large.width, large.height, 2),
                 StatusCode::kOk);
    run_frames(detector, options.backend, large, 2, 6);
  }
}

// Planes large enough to be copied in several pieces.
void run_large_planes(const canny::Options& options) {
  const Size size = {2311, 1901};
  canny::Detector detector = make_detector(options, size, 1);
  for (const bool page_locked : {false, true}) {
    Case c = frame_case(1, size);
    c.input = c.output = canny::PixelFormat::kRgbPlanes;
    c.params = {};
    InFlight frame(c, page_locked);
    tally.expect(options.backend, "large planes", frame.submit(detector), StatusCode::kOk);
    tally.count(options.backend, describe(frame.c), frame.wait(detector));
  }
}

// Frames of RGB, all in flight together. From the fifth on, kernels treat the GPU as busy.
void run_together(const canny::Options& options, Size size,
                  const std::vector<canny::Params>& params) {
  canny::Detector detector = make_detector(options, size, static_cast<unsigned>(params.size()));
  std::deque<InFlight> flight;
  for (const canny::Params& of_frame : params) {
    Case c = frame_case(1, size);
    c.input = canny::PixelFormat::kRgb;
    c.output = canny::PixelFormat::kGray8;
    c.chroma = {};
    c.region = nullptr;
    c.params = of_frame;
    flight.emplace_back(c, true);
    tally.expect(options.backend, "a large frame", flight.back().submit(detector), StatusCode::kOk);
  }
  for (InFlight& frame : flight)
    tally.count(options.backend, describe(frame.c), frame.wait(detector));
}

// Enough pixels in flight for the tallest tiles of a busy GPU: 5 million each for all kernels but
// the strips, which take 33 million to reach theirs on 132 multiprocessors.
void run_large_frames(const canny::Options& options) {
  std::vector<canny::Params> params(8);
  params[5].norm = canny::Norm::kL1;
  params[5].threshold_mode = canny::ThresholdMode::kOtsu;
  params[6].gradient_operator = canny::Operator::kSobel5;
  params[7].color_mode = canny::ColorMode::kLargestChannel;
  run_together(options, {2432, 2048}, params);
  params.resize(6);
  run_together(options, {7680, 4320}, params);
}

// One plane in page-locked memory, the others in pageable memory.
void run_mixed_planes(const canny::Options& options) {
  const Size size = {97, 41};
  Case c = frame_case(3, size);
  c.input = c.output = canny::PixelFormat::kRgbPlanes;
  const frames::CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  LockedBlock locked_input(frames.input().block()), locked_output(output.block());
  canny::ConstFrame from = frames.input().const_frame();
  from.green = frames.input().const_frame(locked_input.data(), canny::Memory::kHost).green;
  canny::Frame to = output.frame();
  const canny::BasicPlane<std::uint8_t> blue = to.blue;
  to.blue = output.frame(locked_output.data(), canny::Memory::kHost).blue;

  canny::Detector detector = make_detector(options, size, 1);
  canny::Result result;
  const Status status = detector.detect(c.params, from, to, &result);
  for (int y = 0; y < size.height; ++y)
    std::copy_n(to.blue.data + y * to.blue.stride_bytes, size.width,
                blue.data + y * blue.stride_bytes);
  tally.count(options.backend, "planes in different memory",
              status.ok() ? frames.check(output, result) : status.message());
}

void run_misuse(const canny::Options& options) {
  const Backend backend = options.backend;
  const Size size = {64, 48};
  canny::Detector detector = make_detector(options, size, 2);
  InFlight frames[] = {
      {frame_case(1, size), false}, {frame_case(2, size), false}, {frame_case(3, size), false}};
  tally.expect(backend, "wait() with none", detector.wait(nullptr), StatusCode::kNotConfigured);
  tally.expect(backend, "first", frames[0].submit(detector), StatusCode::kOk);
  tally.expect(backend, "set_size() in between", detector.set_size(64, 48, 2),
               StatusCode::kNotConfigured);
  tally.expect(backend, "second", frames[1].submit(detector), StatusCode::kOk);
  tally.expect(backend, "too many", frames[2].submit(detector), StatusCode::kNotConfigured);
  for (int i : {0, 1}) tally.count(backend, "in order", frames[i].wait(detector));
  tally.expect(backend, "third", frames[2].submit(detector), StatusCode::kOk);
  tally.expect(backend, "fourth", frames[0].submit(detector), StatusCode::kOk);
  detector.drop();
  tally.count(backend, "after a dropped one", frames[0].wait(detector));
  tally.expect(backend, "fifth", frames[1].submit(detector), StatusCode::kOk);
  // The destructor waits for it.
}

#if CANNY_CUDA_FAULTS
// Makes each CUDA call in turn fail, in the way that `kind` names. Every frame still comes out,
// after the failure from the CPU.
void run_faults(const std::string& kind) {
  constexpr int kCallsAfterTheLast = 10;  // some earlier failures are harmless
  int unharmed = 0;
  for (int call = 1; unharmed < kCallsAfterTheLast; ++call) {
    setenv("CANNY_CUDA_FAULT", (std::to_string(call) + kind).c_str(), 1);
    canny::Detector detector = make_detector({}, {203, 121}, 3);
    run_frames(detector, Backend::kCuda, {203, 121}, 3, 8);
    const canny::Info& info = detector.info();
    if (info.backend == Backend::kCuda) {
      ++unharmed;
    } else {
      unharmed = 0;
      tally.count(Backend::kCuda, "why",
                  info.reason.find("the device failed") != std::string::npos
                      ? ""
                      : "reason: " + info.reason);
    }
  }
  unsetenv("CANNY_CUDA_FAULT");
}
#else
void run_faults(const std::string&) {}
#endif

// Creates and destroys detectors in several threads at the same time; they take over each other's
// threads.
void run_in_threads(const canny::Options& options, std::uint64_t detectors) {
  constexpr int kRunners = 3;
  constexpr Size kSizes[] = {{203, 121}, {64, 300}, {31, 40}};
  std::string failures[kRunners];
  const auto run_detectors = [&](int runner) {
    for (std::uint64_t i = 0; i < detectors && failures[runner].empty(); ++i) {
      const Size size = kSizes[(runner + i) % std::size(kSizes)];
      canny::Detector detector;
      Status status = canny::Detector::create(options, &detector);
      if (status.ok()) status = detector.set_size(size.width, size.height);
      InFlight frame(frame_case(i, size), false);
      if (status.ok()) status = frame.submit(detector);
      failures[runner] = status.ok() ? frame.wait(detector) : status.message();
    }
  };
  std::thread runners[kRunners];
  for (int i = 0; i < kRunners; ++i) runners[i] = std::thread(run_detectors, i);
  for (std::thread& runner : runners) runner.join();
  for (const std::string& failure : failures) tally.count(options.backend, "in threads", failure);
}

// Runs in a context that another library created.
void run_in_context() {
  const device_memory::CurrentContext context(true);
  canny::Options options;
  options.backend = Backend::kCuda;
  options.cuda_context = context.handle();
  canny::Detector detector = make_detector(options, {203, 121}, 3);
  run_frames(detector, Backend::kCuda, {203, 121}, 3, 12);
  tally.count(Backend::kCuda, "the thread's context", context.is_current() ? "" : "is another one");
}

void run(Backend backend, const canny::Detector&, const harness::Options& run_options) {
  const canny::Options options = harness::detector_options(backend);
  run_every_number(options, run_options);
  if (run_options.step == 1) run_large_planes(options);
  run_mixed_planes(options);
  run_misuse(options);
  if (run_options.threads)
    run_in_threads(options, std::max<std::uint64_t>(60 / run_options.step, 5));
  if (backend != Backend::kCuda) return;
  if (run_options.step == 1) run_large_frames(options);
  run_in_context();
  flight::run_on_device(run_options);
  for (const char* kind : {"", ":memory"}) run_faults(kind);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}

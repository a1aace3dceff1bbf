// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests the library without memory: each allocation fails in turn, and the process's memory is
// limited. Every call returns a Status, and the same detector is exact as soon as there is memory.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "canny/transfer.h"
#include "cases.h"
#include "device.h"
#include "failing.h"
#include "frames.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;
using canny::StatusCode;
using cases::Case;
using failing::Fault;

harness::Tally tally;

constexpr int kWidth = 203, kHeight = 121;
constexpr unsigned kThreads = 2;

std::string text(const Status& status) {
  return "code " + std::to_string(static_cast<int>(status.code())) + ": " + status.message();
}

canny::Options options_of(Backend backend) {
  canny::Options options;
  options.backend = backend;
  options.threads = kThreads;
  return options;
}

Case case_of(std::uint64_t seed) {
  Case c = cases::make_case(cases::table_size() + seed, 64);
  cases::set_size(kWidth, kHeight, &c);
  c.params.measure_stages = seed % 3 == 1;
  return c;
}

struct Frame : frames::InFlight {
  explicit Frame(std::uint64_t seed) : InFlight(case_of(seed)) {}

  Status detect(Detector& detector) {
    return detector.detect(c.params, input(), output.frame(), &result);
  }
  // Compares the output and clears it. Returns a difference, empty if it is exact.
  std::string take() {
    const std::string wrong = check();
    output = frames.output();
    result = {};
    return wrong;
  }
};

// The frames that all cases use in turn.
std::vector<Frame>& all_frames() {
  static std::vector<Frame> frames = [] {
    std::vector<Frame> made;
    for (std::uint64_t seed = 0; seed < 8; ++seed) made.emplace_back(seed);
    return made;
  }();
  return frames;
}

Frame& next_frame() {
  static std::size_t number = 0;
  return all_frames()[number++ % all_frames().size()];
}

// ---- each allocation in turn ----

// Makes one allocation fail, or one and all after it.
struct Attempt {
  Backend backend;
  std::string what;
  Fault fault{1, 1};
  bool failed = false;  // whether an allocation has

  std::string describe() const {
    return what + ", allocation " + std::to_string(fault.first) +
           (fault.count == 1 ? "" : " and all after it");
  }

  // Runs `call`, which must return `code` or, if an allocation failed, kOutOfMemory.
  template <class Call>
  bool run(StatusCode code, Call call) {
    Status status;
    {
      const failing::Failing failing(fault);
      status = call();
      failed = failing.any();
    }
    const bool may_fail = failed && status.code() == StatusCode::kOutOfMemory;
    tally.count(
        backend, describe(),
        status.code() == code || (may_fail && !status.message().empty()) ? "" : text(status));
    return status.ok();
  }

  void expect_ok(const Status& status) const {
    tally.expect(backend, "after " + describe(), status, StatusCode::kOk);
  }

  // Runs a frame with memory.
  void expect_exact(Detector& detector) const {
    Frame& frame = next_frame();
    expect_ok(frame.detect(detector));
    tally.count(backend, "after " + describe(), frame.take());
  }
};

// Makes attempts until no allocation is left to fail.
template <class Try>
void try_each(Backend backend, const std::string& what, Try attempt_once) {
  constexpr long kEnough = 1000;
  for (const long count_of_faults : {1L, failing::kAllAfter}) {
    for (long first = 1; first <= kEnough; ++first) {
      Attempt attempt{backend, what, {first, count_of_faults}};
      attempt_once(attempt);
      if (!attempt.failed) {
        std::printf("%s on %s, allocations: %ld\n", what.c_str(), canny::name(backend), first - 1);
        std::fflush(stdout);
        break;
      }
      if (first == kEnough) tally.fail(backend, what + ": allocations do not end");
    }
  }
}

Detector make_detector(Backend backend, unsigned frames_in_flight) {
  Detector detector;
  Status status = Detector::create(options_of(backend), &detector);
  if (status.ok()) status = detector.set_size(kWidth, kHeight, frames_in_flight);
  tally.expect(backend, "a detector", status, StatusCode::kOk);
  return detector;
}

// A failing create() leaves the previous detector.
void try_create(Backend backend, Backend wanted) {
  const canny::Options options = options_of(wanted);
  Detector detector = make_detector(backend, 1);
  try_each(backend, std::string("create() of ") + canny::name(wanted), [&](Attempt& attempt) {
    const bool created =
        attempt.run(StatusCode::kOk, [&] { return Detector::create(options, &detector); });
    if (created) attempt.expect_ok(detector.set_size(kWidth, kHeight));
    attempt.expect_exact(detector);
  });
}

// After a failing set_size() there is no size.
void try_set_size(Backend backend) {
  for (const unsigned frames_in_flight : {1u, 3u}) {
    Detector detector = make_detector(backend, 2);
    try_each(backend, "set_size()", [&](Attempt& attempt) {
      const bool has_size = attempt.run(
          StatusCode::kOk, [&] { return detector.set_size(kWidth, kHeight, frames_in_flight); });
      if (!has_size) {
        tally.expect(backend, "a frame after " + attempt.describe(), next_frame().submit(detector),
                     StatusCode::kNotConfigured);
        attempt.expect_ok(detector.set_size(kWidth, kHeight));
      }
      attempt.expect_exact(detector);
      if (attempt.fault.first % 2 == 0) attempt.expect_ok(detector.set_size(64, 2048));
    });
  }
}

// The first set_size() of another detector, for which there are no threads yet.
void try_first_size(Backend backend) {
  std::vector<Detector> detectors;
  try_each(backend, "the first set_size()", [&](Attempt& attempt) {
    Detector detector;
    attempt.expect_ok(Detector::create(options_of(backend), &detector));
    if (!attempt.run(StatusCode::kOk, [&] { return detector.set_size(kWidth, kHeight); }))
      attempt.expect_ok(detector.set_size(kWidth, kHeight));
    attempt.expect_exact(detector);
    detectors.push_back(std::move(detector));
  });
}

// Frames whose settings and formats differ from the previous ones.
void try_detect(Backend backend) {
  Detector detector = make_detector(backend, 1);
  for (int i = 0; i < 8; ++i) {
    try_each(backend, "detect()", [&](Attempt& attempt) {
      Frame& frame = next_frame();
      if (attempt.run(StatusCode::kOk, [&] { return frame.detect(detector); }))
        tally.count(backend, attempt.describe(), frame.take());
      attempt.expect_exact(detector);
    });
  }
}

// A frame that submit() refuses is not in flight; the frames before it are.
void try_submit(Backend backend) {
  Detector detector = make_detector(backend, 3);
  try_each(backend, "submit()", [&](Attempt& attempt) {
    std::vector<Frame*> flight;
    for (int i = 0; i < 2; ++i) {
      flight.push_back(&next_frame());
      attempt.expect_ok(flight.back()->submit(detector));
    }
    Frame& third = next_frame();
    if (attempt.run(StatusCode::kOk, [&] { return third.submit(detector); }))
      flight.push_back(&third);
    for (Frame* frame : flight) {
      attempt.expect_ok(frame->wait(detector));
      tally.count(backend, attempt.describe(), frame->take());
    }
    tally.expect(backend, "one more wait()", detector.wait(nullptr), StatusCode::kNotConfigured);
  });
}

// A frame that fails in wait(), or is dropped, is no longer in flight; the next one is.
void try_wait(Backend backend, bool is_dropped) {
  Detector detector = make_detector(backend, 2);
  try_each(backend, is_dropped ? "drop()" : "wait()", [&](Attempt& attempt) {
    Frame &first = next_frame(), &second = next_frame();
    for (Frame* frame : {&first, &second}) attempt.expect_ok(frame->submit(detector));
    const bool is_done = attempt.run(StatusCode::kOk, [&] {
      if (!is_dropped) return first.wait(detector);
      detector.drop();
      return Status();
    });
    if (is_done && !is_dropped) tally.count(backend, attempt.describe(), first.take());
    attempt.expect_ok(second.wait(detector));
    tally.count(backend, attempt.describe(), second.take());
    tally.expect(backend, "one more wait()", detector.wait(nullptr), StatusCode::kNotConfigured);
  });
}

// Calls that fail for another reason, and must report it.
void try_misuse(Backend backend) {
  Detector empty, idle = make_detector(backend, 1), busy = make_detector(backend, 1);
  Frame &frame = next_frame(), &other = next_frame();
  tally.expect(backend, "submit()", frame.submit(busy), StatusCode::kOk);
  const auto refuse = [&](const char* what, StatusCode code, auto call) {
    try_each(backend, what, [&](Attempt& attempt) { attempt.run(code, call); });
  };
  const auto not_configured = [&](const char* what, auto call) {
    refuse(what, StatusCode::kNotConfigured, call);
  };
  not_configured("wait() without create()", [&] { return empty.wait(nullptr); });
  not_configured("wait() without a frame", [&] { return idle.wait(nullptr); });
  not_configured("submit() without create()", [&] { return other.submit(empty); });
  not_configured("detect() without create()", [&] { return other.detect(empty); });
  not_configured("set_size() without create()", [&] { return empty.set_size(1, 1); });
  not_configured("submit() of too many", [&] { return other.submit(busy); });
  not_configured("detect() with a frame in flight", [&] { return other.detect(busy); });
  not_configured("set_size() with a frame in flight", [&] { return busy.set_size(1, 1); });
  canny::Params params;
  params.sigma = -1;
  refuse("sigma", StatusCode::kInvalidParams,
         [&] { return idle.detect(params, frame.input(), frame.output.frame(), nullptr); });
  canny::ConstFrame input = other.input();
  input.data = nullptr;
  refuse("no data", StatusCode::kInvalidFrame,
         [&] { return idle.detect({}, input, other.output.frame(), nullptr); });
  canny::Frame output = other.output.frame();
  output.stride_bytes = 1;
  refuse("stride", StatusCode::kInvalidFrame,
         [&] { return idle.detect({}, other.input(), output, nullptr); });
  canny::Options options;
  options.threads = 5000;
  refuse("threads", StatusCode::kInvalidOptions, [&] { return Detector::create(options, &idle); });
  refuse("frames in flight", StatusCode::kInvalidOptions,
         [&] { return idle.set_size(kWidth, kHeight, 9); });
  refuse("size", StatusCode::kInvalidSize, [&] { return idle.set_size(0, 1); });
  tally.expect(backend, "wait()", frame.wait(busy), StatusCode::kOk);
  tally.count(backend, "the frame in flight", frame.take());
}

// Detects the edges of noise with measured thresholds, with their chains and components.
Status detect_lists(Detector& detector, int width, canny::Contours* contours,
                    canny::Components* components) {
  static const std::vector<std::uint8_t> pixels = reference::Random(1).bytes(kWidth * kHeight);
  static std::vector<std::uint8_t> edges(pixels.size());
  canny::Frame output = {edges.data(), kWidth, width, kHeight};
  output.contours = contours;
  output.components = components;
  canny::Params params;
  params.threshold_mode = canny::ThresholdMode::kOtsu;
  return detector.detect(params, {pixels.data(), kWidth, width, kHeight}, output, nullptr);
}

// A frame that needs more memory for thresholds, chains and components than the one before. One
// thread makes all allocations, so that each of them fails in turn.
void try_lists() {
  canny::Options options = options_of(Backend::kCpu);
  options.threads = 1;
  std::string expected;
  try_each(Backend::kCpu, "detect() with chains and components", [&](Attempt& attempt) {
    Detector detector;
    canny::Contours contours;
    canny::Components components;
    const auto detect = [&](int width) {
      return detect_lists(detector, width, &contours, &components);
    };
    attempt.expect_ok(Detector::create(options, &detector));
    attempt.expect_ok(detector.set_size(33, kHeight));
    attempt.expect_ok(detect(33));
    attempt.expect_ok(detector.set_size(kWidth, kHeight));
    attempt.run(StatusCode::kOk, [&] { return detect(kWidth); });
    attempt.expect_ok(detect(kWidth));
    const std::string bytes = harness::bytes_of(contours, components);
    if (expected.empty()) expected = bytes;
    const bool is_right = contours.size() > 0 && components.size() > 0 && bytes == expected;
    tally.count(Backend::kCpu, "after " + attempt.describe(), is_right ? "" : "other lists");
  });
}

// Memory of its own kind, which may be missing, and too much of it.
template <class Memory>
void try_memory(Backend backend, const std::string& kind) {
  Memory memory;
  const StatusCode code = Memory::allocate(1, -1, &memory).code();
  const auto refuse = [&](const std::string& what, StatusCode own, std::size_t bytes, int device) {
    try_each(backend, kind + what, [&](Attempt& attempt) {
      attempt.run(own, [&] { return Memory::allocate(bytes, device, &memory); });
    });
  };
  refuse("", code, 4096, -1);
  refuse(" of no bytes", StatusCode::kInvalidOptions, 0, -1);
  refuse(" of device -2", StatusCode::kInvalidOptions, 1, -2);
  const bool is_built = code == StatusCode::kOk;
  refuse(", too much", is_built ? StatusCode::kOutOfMemory : code, std::size_t{1} << 50, -1);
  tally.expect(backend, kind, Memory::allocate(4096, -1, &memory), code);
}

void run(Backend backend) {
  try_create(backend, backend);
  try_set_size(backend);
  try_first_size(backend);
  try_detect(backend);
  try_submit(backend);
  try_wait(backend, false);
  try_wait(backend, true);
  try_misuse(backend);
}

// Calls that go through the CUDA runtime, if present, on any backend.
void run_with_cuda_runtime(Backend backend) {
  try_create(backend, Backend::kAuto);
  try_memory<canny::HostMemory>(backend, "page-locked memory");
  try_memory<canny::DeviceMemory>(backend, "device memory");
}

// ---- limited memory ----

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMayLimit = false;  // a sanitizer ends a process without memory
#else
constexpr bool kMayLimit = true;
#endif

constexpr int kLimitsMib[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256};

std::size_t address_space_bytes() {
  unsigned long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%lu", &pages) != 1) std::abort();
  std::fclose(file);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void limit_address_space(rlim_t bytes) {
  rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::abort();
}

// Whether a call with little memory ended correctly: it succeeded, ran out of memory, or could not
// start a thread.
bool is_expected(const Status& status) {
  return status.ok() || status.code() == StatusCode::kOutOfMemory ||
         status.code() == StatusCode::kDeviceFailure;
}

Status start(Detector* detector, int width, int height) {
  const Status status = Detector::create(options_of(Backend::kCpu), detector);
  return status.ok() ? detector->set_size(width, height) : status;
}

// Runs a process's first detectors with this much additional memory, and then without a limit.
// Returns a problem, empty if there is none.
std::string run_limited(int mib) {
  alarm(120);  // seconds; ends the process
  Frame& frame = all_frames()[3];
  std::vector<std::uint8_t> from(4 << 20, 1), to(from.size());
  Detector large, small;
  limit_address_space(address_space_bytes() + (std::size_t{1} << 20) * mib);
  const Status first = start(&large, 3840, 2160);
  Status second = start(&small, kWidth, kHeight);
  if (second.ok()) second = frame.detect(small);
  canny::copy_rows({from.data(), 512, 512, 8192}, {to.data(), 512, 512, 8192});
  limit_address_space(RLIM_INFINITY);

  if (mib <= 2 ? first.code() != StatusCode::kOutOfMemory : !is_expected(first))
    return "set_size(): " + text(first);
  if (from != to) return "copied rows: some are left out";
  if (!is_expected(second)) return "a small frame: " + text(second);
  if (second.ok())
    if (std::string wrong = frame.take(); !wrong.empty()) return "a small frame: " + wrong;
  if (Status s = start(&large, 3840, 2160); !s.ok()) return "afterwards: " + text(s);
  if (Status s = large.set_size(kWidth, kHeight); !s.ok()) return "afterwards: " + text(s);
  if (Status s = frame.detect(large); !s.ok()) return "afterwards: " + text(s);
  return frame.take();
}

// Runs in its own process, since oneTBB starts only once.
void spawn_limited(const char* program, int mib) {
  std::string words[] = {program, "--limited", std::to_string(mib)};
  char* const arguments[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, environ) == 0)
    waitpid(child, &status, 0);
  tally.count(Backend::kCpu, "a process with " + words[2] + " MiB more",
              status == 0 ? "" : "its status is " + std::to_string(status));
}

}  // namespace

int main(int argc, char** argv) {
  const char* const watched[] = {argv[0], "libstdc++", "libhwy", nullptr};
  failing::watch(watched, failing::Functions::kAll);
  if (argc == 3 && std::strcmp(argv[1], "--limited") == 0) {
    const std::string wrong = run_limited(std::atoi(argv[2]));
    std::printf("%s%s", wrong.c_str(), wrong.empty() ? "" : "\n");
    return wrong.empty() ? 0 : 1;
  }
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) {
    run(Backend::kCpu);
    try_lists();
    failing::watch(watched, failing::Functions::kNew);
    run_with_cuda_runtime(Backend::kCpu);
    for (const int mib : kLimitsMib)
      if (kMayLimit) spawn_limited(argv[0], mib);
  }
  if (options.cuda) {
    Detector detector;
    const Status status = Detector::create(options_of(Backend::kCuda), &detector);
    if (status.ok()) {
      failing::watch(watched, failing::Functions::kNew);
      run(Backend::kCuda);
      run_with_cuda_runtime(Backend::kCuda);
#if CANNY_CUDA_FAULTS
      device::run_faults(&tally);
#endif
    } else {
      tally.skip(Backend::kCuda, status.message());
    }
  }
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests that a frame does not depend on earlier frames. A detector may keep its stream, values
// derived from the settings, and the graph of the last frame, but nothing in its workspace.
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend_stages.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "case_region.h"
#include "cases.h"
#include "device_memory.h"
#include "frames.h"
#include "harness.h"
#include "limited_new.h"
#include "reference/random.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Status;
using canny::StatusCode;
using cases::Case;
using frames::CaseFrames;
using reference::Random;
using stages::BackendStages;

harness::Tally tally;

// ---- frames for every combination of kernels ----

struct Size {
  int width, height;
};

// The settings that select a frame's kernels.
struct Kernels {
  double sigma;
  unsigned passes;
  canny::PixelFormat input;
  canny::Norm norm;
  bool aligned;
  canny::PixelFormat output;
};

constexpr double kSigmas[] = {0, 0.5, 1.4, 3, 8.5, 20};
constexpr unsigned kPasses[] = {0, 1, 3, 64};
constexpr canny::PixelFormat kFormats[] = {
    canny::PixelFormat::kRgb,   canny::PixelFormat::kRgbx,      canny::PixelFormat::kRgb16,
    canny::PixelFormat::kGray8, canny::PixelFormat::kRgbPlanes, canny::PixelFormat::kGray16Le,
    canny::PixelFormat::kV210};
constexpr canny::Norm kNorms[] = {canny::Norm::kL1, canny::Norm::kL2};
constexpr bool kAlignments[] = {false, true};
constexpr cases::Fill kFills[] = {cases::Fill::kNoise, cases::Fill::kSinglePixels,
                                  cases::Fill::kBlocks, cases::Fill::kSpiral};

// Every combination in a random order; the outputs are random.
std::vector<Kernels> shuffled_kernels(Random& random) {
  std::vector<Kernels> list;
  for (double sigma : kSigmas)
    for (unsigned passes : kPasses)
      for (canny::PixelFormat input : kFormats)
        for (canny::Norm norm : kNorms)
          for (bool aligned : kAlignments)
            list.push_back({sigma, passes, input, norm, aligned,
                            cases::output_format(random.between(0, cases::kOutputs - 1))});
  for (std::size_t i = list.size() - 1; i > 0; --i)
    std::swap(list[i], list[random.between(0, static_cast<int>(i))]);
  return list;
}

// A frame that uses these kernels, with any arguments.
Case any_frame(const Kernels& kernels, Size size, Random& random) {
  Case c;
  c.seed = random.next() >> 32;
  c.width = size.width;
  c.height = size.height;
  c.fill = random.any(kFills);
  c.input = kernels.input;
  c.output = kernels.output;
  const int row_bytes = canny::row_bytes(c.input, size.width);
  if (kernels.aligned) {
    c.input_offset = 16 * random.between(0, 2);
    c.input_gap = 16 * random.between(0, 2) + (16 - row_bytes % 16) % 16;
  } else {
    c.input_offset = 2 * random.between(0, 7) + 1;
    c.input_gap = 2 * random.between(0, 7) + 1 + row_bytes % 2;
  }
  c.output_offset = random.between(0, 1) ? 0 : random.between(1, 15);
  c.output_gap = random.between(0, 33);
  c.input_bottom_up = random.between(0, 3) == 0;
  c.threads = 4;
  c.params.sigma = kernels.sigma;
  c.params.norm = kernels.norm;
  c.params.hysteresis_passes = kernels.passes;
  // A blur leaves weaker edges.
  const double scale = 1 + kernels.sigma * kernels.sigma;
  c.params.low_threshold = random.between(0, 120) / scale;
  c.params.high_threshold = c.params.low_threshold + random.between(0, 300) / scale;
  if (random.between(0, 3) == 0) c.region = cases::any_region(c.width, c.height, random);
  return c;
}

constexpr Size kSize = {257, 67};

// ---- frames one after the other ----

// Runs frames through one BackendStages and overwrites the workspace before most of them.
class Walk {
 public:
  Walk(BackendStages& backend, std::uint64_t seed) : backend_(backend), random_(seed) {}

  BackendStages& backend() { return backend_; }
  Random& random() { return random_; }

  void set_size(Size size) {
    const Status status = backend_.set_size(size.width, size.height, 4, 1);
    if (!status.ok()) tally.fail(backend_.backend(), "set_size(): " + status.message());
  }

  // The contents of the workspace before a frame.
  enum Filling { kRandom, kZeros, kOnes, kKeep };

  // Runs and counts a frame of the detector's size.
  void run(const Case& c, Filling filling) {
    const std::string failure = check(c, filling);
    tally.count(backend_.backend(),
                "frame " + std::to_string(frames_) + " of the walk, workspace " +
                    kFillings[filling] + ", " + describe(c) + "\n  after " + before_,
                failure);
    before_ = describe(c);
    ++frames_;
  }
  void run(const Case& c) { run(c, static_cast<Filling>(frames_ % std::size(kFillings))); }

 private:
  static constexpr const char* kFillings[] = {"random", "0", "255", "as it was"};
  static constexpr canny::Memory kMemories[] = {canny::Memory::kHost, canny::Memory::kDevice};

  Status fill_workspace(Filling filling) {
    if (filling == kKeep) return {};
    const std::size_t size = backend_.workspace_bytes();
    if (filling == kRandom) return backend_.fill_workspace(random_.bytes(size));
    return backend_.fill_workspace(std::vector<std::uint8_t>(size, filling == kOnes ? 255 : 0));
  }

  std::string check(const Case& c, Filling filling) {
    const CaseFrames frames(c);
    harness::GuardedFrame output = frames.output();
    canny::Plan plan;
    canny::Result result;
    Status status = make_plan(c.params, c.input, c.output, &plan);
    if (status.ok()) status = fill_workspace(filling);
    const canny::Memory from = random_.any(kMemories), to = random_.any(kMemories);
    if (status.ok()) status = backend_.frame(plan, frames.input(), from, &output, to, &result);
    return status.ok() ? frames.check(output, result) : status.message();
  }

  BackendStages& backend_;
  Random random_;
  std::uint64_t frames_ = 0;
  std::string before_ = "nothing";
};

// Every combination, half of them twice: with the same kernels a frame's graph is reused.
void run_combinations(Walk& walk, std::uint64_t step) {
  walk.set_size(kSize);
  const std::vector<Kernels> list = shuffled_kernels(walk.random());
  for (std::size_t i = 0; i < list.size(); i += step) {
    walk.run(any_frame(list[i], kSize, walk.random()));
    if (walk.random().between(0, 1)) walk.run(any_frame(list[i], kSize, walk.random()));
  }
}

// Larger and smaller sizes, the same size again, and the smallest one.
void run_sizes(Walk& walk, int frames) {
  constexpr Size kSizes[] = {{64, 64},  {257, 67}, {257, 67}, {1, 1},     {513, 150}, {1, 1},
                             {31, 200}, {700, 3},  {2, 300},  {1024, 33}, {33, 9},    {640, 61},
                             {1, 1},    {257, 67}, {1, 17},   {4, 32},    {288, 4}};
  const std::vector<Kernels> list = shuffled_kernels(walk.random());
  for (Size size : kSizes) {
    walk.set_size(size);
    for (int i = 0; i < frames; ++i)
      walk.run(any_frame(walk.random().any(list), size, walk.random()));
  }
}

// Frames that end after a stage.
void run_unfinished_frames(Walk& walk) {
  BackendStages& backend = walk.backend();
  walk.set_size(kSize);
  const std::vector<Kernels> list = shuffled_kernels(walk.random());
  for (int round = 0; round < 16; ++round) {
    const Case unfinished = any_frame(walk.random().any(list), kSize, walk.random());
    canny::Plan plan;
    stages::Planes planes;
    std::vector<std::uint8_t> edges;
    Status status = make_plan(unfinished.params, unfinished.input, unfinished.output, &plan);
    if (status.ok()) status = backend.front(plan, CaseFrames(unfinished).input(), &planes);
    if (status.ok() && round % 2) status = backend.hysteresis(plan.passes, planes, &edges);
    if (!status.ok()) tally.fail(backend.backend(), describe(unfinished) + status.message());
    walk.run(any_frame(walk.random().any(list), kSize, walk.random()), Walk::kKeep);
  }
}

// ---- frames side by side ----

// More frames than may be in flight, so that later ones use the slots of earlier ones.
void run_side_by_side(BackendStages& backend, std::uint64_t seed, std::uint64_t step) {
  Random random(seed);
  const std::vector<Kernels> list = shuffled_kernels(random);
  for (Size size : {kSize, {1, 1}, {700, 130}}) {
    const Status sized = backend.set_size(size.width, size.height, 4, canny::kMaxFramesInFlight);
    if (!sized.ok()) tally.fail(backend.backend(), "set_size(): " + sized.message());
    for (std::uint64_t round = 0; round < 12; round += step) {
      std::vector<Case> cases;
      std::vector<CaseFrames> frames;
      std::vector<harness::GuardedFrame> outputs;
      for (unsigned i = 0; i <= canny::kMaxFramesInFlight; ++i) {
        cases.push_back(any_frame(random.any(list), size, random));
        frames.emplace_back(cases.back());
        outputs.push_back(frames.back().output());
      }
      std::vector<stages::Job> jobs(frames.size());
      Status status;
      for (std::size_t i = 0; i < jobs.size() && status.ok(); ++i) {
        jobs[i].input = &frames[i].input();
        jobs[i].output = &outputs[i];
        status = make_plan(cases[i].params, cases[i].input, cases[i].output, &jobs[i].plan);
      }
      if (status.ok())
        status = backend.fill_workspace(std::vector<std::uint8_t>(
            backend.workspace_bytes(), static_cast<std::uint8_t>(random.next())));
      if (status.ok()) status = backend.frames(jobs);
      for (std::size_t i = 0; i < jobs.size(); ++i)
        tally.count(backend.backend(),
                    "side by side, number " + std::to_string(i) + ", " + describe(cases[i]),
                    status.ok() ? frames[i].check(outputs[i], jobs[i].result) : status.message());
    }
  }
}

// ---- frames that fail ----

// A frame with other kernels than the previous frame fails on the device. Afterwards both succeed.
void run_device_failures(Walk& walk) {
  BackendStages& backend = walk.backend();
  walk.set_size(kSize);
  const std::vector<Kernels> list = shuffled_kernels(walk.random());
  for (stages::Failure failure : {stages::Failure::kLaunch, stages::Failure::kCapture}) {
    for (int round = 0; round < 8; ++round) {
      Kernels kernels = walk.random().any(list);
      kernels.passes = 0;
      const Case before = any_frame(kernels, kSize, walk.random());
      kernels.passes = 1 + round;
      const Case failing = any_frame(kernels, kSize, walk.random());
      walk.run(before);
      canny::Plan plan;
      Status status = make_plan(failing.params, failing.input, failing.output, &plan);
      if (status.ok()) status = backend.fail_frame(failure, plan, CaseFrames(failing).input());
      tally.expect(backend.backend(), "failure " + std::to_string(static_cast<int>(failure)),
                   status, StatusCode::kDeviceFailure);
      walk.run(failing);
      walk.run(before);
    }
  }
}

Detector make_detector(Backend backend, Size size) {
  Detector detector;
  Status status = Detector::create(harness::detector_options(backend, 4), &detector);
  if (status.ok()) status = detector.set_size(size.width, size.height);
  tally.expect(backend, "a detector", status, StatusCode::kOk);
  return detector;
}

void run_good_frame(Detector& detector, const Case& c) {
  const std::string failure = CaseFrames(c).check(detector);
  tally.count(detector.info().backend, describe(c), failure);
}

// The arguments of detect().
struct Arguments {
  canny::Params params;
  canny::ConstFrame input;
  canny::Frame output;
};

struct Refusal {
  const char* what;
  StatusCode code;
  void (*spoil)(Arguments& arguments);
};
const Refusal kRefusals[] = {
    {"sigma", StatusCode::kInvalidParams, [](Arguments& a) { a.params.sigma = std::nan(""); }},
    {"threshold", StatusCode::kInvalidParams, [](Arguments& a) { a.params.low_threshold = -1; }},
    {"passes", StatusCode::kInvalidParams, [](Arguments& a) { a.params.hysteresis_passes = 65; }},
    {"no input", StatusCode::kInvalidFrame, [](Arguments& a) { a.input.data = nullptr; }},
    {"no output", StatusCode::kInvalidFrame, [](Arguments& a) { a.output.data = nullptr; }},
    {"input's width", StatusCode::kInvalidFrame, [](Arguments& a) { --a.input.width; }},
    {"output's height", StatusCode::kInvalidFrame, [](Arguments& a) { ++a.output.height; }},
    {"stride", StatusCode::kInvalidFrame, [](Arguments& a) { a.input.stride_bytes = 1; }},
    {"format", StatusCode::kInvalidFrame,
     [](Arguments& a) { a.output.format = static_cast<canny::PixelFormat>(99); }},
    {"host memory as the device's input", StatusCode::kInvalidFrame,
     [](Arguments& a) { a.input.memory = canny::Memory::kDevice; }},
    {"host memory as the device's output", StatusCode::kInvalidFrame,
     [](Arguments& a) { a.output.memory = canny::Memory::kDevice; }},
};

// Calls refused before any work leave the output alone.
void run_refused_frame(Detector& detector, const Case& c, const Refusal& refusal) {
  const CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  Arguments arguments{c.params, frames.input().const_frame(), output.frame()};
  refusal.spoil(arguments);
  const Status status =
      detector.detect(arguments.params, arguments.input, arguments.output, nullptr);
  const Backend backend = detector.info().backend;
  tally.expect(backend, refusal.what, status, refusal.code);
  tally.count(backend, refusal.what,
              output.block() == frames.output().block() ? "" : "wrote to the output");
}

void run_refusals(Backend backend) {
  Random random(2);
  const std::vector<Kernels> list = shuffled_kernels(random);
  Detector detector = make_detector(backend, kSize);
  for (const Refusal& refusal : kRefusals) {
    const Case c = any_frame(random.any(list), kSize, random);
    run_good_frame(detector, c);
    run_refused_frame(detector, any_frame(random.any(list), kSize, random), refusal);
    run_good_frame(detector, c);
    run_refused_frame(detector, c, refusal);
    run_good_frame(detector, any_frame(random.any(list), kSize, random));
  }
  tally.expect(backend, "no height", detector.set_size(kSize.width, 0), StatusCode::kInvalidSize);
  const Case c = any_frame(random.any(list), kSize, random);
  run_refused_frame(detector, c, {"no size", StatusCode::kNotConfigured, [](Arguments&) {}});
  tally.expect(backend, "a size", detector.set_size(kSize.width, kSize.height), StatusCode::kOk);
  run_good_frame(detector, c);
}

// Frames run out of host memory after 0, 1, 2 ... allocations, until one does not. Each has other
// kernels than the previous frame, and runs again with memory.
void run_out_of_host_memory(Backend backend) {
  constexpr std::uint64_t kEnough = 10000;
  Random random(3);
  const std::vector<Kernels> list = shuffled_kernels(random);
  Detector detector = make_detector(backend, kSize);
  for (std::uint64_t limit = 0; limit <= kEnough; ++limit) {
    Kernels kernels = random.any(list);
    kernels.passes = static_cast<unsigned>(limit % 2);
    const Case c = any_frame(kernels, kSize, random);
    const CaseFrames frames(c);
    harness::GuardedFrame output = frames.output();
    limited_new::allocations_left = limit;
    const Status status =
        detector.detect(c.params, frames.input().const_frame(), output.frame(), nullptr);
    limited_new::allocations_left = UINT64_MAX;
    if (!status.ok()) {
      tally.expect(backend, "allocation " + std::to_string(limit), status,
                   StatusCode::kOutOfMemory);
    }
    run_good_frame(detector, c);
    if (status.ok()) return;
  }
  tally.fail(backend, "a frame takes more than " + std::to_string(kEnough) + " allocations");
}

// The detector has its size, and finds no memory for the copies of host frames.
void run_out_of_device_memory() {
  constexpr Size kLarge = {2048, 1200};  // 20 MB of copies, more than is left
  Random random(5);
  Detector detector = make_detector(Backend::kCuda, kLarge);
  const Case c = any_frame(random.any(shuffled_kernels(random)), kLarge, random);
  const CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  {
    const device_memory::Exhausted exhausted;
    tally.expect(Backend::kCuda, "out of device memory",
                 detector.detect(c.params, frames.input().const_frame(), output.frame(), nullptr),
                 StatusCode::kOutOfMemory);
  }
  run_good_frame(detector, c);
}

// ---- memory ----

// At most 1 byte per pixel of all tiles for each frame in flight, and 1 MiB.
void run_workspace_bound(BackendStages& backend) {
  constexpr Size kSizes[] = {{32, 1},      {33, 1},      {64, 7},      {33, 16384},
                             {16384, 33},  {4097, 3},    {95, 8191},   {1000, 1000},
                             {1919, 1081}, {3840, 2160}, {8191, 8191}, {8192, 8192}};
  const auto whole_tiles = [](int side) { return std::size_t{canny::kTile} * ((side + 31) / 32); };
  for (const auto [width, height] : kSizes) {
    for (const unsigned frames : {1u, 3u, canny::kMaxFramesInFlight}) {
      const std::string what = "workspace of " + std::to_string(frames) + " frames of " +
                               std::to_string(width) + "x" + std::to_string(height);
      const Status status = backend.set_size(width, height, 4, frames);
      const std::size_t bytes = backend.workspace_bytes();
      const std::size_t bound = frames * whole_tiles(width) * whole_tiles(height) + (1 << 20);
      std::string failure = status.message();
      if (status.ok() && bytes > bound)
        failure = std::to_string(bytes) + " bytes exceed " + std::to_string(bound);
      tally.count(backend.backend(), what, failure);
    }
  }
}

// At most 1 byte per pixel, 20 rows of 1 byte per pixel for each thread, and 64 KiB, besides the
// rows in flight, which do not come from operator new.
void run_scratch_bound(BackendStages& backend) {
  constexpr Size kSizes[] = {{640, 480}, {1920, 1080}, {3840, 2160}, {1919, 1081}, {8191, 8191}};
  for (const auto [width, height] : kSizes)
    for (const unsigned threads : {1u, 2u, 16u}) {
      const std::string what = "scratch memory of " + std::to_string(width) + "x" +
                               std::to_string(height) + ", threads " + std::to_string(threads);
      std::string failure = backend.set_size(1, 1, threads, 1).message();
      const std::size_t before = limited_new::allocated_bytes;
      if (failure.empty()) failure = backend.set_size(width, height, threads, 1).message();
      const std::size_t bytes = limited_new::allocated_bytes - before;
      const std::size_t pixels = static_cast<std::size_t>(width) * height;
      const std::size_t bound = pixels + std::size_t{20} * threads * width + (1 << 16);
      if (failure.empty() && (bytes < pixels / 4 || bytes > bound))
        failure = std::to_string(bytes) + " bytes are not within " + std::to_string(pixels / 4) +
                  " .. " + std::to_string(bound);
      tally.count(backend.backend(), what, failure);
    }
}

// compute-sanitizer, which runs few cases, would report provoked failures as the program's own.
void run(BackendStages& backend, const harness::Options& options) {
  Walk walk(backend, options.seed);
  run_combinations(walk, options.step);
  run_sizes(walk, options.step == 1 ? 4 : 1);
  run_unfinished_frames(walk);
  run_side_by_side(backend, options.seed, options.step);
  run_refusals(backend.backend());
  if (backend.backend() == Backend::kCuda)
    run_workspace_bound(backend);
  else
    run_scratch_bound(backend);
  if (options.step > 1) return;
  if (backend.backend() == Backend::kCuda) {
    run_device_failures(walk);
    run_out_of_device_memory();
  }
  run_out_of_host_memory(backend.backend());
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) run(*stages::cpu_stages(), options);
  if (options.cuda) {
    std::unique_ptr<BackendStages> cuda;
    const Status status = stages::cuda_stages(&cuda);
    if (status.ok())
      run(*cuda, options);
    else
      tally.skip(Backend::kCuda, status.message());
  }
  if (options.opencl) run_refusals(Backend::kOpenCl);
  return tally.summary();
}

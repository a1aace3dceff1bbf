// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests who completes frames once a device has failed, with a stand-in for the device that computes
// on the CPU.
#include "canny/fallback.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"
#include "reference/random.h"
#include "run_alone.h"

namespace {

using canny::Backend;
using canny::Memory;
using canny::Status;
using canny::StatusCode;
using Bytes = std::vector<std::uint8_t>;

constexpr int kWidth = 61;
constexpr unsigned kInFlight = 3;
constexpr int kFrames = 8;

harness::Tally tally;

enum Call { kSetSize, kSubmit, kFinish, kCopy, kCalls };
const char* const kCallNames[kCalls] = {"set_size()", "submit()", "finish()", "copy_to_host()"};

// How the device fails.
struct Fault {
  StatusCode code;
  bool is_thrown = false;  // as std::bad_alloc

  Status status() const { return {code, is_thrown ? "out of memory" : "the device's message"}; }
  std::string name() const {
    return is_thrown ? "throws" : "returns code " + std::to_string(static_cast<int>(code));
  }
};

// What the device does, and what was done to it.
struct Script {
  Call failing;
  int number;  // of the failing call, from 1
  Fault fault;
  Status status = fault.status();
  Status later = {};  // of finish() after the failure
  int counts[kCalls] = {};
  bool has_failed = false;
  int calls_after_failure = 0;  // finish() of jobs begun before it not counted
  int open_jobs = 0;

  Status next(Call call) {
    if (has_failed && call != kFinish) ++calls_after_failure;
    if (has_failed && call == kFinish) return later;
    if (++counts[call] != number || call != failing) return {};
    has_failed = true;
    if (fault.is_thrown) throw std::bad_alloc();
    return status;
  }
};

class Device final : public canny::BackendImpl {
 public:
  explicit Device(Script* script) : script_(script) {
    canny::Options options;
    options.threads = 1;
    created_ = create_cpu_backend(options, &cpu_);
    info.backend = Backend::kCuda;
  }
  Status set_size(int width, int height, unsigned, unsigned) override {
    if (!created_.ok()) return created_;
    if (Status s = script_->next(kSetSize); !s.ok()) return s;
    return cpu_->set_size(width, height, 1, 1);
  }
  Status submit(canny::Job*) override {
    if (Status s = script_->next(kSubmit); !s.ok()) return s;
    ++script_->open_jobs;
    return {};
  }
  Status finish(const canny::Job& job, canny::Result* result) override {
    --script_->open_jobs;
    if (Status s = script_->next(kFinish); !s.ok()) return s;
    canny::Job in_host = job;
    in_host.input.memory = in_host.output.memory = Memory::kHost;
    return cpu_->finish(in_host, result);
  }
  Status copy_to_host(const canny::Job&, const canny::ConstFrame& input, Bytes* memory,
                      canny::ConstFrame* in_host) override {
    if (Status s = script_->next(kCopy); !s.ok()) return s;
    memory->assign(input.data, input.data + input.stride_bytes * input.height);
    *in_host = {memory->data(), input.stride_bytes, input.width, input.height};
    return {};
  }

 private:
  Script* const script_;
  Status created_;
  std::unique_ptr<canny::BackendImpl> cpu_;
};

// Frames of random pixels, and their edges.
class Frames {
 public:
  explicit Frames(int height) : height_(height) {
    canny::Params params;
    params.low_threshold = 60, params.high_threshold = 200, params.sigma = 1;
    Status status =
        make_plan(params, canny::PixelFormat::kGray8, canny::PixelFormat::kGray8, &plan_);
    reference::Random random(1);
    for (Bytes& input : inputs_) input = random.bytes(size());
    std::unique_ptr<canny::BackendImpl> cpu;
    if (status.ok()) status = create_cpu_backend({}, &cpu);
    if (status.ok()) status = cpu->set_size(kWidth, height, 1, 1);
    for (int i = 0; i < kFrames && status.ok(); ++i) {
      const canny::Job job = this->job(i, 0, Memory::kHost, &edges_[i]);
      canny::Result result;
      status = stages::run_alone(cpu.get(), job.plan, job.input, job.output, &result);
    }
    tally.count(Backend::kCpu, "edges of the frames", status.message());
  }

  int height() const { return height_; }
  const Bytes& edges(int i) const { return edges_[i]; }

  canny::Job job(int i, unsigned slot, Memory memory, Bytes* output) const {
    output->assign(size(), 77);
    const auto gray = canny::PixelFormat::kGray8;
    return {slot,
            plan_,
            {inputs_[i].data(), kWidth, kWidth, height_, gray, memory},
            {output->data(), kWidth, kWidth, height_, gray, memory}};
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(kWidth) * height_; }

  const int height_;
  canny::Plan plan_;
  Bytes inputs_[kFrames], edges_[kFrames];
};

const Frames& frames() {
  static const Frames made(43);
  return made;
}

const Frames& higher_frames() {
  static const Frames made(75);
  return made;
}

// A device that fails, and a detector's backend around it.
class Tested {
 public:
  Tested(Backend backend, Call failing, int number, const Fault& fault)
      : script_{failing, number, fault}, backend_(backend) {
    canny::Options options;
    options.backend = backend;
    options.threads = 1;
    fallback_ =
        std::make_unique<canny::FallbackBackend>(options, std::make_unique<Device>(&script_));
    name_ = std::string(backend == Backend::kAuto ? "auto" : "cuda") + ", " + kCallNames[failing] +
            " number " + std::to_string(number) + " " + fault.name() + ": ";
  }

  canny::FallbackBackend& fallback() { return *fallback_; }
  const Script& script() const { return script_; }
  void fail_later(const Status& status) { script_.later = status; }
  std::string name(const std::string& what) const { return name_ + what; }
  bool is_auto() const { return backend_ == Backend::kAuto; }
  bool is_trouble() const {
    const StatusCode code = script_.status.code();
    return code == StatusCode::kDeviceFailure || code == StatusCode::kOutOfMemory;
  }
  // Whether the device is not used again.
  bool is_last() const {
    return is_trouble() && (is_auto() || script_.status.code() != StatusCode::kOutOfMemory);
  }
  bool is_failure(const Status& status) const {
    return status.code() == script_.status.code() && status.message() == script_.status.message();
  }
  Status set_size(const Frames& frames = ::frames()) {
    return fallback_->set_size(kWidth, frames.height(), kInFlight, 1);
  }

  // Runs all frames, as many in flight as may be. Checks those that must be exact, and that the
  // others have the failure's status.
  template <class MustBeExact>
  void run(const std::string& what, Memory memory, MustBeExact must_be_exact,
           const Frames& frames = ::frames()) {
    std::vector<Bytes> outputs(kFrames);
    std::vector<Status> statuses(kFrames);
    std::deque<std::pair<int, canny::Job>> in_flight;
    const auto finish = [&] {
      canny::Result result;
      const auto& [i, job] = in_flight.front();
      statuses[i] = fallback_->finish(job, &result);
      in_flight.pop_front();
    };
    unsigned submitted = 0;
    for (int i = 0; i < kFrames; ++i) {
      if (in_flight.size() == kInFlight) finish();
      canny::Job job = frames.job(i, submitted % kInFlight, memory, &outputs[i]);
      statuses[i] = fallback_->submit(&job);
      if (!statuses[i].ok()) continue;
      in_flight.emplace_back(i, job);
      ++submitted;
    }
    while (!in_flight.empty()) finish();
    for (int i = 0; i < kFrames; ++i) {
      const bool is_exact = statuses[i].ok() && outputs[i] == frames.edges(i);
      tally.count(must_be_exact(i) ? is_exact : is_failure(statuses[i]),
                  name(what + ", frame " + std::to_string(i)));
    }
    tally.count(script_.open_jobs == 0, name(what + ", jobs are ended once"));
  }

  // Sets another size after the failure, and runs frames.
  void run_again() {
    const bool may_run = is_auto() || !is_last();
    const Status status = set_size(higher_frames());
    tally.count(may_run ? status.ok() : is_failure(status), name("a size afterwards"));
    if (may_run)
      run(
          "afterwards", Memory::kHost, [](int) { return true; }, higher_frames());
    tally.count(!is_last() || script_.calls_after_failure == 0,
                name("a failed device is left alone"));
    if (!is_last() || !is_auto()) return;
    const canny::Info& info = fallback_->info;
    tally.count(info.backend == Backend::kCpu &&
                    info.reason == "the device failed: " + script_.status.message(),
                name("the reason for the CPU"));
  }

 private:
  Script script_;
  const Backend backend_;
  std::unique_ptr<canny::FallbackBackend> fallback_;
  std::string name_;
};

// A frame fails on its way into the device or out of it.
void test_frames(Backend backend, const Fault& fault, Call call, int number, Memory memory) {
  Tested tested(backend, call, number, fault);
  tally.count(tested.set_size().ok(), tested.name("a size"));
  const int failing = number - 1;
  const int begun = call == kFinish ? failing + static_cast<int>(kInFlight) : failing;
  const bool cpu_may = tested.is_auto() && tested.is_trouble() && memory == Memory::kHost;
  tested.run(memory == Memory::kHost ? "host memory" : "device memory", memory, [&](int i) {
    if (cpu_may || i < failing) return true;
    return i > failing && (i < begun || !tested.is_last());
  });
  tested.run_again();
}

void test_set_size(Backend backend, const Fault& fault) {
  Tested tested(backend, kSetSize, 1, fault);
  const Status status = tested.set_size();
  const bool cpu_may = tested.is_auto() && tested.is_trouble();
  tally.count(cpu_may ? status.ok() : tested.is_failure(status), tested.name("the size"));
  if (cpu_may) tested.run("on the CPU", Memory::kHost, [](int) { return true; });
  tested.run_again();
}

// Jobs are dropped, of which one finds out that the device has failed.
void test_drop(Backend backend, const Fault& fault) {
  Tested tested(backend, kFinish, 1, fault);
  tally.count(tested.set_size().ok(), tested.name("a size"));
  Bytes outputs[kInFlight];
  std::vector<canny::Job> jobs;
  for (unsigned i = 0; i < kInFlight; ++i) {
    jobs.push_back(frames().job(static_cast<int>(i), i, Memory::kHost, &outputs[i]));
    tally.count(tested.fallback().submit(&jobs.back()).ok(), tested.name("a job"));
  }
  canny::Result ignored;
  for (const canny::Job& job : jobs) static_cast<void>(tested.fallback().drop(job, &ignored));
  tally.count(tested.script().open_jobs == 0, tested.name("dropped jobs are ended once"));
  tested.run_again();
}

// Two jobs fail. The first failure is the reason why the device is left alone.
void test_two_failures() {
  Tested tested(Backend::kCuda, kFinish, 1, {StatusCode::kDeviceFailure});
  tested.fail_later({StatusCode::kDeviceFailure, "a later message"});
  tally.count(tested.set_size().ok(), tested.name("a size"));
  Bytes outputs[kInFlight];
  std::vector<canny::Job> jobs;
  for (unsigned i = 0; i < kInFlight; ++i)
    jobs.push_back(frames().job(static_cast<int>(i), i, Memory::kDevice, &outputs[i]));
  for (const int i : {0, 1})
    tally.count(tested.fallback().submit(&jobs[i]).ok(), tested.name("a job"));
  canny::Result result;
  tally.count(tested.is_failure(tested.fallback().finish(jobs[0], &result)),
              tested.name("the first job"));
  tally.count(tested.fallback().finish(jobs[1], &result).message() == "a later message",
              tested.name("the second job"));
  tally.count(tested.is_failure(tested.fallback().submit(&jobs[2])), tested.name("the third job"));
}

// The offsets of the edges of frame i.
Status find_offsets(canny::BackendImpl* backend, int i, Memory memory, canny::Chains* chains) {
  Bytes output;
  canny::Job job = frames().job(i, 0, memory, &output);
  canny::Result result;
  chains->clear();
  chains->points.clear();
  for (std::size_t at = 0; at < frames().edges(i).size(); ++at)
    if (frames().edges(i)[at] != 0)
      chains->points.push_back(
          {static_cast<std::uint16_t>(at % kWidth), static_cast<std::uint16_t>(at / kWidth)});
  chains->point_count = chains->points.size();
  Status status = backend->submit(&job);
  if (status.ok()) status = backend->finish(job, &result);
  return status.ok() ? backend->find_offsets(job, job.input, chains) : status;
}

// The CPU finds offsets for the device, also of copies from its memory, the third of which fails.
void test_offsets() {
  Tested tested(Backend::kAuto, kCopy, 3, {StatusCode::kDeviceFailure});
  tally.count(tested.set_size().ok(), tested.name("a size"));
  std::unique_ptr<canny::BackendImpl> cpu;
  Status status = create_cpu_backend({}, &cpu);
  if (status.ok()) status = cpu->set_size(kWidth, frames().height(), 1, 1);
  for (int i = 0; i < kFrames && status.ok(); ++i) {
    canny::Chains expected, chains;
    status = find_offsets(cpu.get(), i, Memory::kHost, &expected);
    const Memory memory = i % 2 == 0 ? Memory::kHost : Memory::kDevice;
    const Status found = find_offsets(&tested.fallback(), i, memory, &chains);
    const bool is_equal =
        std::equal(expected.offsets.begin(), expected.offsets.end(), chains.offsets.begin(),
                   chains.offsets.end(),
                   [](const auto& a, const auto& b) { return a.x == b.x && a.y == b.y; });
    if (i < 5 || memory == Memory::kHost)
      tally.count(found.ok() && is_equal, tested.name("offsets of frame " + std::to_string(i)));
    else if (i == 5)
      tally.count(tested.is_failure(found), tested.name("a copy"));
    else
      tally.count(!found.ok(), tested.name("a copy afterwards"));
    if (i < 5)
      tally.count(tested.fallback().info.backend == Backend::kCuda, tested.name("the device"));
  }
  tally.count(status.ok(), tested.name("the CPU alone"));
  tested.run_again();
}

}  // namespace

int main(int argc, char** argv) {
  harness::parse(argc, argv, {});
  const Fault faults[] = {{StatusCode::kDeviceFailure},
                          {StatusCode::kOutOfMemory},
                          {StatusCode::kOutOfMemory, true},
                          {StatusCode::kInvalidFrame}};
  for (const Backend backend : {Backend::kAuto, Backend::kCuda}) {
    for (const Fault& fault : faults) {
      for (const Call call : {kSubmit, kFinish}) {
        for (const int number : {1, 2, 5}) {
          for (const Memory memory : {Memory::kHost, Memory::kDevice})
            test_frames(backend, fault, call, number, memory);
        }
      }
      test_set_size(backend, fault);
      test_drop(backend, fault);
    }
  }
  test_two_failures();
  test_offsets();
  return tally.summary();
}

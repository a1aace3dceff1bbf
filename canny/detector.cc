// SPDX-License-Identifier: LGPL-2.1-or-later
// The detector: validates, chooses the backend and keeps the ring of frames in flight.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "canny/arena.h"
#include "canny/backend.h"
#include "canny/canny.h"
#include "canny/chain_trace.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "canny/fallback.h"
#include "canny/frame.h"
#include "canny/frame_components.h"
#include "canny/guard.h"
#include "canny/plan.h"
#include "canny/try.h"
#include "canny/version.h"

namespace canny {
namespace {

static_assert(kVersion ==
              10000 * CANNY_VERSION_MAJOR + 100 * CANNY_VERSION_MINOR + CANNY_VERSION_MICRO);

Status check_version(unsigned version) {
  if (version <= kVersion) return {};
  return {StatusCode::kLibraryTooOld,
          "libcudacanny " CANNY_VERSION " is older than the program's headers, of version " +
              std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
              std::to_string(version % 100)};
}

Status check_number(const char* what, unsigned number, unsigned least, unsigned most) {
  if (number >= least && number <= most) return {};
  return {StatusCode::kInvalidOptions, std::string(what) + " " + std::to_string(number) +
                                           " is outside " + std::to_string(least) + ".." +
                                           std::to_string(most)};
}

Status check(const Options& options) {
  CANNY_TRY(check_number("threads", options.threads, 0, kMaxThreads));
  CANNY_TRY(check_cuda_device(options.cuda_device));
  if (name(options.backend) != nullptr) return {};
  return {StatusCode::kInvalidOptions, "backend is not kAuto, kCuda, kCpu or kOpenCl"};
}

// The backends of devices, in the order in which kAuto tries them.
struct DeviceBackend {
  Backend backend;
  const char* name;  // for messages
  Status (*create)(const Options& options, std::unique_ptr<BackendImpl>* backend);
};
constexpr DeviceBackend kDeviceBackends[] = {{Backend::kCuda, "CUDA", create_cuda_backend},
                                             {Backend::kOpenCl, "OpenCL", create_opencl_backend}};

Status create_backend(const Options& options, std::unique_ptr<BackendImpl>* backend) {
  if (options.backend == Backend::kCpu) return create_cpu_backend(options, backend);
  std::string reason;
  for (const DeviceBackend& kind : kDeviceBackends) {
    if (options.backend != Backend::kAuto && options.backend != kind.backend) continue;
    std::unique_ptr<BackendImpl> device;
    const Status status = kind.create(options, &device);
    if (status.ok()) {
      if (!reason.empty()) device->info.reason += "; " + reason;
      *backend = std::make_unique<FallbackBackend>(options, std::move(device));
      return {};
    }
    if (options.backend == kind.backend) return status;
    if (!reason.empty()) reason += "; ";
    reason += std::string("no usable ") + kind.name + " device: " + status.message();
  }
  CANNY_TRY(create_cpu_backend(options, backend));
  (*backend)->info.reason = reason;
  return {};
}

// A store elsewhere would make the device unusable for the process.
Status check_alignment(const DeviceChains& memory) {
  const auto is_aligned = [](const void* data) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(std::uint32_t) == 0;
  };
  if (is_aligned(memory.points) && is_aligned(memory.ends)) return {};
  return {StatusCode::kInvalidFrame, "contours: device memory must begin at a multiple of 4 bytes"};
}

}  // namespace

// A ring of the frames between submit() and wait().
struct Detector::Impl {
  // A frame in flight and its results. A batch may have more pictures than a job: wait() begins
  // all parts but the first.
  struct InFlight {
    Job job;
    std::vector<Result> results;

    unsigned pictures() const { return static_cast<unsigned>(results.size()); }
    Result* results_of_part() { return &results[job.first]; }
  };

  bool is_in_flight() const { return submitted != finished; }
  InFlight& oldest() { return in_flight[finished % frames]; }
  Status begin(const Params& params, const ConstFrame& input, const Frame& output, InFlight* frame);
  Status start(unsigned first, InFlight* frame);
  Status finish(InFlight* frame);
  Status finish_contours(const Job& job, unsigned picture);
  static void clear_lists(const Frame& output, unsigned pictures);

  std::unique_ptr<BackendImpl> backend;
  int width = 0;  // 0 until set_size() succeeded
  int height = 0;
  bool is_on_cuda = false;  // since set_size(): wait() may change the backend's info meanwhile
  Planner planner;
  FrameChecker checker;
  unsigned frames = 1;  // most frames in flight
  InFlight in_flight[kMaxFramesInFlight];
  // Of wait(), which traces contours and finds components:
  int threads = 1;
  Arena arena;
  std::optional<Tracer> tracer;
  ComponentFinder finder;
  std::atomic<std::uint64_t> submitted{0}, finished{0};
};

Detector::Detector() noexcept = default;
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Status Detector::create(const Options& options, Detector* detector, unsigned version) noexcept {
  return guard([&]() -> Status {
    CANNY_TRY(check_version(version));
    if (detector == nullptr) return {StatusCode::kInvalidOptions, "detector is null"};
    CANNY_TRY(check(options));
    auto impl = std::make_unique<Impl>();
    CANNY_TRY(create_backend(options, &impl->backend));
    impl->threads = static_cast<int>(usable_threads(options.threads));
    detector->impl_ = std::move(impl);
    return {};
  });
}

Status Detector::set_size(int width, int height, unsigned frames_in_flight,
                          unsigned pictures) noexcept {
  return guard([&]() -> Status {
    if (!impl_) return {StatusCode::kNotConfigured, "set_size() on a Detector without create()"};
    if (impl_->is_in_flight())
      return {StatusCode::kNotConfigured, "set_size() with frames in flight"};
    impl_->width = impl_->height = 0;
    impl_->tracer.emplace();
    impl_->finder = {};
    CANNY_TRY(check_size(width, height));
    CANNY_TRY(check_number("frames_in_flight", frames_in_flight, 1, kMaxFramesInFlight));
    CANNY_TRY(check_number("pictures", pictures, 1, kMaxPictures));
    CANNY_TRY(impl_->backend->set_size(width, height, frames_in_flight, pictures));
    impl_->width = width;
    impl_->height = height;
    impl_->frames = frames_in_flight;
    impl_->is_on_cuda = impl_->backend->info.backend == Backend::kCuda;
    impl_->submitted = impl_->finished = 0;
    return {};
  });
}

// Checks a frame and makes a job of it.
Status Detector::Impl::begin(const Params& params, const ConstFrame& input, const Frame& output,
                             InFlight* frame) {
  const Plan* plan = nullptr;
  CANNY_TRY(planner.plan(params, input.format, output.format, &plan));
  Job& job = frame->job;
  job.plan = *plan;
  job.input = input;
  job.output = output;
  if (!shows_input(params.view)) job.input.chroma = {};
  if (!needs_thresholds(params.view)) job.input.region = nullptr;
  if (input.batch.count == 1) job.input.batch = {};
  if (output.batch.count == 1) job.output.batch = {};
  CANNY_TRY(checker.check(params.view, job.input, job.output, width, height));
  job.bits.clear();
  job.chains.clear();
  const unsigned pictures = job.output.batch.count;
  for (unsigned i = 0; i < pictures && output.contours != nullptr && shows_edges(params.view);
       ++i) {
    output.contours[i].reserve(width, height, &job.bits.emplace_back(), &job.chains.emplace_back());
    CANNY_TRY(check_alignment(job.chains[i]->memory));
    if (job.chains[i]->is_for_device() && !is_on_cuda)
      return {StatusCode::kInvalidFrame,
              "contours: device memory needs a detector on a CUDA device"};
  }
  job.components.clear();
  if (output.components != nullptr && shows_edges(params.view))
    for (unsigned i = 0; i < pictures; ++i) {
      job.components.push_back(output.components[i].reserve(width, height));
      job.components[i]->min_pixels = job.components[0]->min_pixels;
    }
  job.neutral = {};
  if (!shows_input(params.view) && output.memory == Memory::kHost) {
    job.neutral = job.output;
    job.output.chroma = {};
  }
  frame->results.assign(pictures, {});
  return {};
}

// Begins the part of a frame that has this first picture.
Status Detector::Impl::start(unsigned first, InFlight* frame) {
  Job& job = frame->job;
  job.first = first;
  job.count = std::min(frame->pictures() - first, backend->most_pictures);
  return backend->submit(&job);
}

Status Detector::Impl::finish_contours(const Job& job, unsigned picture) {
  job.output.contours[picture].trace_bits(&*tracer, &arena);
  Chains* chains = job.chains[picture];
  if (chains->wants_offsets)
    CANNY_TRY(backend->find_offsets(job, picture_of(job.input, picture), chains));
  if (!chains->is_for_device() || chains->are_in_memory) return {};
  return backend->write_to_device(job, *chains);
}

// Completes the part that has begun, then the others.
Status Detector::Impl::finish(InFlight* frame) {
  const Job& job = frame->job;
  for (;;) {
    CANNY_TRY(backend->finish(job, frame->results_of_part()));
    if (!job.bits.empty() || !job.components.empty()) arena.set_threads(threads);
    for (unsigned i = 0; i < job.count && !job.bits.empty(); ++i)
      CANNY_TRY(finish_contours(job, job.first + i));
    for (unsigned i = 0; i < job.count && !job.components.empty(); ++i)
      finder.find(job.components[job.first + i], &arena);
    const unsigned next = job.first + job.count;
    if (next == frame->pictures()) return {};
    CANNY_TRY(start(next, frame));
  }
}

void Detector::Impl::clear_lists(const Frame& output, unsigned pictures) {
  for (unsigned i = 0; i < pictures; ++i) {
    if (output.contours != nullptr) output.contours[i].clear();
    if (output.components != nullptr) output.components[i].clear();
  }
}

Status Detector::submit(const Params& params, const ConstFrame& input,
                        const Frame& output) noexcept {
  return guard([&]() -> Status {
    // With counts that will be refused, one list is all that is certain.
    const unsigned count = output.batch.count;
    const bool is_certain = count == input.batch.count && count <= kMaxPictures;
    const unsigned pictures = is_certain ? count : std::min(count, 1u);
    if (!impl_ || impl_->width == 0) {
      Impl::clear_lists(output, pictures);
      return {StatusCode::kNotConfigured, "submit() or detect() without create() and set_size()"};
    }
    if (impl_->submitted - impl_->finished >= impl_->frames)
      return {StatusCode::kNotConfigured,
              "there are already " + std::to_string(impl_->frames) + " frames in flight"};
    Impl::clear_lists(output, pictures);
    const auto slot = static_cast<unsigned>(impl_->submitted % impl_->frames);
    Impl::InFlight* frame = &impl_->in_flight[slot];
    frame->job.slot = slot;
    CANNY_TRY(impl_->begin(params, input, output, frame));
    CANNY_TRY(impl_->start(0, frame));
    ++impl_->submitted;
    return {};
  });
}

Status Detector::wait(Result* result) noexcept {
  if (!impl_ || !impl_->is_in_flight()) {
    return guard([]() -> Status {
      return {StatusCode::kNotConfigured, "wait() without a frame in flight"};
    });
  }
  Impl::InFlight& frame = impl_->oldest();
  Status status = guard([&] { return impl_->finish(&frame); });
  if (!status.ok()) Impl::clear_lists(frame.job.output, frame.pictures());
  if (status.ok() && result != nullptr)
    std::copy(frame.results.begin(), frame.results.end(), result);
  ++impl_->finished;
  return status;
}

void Detector::drop() noexcept {
  if (!impl_ || !impl_->is_in_flight()) return;
  Impl::InFlight& frame = impl_->oldest();
  static_cast<void>(
      guard([&] { return impl_->backend->drop(frame.job, frame.results_of_part()); }));
  Impl::clear_lists(frame.job.output, frame.pictures());
  ++impl_->finished;
}

Status Detector::detect(const Params& params, const ConstFrame& input, const Frame& output,
                        Result* result) noexcept {
  return guard([&]() -> Status {
    if (impl_ && impl_->is_in_flight())
      return {StatusCode::kNotConfigured, "detect() with frames in flight"};
    CANNY_TRY(submit(params, input, output));
    return wait(result);
  });
}

const Info& Detector::info() const noexcept {
  static const Info none;
  return impl_ ? impl_->backend->info : none;
}

}  // namespace canny

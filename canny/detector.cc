// SPDX-License-Identifier: LGPL-2.1-or-later
// The detector: validates, chooses the backend and keeps the ring of frames in flight.
#include <atomic>
#include <string>
#include <utility>

#include "canny/backend.h"
#include "canny/canny.h"
#include "canny/contours.h"
#include "canny/fallback.h"
#include "canny/frame.h"
#include "canny/guard.h"
#include "canny/plan.h"
#include "canny/try.h"
#include "canny/view.h"

namespace canny {
namespace {

Status check(const Options& options) {
  if (options.threads > kMaxThreads) {
    return {StatusCode::kInvalidOptions, "threads " + std::to_string(options.threads) +
                                             " is outside 0.." + std::to_string(kMaxThreads)};
  }
  if (options.cuda_device < -1) {
    return {StatusCode::kInvalidOptions,
            "cuda_device " + std::to_string(options.cuda_device) + " is below -1"};
  }
  if (name(options.backend) != nullptr) return {};
  return {StatusCode::kInvalidOptions, "backend is not kAuto, kCuda, kCpu or kOpenCl"};
}

Status check_frames_in_flight(unsigned frames) {
  if (frames >= 1 && frames <= kMaxFramesInFlight) return {};
  return {StatusCode::kInvalidOptions, "frames_in_flight " + std::to_string(frames) +
                                           " is outside 1.." + std::to_string(kMaxFramesInFlight)};
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

}  // namespace

// A ring of the frames between submit() and wait().
struct Detector::Impl {
  bool is_in_flight() const { return submitted != finished; }
  const Job& oldest() const { return jobs[finished % frames]; }

  std::unique_ptr<BackendImpl> backend;
  int width = 0;  // 0 until set_size() succeeded
  int height = 0;
  Planner planner;
  unsigned frames = 1;  // most frames in flight
  Job jobs[kMaxFramesInFlight];
  std::atomic<std::uint64_t> submitted{0}, finished{0};
};

Detector::Detector() noexcept = default;
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Status Detector::create(const Options& options, Detector* detector) noexcept {
  return guard([&]() -> Status {
    if (detector == nullptr) return {StatusCode::kInvalidOptions, "detector is null"};
    CANNY_TRY(check(options));
    auto impl = std::make_unique<Impl>();
    CANNY_TRY(create_backend(options, &impl->backend));
    detector->impl_ = std::move(impl);
    return {};
  });
}

Status Detector::set_size(int width, int height, unsigned frames_in_flight) noexcept {
  return guard([&]() -> Status {
    if (!impl_) return {StatusCode::kNotConfigured, "set_size() on a Detector without create()"};
    if (impl_->is_in_flight())
      return {StatusCode::kNotConfigured, "set_size() with frames in flight"};
    impl_->width = impl_->height = 0;
    CANNY_TRY(check_size(width, height));
    CANNY_TRY(check_frames_in_flight(frames_in_flight));
    CANNY_TRY(impl_->backend->set_size(width, height, frames_in_flight));
    impl_->width = width;
    impl_->height = height;
    impl_->frames = frames_in_flight;
    impl_->submitted = impl_->finished = 0;
    return {};
  });
}

Status Detector::submit(const Params& params, const ConstFrame& input,
                        const Frame& output) noexcept {
  return guard([&]() -> Status {
    if (!impl_ || impl_->width == 0)
      return {StatusCode::kNotConfigured, "submit() or detect() without create() and set_size()"};
    if (impl_->submitted - impl_->finished >= impl_->frames)
      return {StatusCode::kNotConfigured,
              "there are already " + std::to_string(impl_->frames) + " frames in flight"};
    if (output.contours != nullptr) output.contours->clear();
    const Plan* plan = nullptr;
    CANNY_TRY(impl_->planner.plan(params, input.format, output.format, &plan));
    const auto slot = static_cast<unsigned>(impl_->submitted % impl_->frames);
    Job& job = impl_->jobs[slot];
    job.slot = slot;
    job.plan = *plan;
    job.input = input;
    job.output = output;
    job.bits = nullptr;
    if (!shows_input(params.view)) job.input.chroma = {};
    if (!needs_thresholds(params.view)) job.input.region = nullptr;
    if (Status s = check_frames(params.view, job.input, job.output, impl_->width, impl_->height);
        !s.ok())
      return s;
    if (output.contours != nullptr && shows_edges(params.view))
      job.bits = output.contours->reserve(impl_->width, impl_->height);
    job.neutral = {};
    if (!shows_input(params.view) && output.memory == Memory::kHost) {
      job.neutral = output;
      job.output.chroma = {};
    }
    CANNY_TRY(impl_->backend->submit(&job));
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
  Result ignored;
  const Job& job = impl_->oldest();
  Contours* contours = job.output.contours;
  Status status = guard([&] {
    Status finished = impl_->backend->finish(job, result != nullptr ? result : &ignored);
    if (finished.ok() && job.bits != nullptr) contours->trace_bits();
    return finished;
  });
  if (!status.ok() && contours != nullptr) contours->clear();
  ++impl_->finished;
  return status;
}

void Detector::drop() noexcept {
  if (!impl_ || !impl_->is_in_flight()) return;
  static_cast<void>(guard([&] { return impl_->backend->drop(impl_->oldest()); }));
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

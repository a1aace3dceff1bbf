// SPDX-License-Identifier: LGPL-2.1-or-later
// The public classes: validation, the choice of a backend, and no exception past this file.
#include "canny/canny.h"

#include <atomic>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>

#include "canny/backend.h"
#include "canny/frame.h"
#include "canny/plan.h"

namespace canny {
namespace {

constexpr unsigned kMaxThreads = 1024;

// Runs `call`, turning what it throws into a Status. The messages of the last resort are short
// enough for a std::string to hold without allocating.
template <class Call>
Status guard(Call call) noexcept {
  try {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return {StatusCode::kOutOfMemory, "out of memory"};
    } catch (const std::exception& e) {
      return {StatusCode::kDeviceFailure, e.what()};
    }
  } catch (...) {
    return {StatusCode::kDeviceFailure, "failed"};
  }
}

// A copy or, where there is no memory for its message, the code with another one.
Status copy_of(const Status& status) noexcept {
  try {
    return status;
  } catch (const std::bad_alloc&) {
    return {status.code(), "out of memory"};
  }
}

Status check(const Options& options) {
  if (options.threads > kMaxThreads) {
    return {StatusCode::kInvalidOptions, "threads " + std::to_string(options.threads) +
                                             " is outside 0.." + std::to_string(kMaxThreads)};
  }
  if (options.cuda_device < -1) {
    return {StatusCode::kInvalidOptions,
            "cuda_device " + std::to_string(options.cuda_device) + " is below -1"};
  }
  switch (options.backend) {
    case Backend::kAuto:
    case Backend::kCuda:
    case Backend::kCpu:
      return {};
  }
  return {StatusCode::kInvalidOptions, "backend is none of kAuto, kCuda, kCpu"};
}

Status check_frames_in_flight(unsigned frames) {
  if (frames >= 1 && frames <= kMaxFramesInFlight) return {};
  return {StatusCode::kInvalidOptions, "frames_in_flight " + std::to_string(frames) +
                                           " is outside 1.." + std::to_string(kMaxFramesInFlight)};
}

bool same(const Params& a, const Params& b) {
  return a.low_threshold == b.low_threshold && a.high_threshold == b.high_threshold &&
         a.sigma == b.sigma && a.hysteresis_passes == b.hysteresis_passes && a.norm == b.norm;
}

Status create_backend(const Options& options, std::unique_ptr<BackendImpl>* backend, Info* info) {
  if (options.backend == Backend::kCuda) return create_cuda_backend(options, backend, info);
  if (options.backend == Backend::kCpu) return create_cpu_backend(options, backend, info);
  const Status cuda = create_cuda_backend(options, backend, info);
  if (cuda.ok()) return cuda;
  const Status cpu = create_cpu_backend(options, backend, info);
  info->reason = "no usable CUDA device: " + cuda.message();
  return cpu;
}

}  // namespace

// A frame goes from submit() to wait() in a ring. What fails on a device with Backend::kAuto, and
// all after it, is left to the CPU, which wait() has do it.
struct Detector::Impl {
  struct Flight {
    Job job;
    bool begun = false;  // by the backend
  };

  Status set_backend_size(int new_width, int new_height, unsigned new_frames);
  Status begin(Flight* flight);
  Status end(const Flight& flight, Result* result);
  Status end_on_cpu(const Job& job, Result* result);
  Status start_cpu(int cpu_width, int cpu_height);
  bool may_take_cpu(const Job& job) const;
  bool is_trouble(const Status& status) const;
  void note(const Status& status) noexcept;
  Status failure() noexcept;
  bool is_in_flight() const { return submitted != finished; }

  Options options;
  Info info;
  std::unique_ptr<BackendImpl> backend;
  std::unique_ptr<BackendImpl> cpu;  // for what a device failed to do
  bool is_device = false;            // whether the backend is one

  int width = 0;  // 0 until set_size() succeeded
  int height = 0;
  Params params;  // what `settings` was derived from
  Settings settings;

  unsigned frames = 1;  // that may be in flight
  Flight flights[kMaxFramesInFlight];
  std::atomic<std::uint64_t> submitted{0}, finished{0};

  std::atomic<bool> failed{false};  // whether the backend may be used no more
  std::mutex mutex;
  Status first_failure;  // under the mutex
};

bool Detector::Impl::is_trouble(const Status& status) const {
  return is_device &&
         (status.code() == StatusCode::kDeviceFailure || status.code() == StatusCode::kOutOfMemory);
}

bool Detector::Impl::may_take_cpu(const Job& job) const {
  return options.backend == Backend::kAuto && job.input.memory == Memory::kHost &&
         job.output.memory == Memory::kHost;
}

// Memory may suffice the next time, which one who insists on the device may try.
void Detector::Impl::note(const Status& status) noexcept {
  if (!is_trouble(status)) return;
  if (options.backend != Backend::kAuto && status.code() == StatusCode::kOutOfMemory) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (first_failure.ok()) first_failure = copy_of(status);
  failed = true;
}

Status Detector::Impl::failure() noexcept {
  const std::lock_guard<std::mutex> lock(mutex);
  return copy_of(first_failure);
}

Status Detector::Impl::start_cpu(int cpu_width, int cpu_height) {
  if (cpu != nullptr) return {};
  std::unique_ptr<BackendImpl> started;
  Info started_info;
  if (Status s = create_cpu_backend(options, &started, &started_info); !s.ok()) return s;
  if (Status s = started->set_size(cpu_width, cpu_height, 1); !s.ok()) return s;
  started_info.reason = "the CUDA device failed: " + failure().message();
  cpu = std::move(started);
  info = std::move(started_info);
  return {};
}

Status Detector::Impl::begin(Flight* flight) {
  Status status = failed ? failure() : backend->submit(flight->job);
  note(status);
  flight->begun = status.ok();
  if (failed && may_take_cpu(flight->job)) return {};
  return status;
}

Status Detector::Impl::end_on_cpu(const Job& job, Result* result) {
  if (Status s = start_cpu(width, height); !s.ok()) return s;
  return cpu->finish(job, result);
}

Status Detector::Impl::end(const Flight& flight, Result* result) {
  if (!flight.begun) return end_on_cpu(flight.job, result);
  Status status = backend->finish(flight.job, result);
  note(status);
  if (is_trouble(status) && may_take_cpu(flight.job)) return end_on_cpu(flight.job, result);
  return status;
}

Status Detector::Impl::set_backend_size(int new_width, int new_height, unsigned new_frames) {
  if (failed && options.backend != Backend::kAuto) return failure();
  if (!failed) {
    Status status = backend->set_size(new_width, new_height, new_frames);
    note(status);
    if (!failed) return status;
  }
  cpu.reset();
  if (Status s = start_cpu(new_width, new_height); !s.ok()) return s;
  backend = std::move(cpu);
  is_device = failed = false;
  return {};
}

Detector::Detector() noexcept = default;
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Status Detector::create(const Options& options, Detector* detector) noexcept {
  return guard([&]() -> Status {
    if (Status s = check(options); !s.ok()) return s;
    auto impl = std::make_unique<Impl>();
    impl->options = options;
    if (Status s = create_backend(options, &impl->backend, &impl->info); !s.ok()) return s;
    impl->is_device = impl->info.backend == Backend::kCuda;
    if (Status s = derive(impl->params, &impl->settings); !s.ok()) return s;
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
    if (Status s = check_size(width, height); !s.ok()) return s;
    if (Status s = check_frames_in_flight(frames_in_flight); !s.ok()) return s;
    if (Status s = impl_->set_backend_size(width, height, frames_in_flight); !s.ok()) return s;
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
      return {StatusCode::kNotConfigured, "a frame for a Detector without create() and set_size()"};
    if (impl_->submitted - impl_->finished >= impl_->frames)
      return {StatusCode::kNotConfigured,
              "there are already " + std::to_string(impl_->frames) + " frames in flight"};
    if (!same(params, impl_->params)) {
      if (Status s = derive(params, &impl_->settings); !s.ok()) return s;
      impl_->params = params;
    }
    if (Status s = check_frames(input, output, impl_->width, impl_->height); !s.ok()) return s;
    const auto slot = static_cast<unsigned>(impl_->submitted % impl_->frames);
    Impl::Flight& flight = impl_->flights[slot];
    flight.job = {slot, impl_->settings, input, output};
    if (Status s = impl_->begin(&flight); !s.ok()) return s;
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
  Status status = guard([&] {
    return impl_->end(impl_->flights[impl_->finished % impl_->frames], result ? result : &ignored);
  });
  ++impl_->finished;
  return status;
}

void Detector::drop() noexcept {
  if (!impl_ || !impl_->is_in_flight()) return;
  const Impl::Flight& flight = impl_->flights[impl_->finished % impl_->frames];
  Result ignored;
  if (flight.begun && impl_->is_device)
    impl_->note(guard([&] { return impl_->backend->finish(flight.job, &ignored); }));
  ++impl_->finished;
}

Status Detector::detect(const Params& params, const ConstFrame& input, const Frame& output,
                        Result* result) noexcept {
  return guard([&]() -> Status {
    if (impl_ && impl_->is_in_flight())
      return {StatusCode::kNotConfigured, "detect() with frames in flight"};
    if (Status s = submit(params, input, output); !s.ok()) return s;
    return wait(result);
  });
}

Status Detector::fill(const Frame& frame, std::uint8_t value) noexcept {
  return guard([&]() -> Status {
    if (!impl_) return {StatusCode::kNotConfigured, "fill() on a Detector without create()"};
    if (Status s = check_frame(frame); !s.ok()) return s;
    if (frame.memory == Memory::kDevice) {
      Status status = impl_->failed ? impl_->failure() : impl_->backend->fill(frame, value);
      impl_->note(status);
      return status;
    }
    for (int i = 0; i < layout(frame.format).planes; ++i) {
      const Frame rows = plane(frame, i);
      for (int y = 0; y < rows.height; ++y)
        std::memset(rows.data + y * rows.stride_bytes, value, row_bytes(rows));
    }
    return {};
  });
}

const Info& Detector::info() const noexcept {
  static const Info none;
  return impl_ ? impl_->info : none;
}

HostMemory::~HostMemory() {
  if (data_ != nullptr) free_page_locked(cuda_device_, data_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      cuda_device_(other.cuda_device_) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(cuda_device_, other.cuda_device_);
  return *this;
}

Status HostMemory::allocate(std::size_t bytes, int cuda_device, HostMemory* memory) noexcept {
  return guard([&]() -> Status {
    if (bytes == 0) return {StatusCode::kInvalidOptions, "bytes 0 is below 1"};
    if (cuda_device < -1) {
      return {StatusCode::kInvalidOptions,
              "cuda_device " + std::to_string(cuda_device) + " is below -1"};
    }
    HostMemory allocated;
    allocated.cuda_device_ = cuda_device;
    if (Status s = allocate_page_locked(bytes, &allocated.cuda_device_, &allocated.data_); !s.ok())
      return s;
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

const char* name(Backend backend) noexcept {
  switch (backend) {
    case Backend::kCuda:
      return "cuda";
    case Backend::kCpu:
      return "cpu";
    case Backend::kAuto:
      break;
  }
  return "auto";
}

}  // namespace canny

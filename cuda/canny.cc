// SPDX-License-Identifier: LGPL-2.1-or-later
// The public classes: validation, the choice of a backend, and no exception past this file.
#include "canny.h"

#include <exception>
#include <new>

#include "backend.h"
#include "frame.h"
#include "params.h"

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

bool same(const Params& a, const Params& b) {
  return a.low_threshold == b.low_threshold && a.high_threshold == b.high_threshold &&
         a.sigma == b.sigma && a.hysteresis_passes == b.hysteresis_passes && a.norm == b.norm;
}

Status create_backend(const Options& options, std::unique_ptr<DetectorBackend>* backend,
                      Info* info) {
  if (options.backend == Backend::kCuda) return create_cuda_backend(options, backend, info);
  if (options.backend == Backend::kCpu) return create_cpu_backend(options, backend, info);
  const Status cuda = create_cuda_backend(options, backend, info);
  if (cuda.ok()) return cuda;
  const Status cpu = create_cpu_backend(options, backend, info);
  info->reason = "no usable CUDA device: " + cuda.message();
  return cpu;
}

}  // namespace

struct Detector::Impl {
  std::unique_ptr<DetectorBackend> backend;
  Info info;
  int width = 0;  // 0 until set_size() succeeded
  int height = 0;
  Params params;  // what `settings` was derived from
  Settings settings;
};

Detector::Detector() = default;
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

Status Detector::create(const Options& options, Detector* detector) {
  return guard([&]() -> Status {
    if (Status s = check(options); !s.ok()) return s;
    auto impl = std::make_unique<Impl>();
    if (Status s = create_backend(options, &impl->backend, &impl->info); !s.ok()) return s;
    if (Status s = derive(impl->params, &impl->settings); !s.ok()) return s;
    detector->impl_ = std::move(impl);
    return {};
  });
}

Status Detector::set_size(int width, int height) {
  return guard([&]() -> Status {
    if (!impl_) return {StatusCode::kNotConfigured, "set_size() on a Detector without create()"};
    impl_->width = impl_->height = 0;
    if (Status s = check_size(width, height); !s.ok()) return s;
    if (Status s = impl_->backend->set_size(width, height); !s.ok()) return s;
    impl_->width = width;
    impl_->height = height;
    return {};
  });
}

Status Detector::detect(const Params& params, const ConstFrame& input, const Frame& output,
                        Result* result) {
  return guard([&]() -> Status {
    if (!impl_ || impl_->width == 0)
      return {StatusCode::kNotConfigured, "detect() on a Detector without create() and set_size()"};
    if (!same(params, impl_->params)) {
      if (Status s = derive(params, &impl_->settings); !s.ok()) return s;
      impl_->params = params;
    }
    if (Status s = check_frames(input, output, impl_->width, impl_->height); !s.ok()) return s;
    Result ignored;
    return impl_->backend->detect(impl_->settings, input, output, result ? result : &ignored);
  });
}

const Info& Detector::info() const {
  static const Info none;
  return impl_ ? impl_->info : none;
}

HostMemory::~HostMemory() {
  if (data_ != nullptr) free_page_locked(data_);
}

HostMemory::HostMemory(HostMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

HostMemory& HostMemory::operator=(HostMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Status HostMemory::allocate(std::size_t bytes, int cuda_device, HostMemory* memory) {
  return guard([&]() -> Status {
    if (bytes == 0) return {StatusCode::kInvalidOptions, "bytes 0 is below 1"};
    if (cuda_device < -1) {
      return {StatusCode::kInvalidOptions,
              "cuda_device " + std::to_string(cuda_device) + " is below -1"};
    }
    HostMemory allocated;
    if (Status s = allocate_page_locked(bytes, cuda_device, &allocated.data_); !s.ok()) return s;
    allocated.size_ = bytes;
    *memory = std::move(allocated);
    return {};
  });
}

const char* name(Backend backend) {
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

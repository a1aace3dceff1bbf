// SPDX-License-Identifier: LGPL-2.1-or-later
// Hands frames to the CPU after a device failure.
#include "canny/fallback.h"

#include <new>
#include <utility>

#include "canny/guard.h"
#include "canny/try.h"

namespace canny {
namespace {

// A copy or, without memory for its message, the code with a shorter message.
Status copy_of(const Status& status) noexcept {
  try {
    return status;
  } catch (const std::bad_alloc&) {
    return {status.code(), "out of memory"};
  }
}

bool triggers_fallback(const Status& status) {
  return status.code() == StatusCode::kDeviceFailure || status.code() == StatusCode::kOutOfMemory;
}

}  // namespace

FallbackBackend::FallbackBackend(const Options& options, std::unique_ptr<BackendImpl> device)
    : options_(options), device_(std::move(device)) {
  info = device_->info;
}

bool FallbackBackend::may_take_cpu(const Job& job) const {
  return options_.backend == Backend::kAuto && is_in_host(job);
}

// Returns the status, and remembers a failure. Out-of-memory may pass, so without kAuto the caller
// may try the device again.
Status FallbackBackend::recorded(Status status) noexcept {
  const bool may_pass =
      options_.backend != Backend::kAuto && status.code() == StatusCode::kOutOfMemory;
  if (!triggers_fallback(status) || may_pass) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (first_failure_.ok()) first_failure_ = copy_of(status);
  has_failed_ = true;
  return status;
}

Status FallbackBackend::failure() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return copy_of(first_failure_);
}

Status FallbackBackend::create_cpu() {
  if (cpu_ != nullptr) return {};
  std::unique_ptr<BackendImpl> created;
  CANNY_TRY(create_cpu_backend(options_, &created));
  CANNY_TRY(created->set_size(width_, height_, 1, 1));
  cpu_ = std::move(created);
  return {};
}

Status FallbackBackend::start_cpu() {
  CANNY_TRY(create_cpu());
  if (info.backend == Backend::kCpu) return {};
  Info started_info = cpu_->info;
  started_info.reason = "the device failed: " + failure().message();
  info = std::move(started_info);
  return {};
}

Status FallbackBackend::set_size(int width, int height, unsigned frames_in_flight,
                                 unsigned pictures) {
  if (device_ == nullptr) return cpu_->set_size(width, height, frames_in_flight, pictures);
  width_ = width;
  height_ = height;
  cpu_.reset();
  Status status = recorded(has_failed_ ? failure() : guard([&] {
    return device_->set_size(width, height, frames_in_flight, pictures);
  }));
  most_pictures = device_->most_pictures;
  if (!has_failed_ || options_.backend != Backend::kAuto) return status;
  CANNY_TRY(start_cpu());
  most_pictures = cpu_->most_pictures;
  device_.reset();
  return {};
}

Status FallbackBackend::submit(Job* job) {
  job->is_on_device = false;
  if (device_ == nullptr) return cpu_->submit(job);
  Status status = recorded(has_failed_ ? failure() : guard([&] { return device_->submit(job); }));
  job->is_on_device = status.ok();
  if (has_failed_ && may_take_cpu(*job)) return {};
  return status;
}

Status FallbackBackend::finish_on_cpu(const Job& job, Result* results) {
  CANNY_TRY(start_cpu());
  return cpu_->finish(job, results);
}

Status FallbackBackend::finish(const Job& job, Result* results) {
  if (device_ == nullptr || !job.is_on_device) return finish_on_cpu(job, results);
  Status status = recorded(guard([&] { return device_->finish(job, results); }));
  if (triggers_fallback(status) && may_take_cpu(job)) return finish_on_cpu(job, results);
  return status;
}

Status FallbackBackend::drop(const Job& job, Result* ignored) {
  if (device_ == nullptr || !job.is_on_device) return {};
  return recorded(guard([&] { return device_->drop(job, ignored); }));
}

Status FallbackBackend::find_offsets(const Job& job, const ConstFrame& input, Chains* chains) {
  CANNY_TRY(create_cpu());
  ConstFrame in_host = input;
  if (input.memory == Memory::kDevice)
    CANNY_TRY(recorded(device_->copy_to_host(job, input, &picture_, &in_host)));
  return cpu_->find_offsets(job, in_host, chains);
}

Status FallbackBackend::write_to_device(const Job& job, const Chains& chains) {
  return recorded(device_->write_to_device(job, chains));
}

}  // namespace canny

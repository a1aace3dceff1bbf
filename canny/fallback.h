// SPDX-License-Identifier: LGPL-2.1-or-later
// The backend that falls back from a device to the CPU.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "canny/backend.h"

namespace canny {

/// The backend of a device that may fail. A failed device is not used again. With Backend::kAuto
/// the CPU completes all frames in host memory that the device does not, in their order. With
/// another Backend, and in device memory, these frames fail.
class FallbackBackend final : public BackendImpl {
 public:
  FallbackBackend(const Options& options, std::unique_ptr<BackendImpl> device);

  Status set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) override;
  Status submit(Job* job) override;
  Status finish(const Job& job, Result* results) override;
  Status drop(const Job& job, Result* ignored) override;
  /// The CPU does so for the device as well.
  Status find_offsets(const Job& job, const ConstFrame& input, Chains* chains) override;
  Status write_to_device(const Job& job, const Chains& chains) override;

 private:
  Status create_cpu();
  Status start_cpu();
  Status finish_on_cpu(const Job& job, Result* results);
  bool may_take_cpu(const Job& job) const;
  Status recorded(Status status) noexcept;
  Status failure() noexcept;

  const Options options_;
  std::unique_ptr<BackendImpl> device_;  // null once set_size() has found that it failed
  std::unique_ptr<BackendImpl> cpu_;     // null until there is a frame for it
  std::vector<std::uint8_t> picture_;    // of device memory, for find_offsets()
  int width_ = 0, height_ = 0;

  std::atomic<bool> has_failed_{false};
  std::mutex mutex_;
  Status first_failure_;  // under the mutex
};

}  // namespace canny

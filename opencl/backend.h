// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL backend runs jobs: the stages of a frame and the copies around them.
#pragma once

#include <array>
#include <mutex>
#include <vector>

#include "canny/backend.h"
#include "opencl/stages.h"
#include "opencl/transfer.h"

namespace canny::opencl {

class OpenClBackend final : public BackendImpl {
 public:
  ~OpenClBackend() override;

  /// Creates the queues and compiles the kernels. Call once, before anything else.
  Status open(const Device& device);
  Status set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) override;
  Status submit(Job* job) override;
  Status finish(const Job& job, Result* results) override;

 private:
  // A picture's memory and results until its job is finished. submit() writes them under the mutex,
  // and finish() reads them once `done` has come.
  struct Slot {
    Upload input;
    Download output;
    Buffer numbers;
    HostMemory host_numbers;
    RegionUpload region;
    BitsDownload bits, strong;         // of a picture with contours or components
    Result result;                     // what is known before the device has ended
    bool has_device_measured = false;  // whether thresholds are in the numbers instead
    StageMarks stage_marks;
    StageMarks* marks = nullptr;  // these, or null if the plan does not measure stages
    Event uploaded, computed, done;

    Numbers& found() const { return *reinterpret_cast<Numbers*>(host_numbers.data()); }
  };

  Status begin(const Plan& plan, const Picture& picture, Slot* slot);
  Status upload(const ConstFrame& input, Slot* slot);
  Status compute(const Plan& plan, const Picture& picture, Slot* slot);
  Status download(const Picture& picture, Slot* slot);
  Status finish_picture(const Plan& plan, const Picture& picture, Slot* slot, Result* result);
  Slot* slots_of(const Job& job) { return &slots_[job.slot * most_pictures]; }
  void synchronize();
  void abandon(const Job& job);
  std::array<const Queue*, 3> queues() const { return {&uploads_, &compute_queue(), &downloads_}; }
  const Queue& compute_queue() const { return stages_.queue(); }
  // With one picture in flight, all work is in one queue. With more, copies have their own queues,
  // so that they overlap with the kernels of other pictures.
  const Queue& upload_queue() const { return slots_.size() == 1 ? compute_queue() : uploads_; }
  const Queue& download_queue() const { return slots_.size() == 1 ? compute_queue() : downloads_; }

  // Pictures are computed one after the other, so that they share the kernels and the memory
  // between the stages.
  Stages stages_;
  Queue uploads_, downloads_;
  std::mutex queueing_;      // held while a job is queued, and when all queues are waited for
  std::vector<Slot> slots_;  // one per picture
};

}  // namespace canny::opencl

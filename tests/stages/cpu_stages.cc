// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the stages of the CPU backend.
#include <cstring>

#include "backend_stages.h"
#include "cpu/backend.h"
#include "planes.h"
#include "run_alone.h"

namespace stages {
namespace {

class CpuStages final : public BackendStages {
 public:
  canny::Backend backend() const override { return canny::Backend::kCpu; }

  canny::Status set_size(int width, int height, unsigned threads,
                         unsigned frames_in_flight) override {
    if (backend_ == nullptr || threads != threads_)
      backend_ = std::make_unique<canny::cpu::CpuBackend>(static_cast<int>(threads));
    threads_ = threads;
    return backend_->set_size(width, height, frames_in_flight, 1);
  }

  canny::Status front(const canny::Plan& plan, const harness::GuardedFrame& frame,
                      Planes* planes) override {
    backend_->front(plan, frame.const_frame());
    *planes = {unpack(backend_->candidate()), unpack(backend_->strong())};
    return {};
  }

  canny::Status hysteresis(unsigned passes, const Planes& planes,
                           std::vector<std::uint8_t>* edges) override {
    pack(planes.candidate.samples, backend_->candidate());
    pack(planes.strong.samples, backend_->strong());
    *edges = unpack(backend_->hysteresis(passes)).samples;
    return {};
  }

  canny::Status output(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                       std::uint64_t* count) override {
    pack(edges, backend_->strong());
    *count = backend_->output(backend_->strong(), frame->frame());
    return {};
  }

  canny::Status frame(const canny::Plan& plan, const harness::GuardedFrame& input, canny::Memory,
                      harness::GuardedFrame* output, canny::Memory,
                      canny::Result* result) override {
    return run_alone(backend_.get(), plan, input.const_frame(), output->frame(), result);
  }

  // The backend computes a frame in finish().
  canny::Status frames(std::vector<Job>& jobs) override {
    for (Job& job : jobs) {
      const canny::Status status = frame(job.plan, *job.input, canny::Memory::kHost, job.output,
                                         canny::Memory::kHost, &job.result);
      if (!status.ok()) return status;
    }
    return {};
  }

  // The workspace is the rows of the planes. The words around them stay 0, and the rest is private.
  std::size_t workspace_bytes() const override {
    const canny::cpu::Plane& plane = backend_->candidate();
    return 2 * row_bytes() * plane.height;
  }

  canny::Status fill_workspace(const std::vector<std::uint8_t>& bytes) override {
    const std::uint8_t* from = bytes.data();
    for (const canny::cpu::Plane& plane : {backend_->candidate(), backend_->strong()})
      for (int y = 0; y < plane.height; ++y, from += row_bytes())
        std::memcpy(plane.row(y), from, row_bytes());
    return {};
  }

  canny::Status fail_frame(Failure, const canny::Plan&, const harness::GuardedFrame&) override {
    return {};
  }

 private:
  std::size_t row_bytes() const {
    return backend_->candidate().words_per_row() * sizeof(canny::cpu::Plane::Word);
  }

  unsigned threads_ = 0;
  std::unique_ptr<canny::cpu::CpuBackend> backend_;
};

}  // namespace

std::unique_ptr<BackendStages> cpu_stages() { return std::make_unique<CpuStages>(); }

}  // namespace stages

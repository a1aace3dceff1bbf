// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of the CPU backend.
#include "backend_stages.h"
#include "cpu/detector.h"
#include "planes.h"

namespace stages {
namespace {

class CpuStages final : public BackendStages {
 public:
  canny::Backend backend() const override { return canny::Backend::kCpu; }

  canny::Status set_size(int width, int height, unsigned threads) override {
    detector_ = std::make_unique<canny::cpu::CpuDetector>(static_cast<int>(threads));
    return detector_->set_size(width, height);
  }

  canny::Status front(const canny::Settings& settings, const harness::GuardedFrame& frame,
                      Planes* planes) override {
    detector_->front(settings, frame.const_frame());
    *planes = {unpack(detector_->candidate()), unpack(detector_->strong())};
    return {};
  }

  canny::Status hysteresis(unsigned passes, const Planes& planes,
                           std::vector<std::uint8_t>* edges) override {
    pack(planes.candidate, detector_->candidate());
    pack(planes.strong, detector_->strong());
    *edges = unpack(detector_->hysteresis(passes));
    return {};
  }

  canny::Status store(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                      std::uint64_t* count) override {
    pack(edges, detector_->strong());
    *count = detector_->store(detector_->strong(), frame->frame());
    return {};
  }

 private:
  std::unique_ptr<canny::cpu::CpuDetector> detector_;
};

}  // namespace

std::unique_ptr<BackendStages> cpu_stages() { return std::make_unique<CpuStages>(); }

}  // namespace stages

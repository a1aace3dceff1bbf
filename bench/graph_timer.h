// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the graphs of frames in device memory, without the detector around them.
#pragma once

#include <cstddef>
#include <vector>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/stages.h"
#include "cuda/transfer.h"
#include "device_frames.h"
#include "kernel_costs.h"
#include "measure_cuda.h"

namespace bench {

class GraphTimer {
 public:
  /// As many frames as `slots` will run side by side. No slot may have work, here and in all calls.
  /// Frames get their components of at least `min_pixels` pixels, unless it is 0.
  GraphTimer(canny::cuda::Stages& stages, const canny::Params& params, const DeviceFrames& frames,
             unsigned slots, unsigned min_pixels);
  GraphTimer(const GraphTimer&) = delete;
  GraphTimer& operator=(const GraphTimer&) = delete;

  /// Runs the first frame. Returns its kernels, without costs.
  std::vector<KernelCost> run();
  /// Returns the times of whole graphs. One alone is queued on an idle device.
  KernelTimes time();
  /// Sets the times of each of the kernels that run() returned: that of frames that end after the
  /// kernel, less that of frames that end before it. Adds the sum of all, named "frame". Graphs are
  /// queued behind work, so that the host's part in a launch does not count.
  void time_kernels(std::vector<KernelCost>* kernels);

 private:
  void queue(unsigned slots);
  template <class Alone>
  KernelTimes time(Alone alone);
  KernelTimes time_first(std::size_t kernels);

  canny::cuda::Stages& stages_;
  const DeviceFrames& frames_;
  const unsigned slots_;
  canny::Plan plan_;
  canny::cuda::RegionUpload upload_;
  canny::cuda::RegionSource source_;
  const canny::cuda::RegionSource* region_ = nullptr;                 // of all frames
  canny::cuda::ComponentMemory memories_[canny::kMaxFramesInFlight];  // of slots
  canny::cuda::ComponentList lists_[canny::kMaxFramesInFlight];
  bool has_components_;
  EventPair events_;
  int next_ = 0;
};

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of frames: their kernels, and the memory between them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "canny/canny.h"
#include "canny/measure.h"
#include "canny/plan.h"
#include "cuda/counts.h"
#include "cuda/device.h"
#include "cuda/front.h"
#include "cuda/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/lengths.h"
#include "cuda/region.h"
#include "cuda/stage_events.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Numbers about a frame, which its kernels write. `measured` is for ThresholdSource::kMeasured,
/// `counts` for a plan that measures stages.
struct FrameNumbers {
  unsigned long long edges;
  Measured measured;
  FrameCounts counts;
};

/// Queues the kernels of frames, each in a slot. The device must be current in every call except
/// the destructor's. Frames of one slot follow each other in its stream; the caller keeps frames of
/// different slots apart where runs_alone() demands it.
class Stages {
 public:
  explicit Stages(const Device& device) : device_(device) {}
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// Creates the streams. Call once, before anything else.
  Status open();
  /// Allocates the workspace for frames of this size. No slot may have work.
  Status set_size(int width, int height);
  /// Frees the workspace. No slot may have work.
  void release();
  /// Waits until no slot has work, whether the work succeeded or not.
  void synchronize() const;

  const Device& device() const { return device_; }
  /// The number of slots that the workspace has room for, at most kFrameSlots.
  int slots() const { return slot_count_; }
  cudaStream_t stream(int slot) const { return slots_[slot].launcher.stream(); }
  /// Whether a frame of the plan uses memory of all slots. It needs slot 0, and no frame may run
  /// beside it.
  bool runs_alone(const Plan& plan) const {
    return image_use(plan, front_device()) == ImageUse::kShared;
  }
  /// Device memory for the numbers of kMaxFramesInFlight frames.
  FrameNumbers* numbers() const { return numbers_; }

  /// Allocates what frames of the plan, with or without a region, need in a slot beside the
  /// workspace. The memory stays until release().
  Status reserve(int slot, const Plan& plan, bool has_region);
  /// Queues all kernels of a frame in a slot, as one graph. Both frames are in device memory.
  /// `region` is null for the whole frame. Call reserve() before. Writes the frame's numbers to
  /// `*numbers`, one of numbers(). If the plan measures stages, queues one kernel after the other,
  /// with `events` between them.
  Status run(int slot, const Plan& plan, const ConstFrame& input, const RegionSource* region,
             const Frame& output, FrameNumbers* numbers, StageEvents* events);

  // The stages one by one, in slot 0, with the first one of numbers(). Each returns once its work
  // is queued.

  /// Turns pixels in device memory into the planes candidate() and strong(). Clears bits outside
  /// the region.
  Status front(const Plan& plan, const ConstFrame& input, const RegionSource* region);
  /// Turns candidate() and strong(), which it overwrites, into `*edges`. Sets the number of
  /// edges to 0.
  Status hysteresis(unsigned passes, Edges* edges);
  /// Turns edges into pixels in device memory. Counts the edges.
  Status output(const Edges& edges, const Frame& output);

  const TilePlane& candidate() const { return slots_[0].candidate; }
  const TilePlane& strong() const { return slots_[0].strong; }
  /// The memory that set_size() allocated. A frame reads only parts that it has written.
  void* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  struct Slot {
    Launcher launcher;
    TilePlane candidate, strong;
    HysteresisBuffers hysteresis;
    Histogram* histogram = nullptr;
    // Allocated by reserve():
    std::uint8_t* image = nullptr;
    std::uint8_t* colors = nullptr;  // two images
    std::uint32_t* kept = nullptr;
    std::uint16_t* deep_image = nullptr;
    std::uint16_t* deep_colors = nullptr;  // two images
    void* length_memory = nullptr;         // for `lengths`
    LengthBuffers lengths;
    void* region_memory = nullptr;  // for `region`
    RegionPlane region = {};
    void* label_memory = nullptr;  // for `labels`
    Edges labels;
  };

  FrontDevice front_device() const { return {!portable_, device_.multiprocessors}; }
  std::size_t carve(void* memory, int width, int height);
  template <class F>
  Status with_front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
                    FrameNumbers* numbers, Slot* slot, F f);
  Status front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
               FrameNumbers* numbers, Slot* slot);
  Status show_images(const Plan& plan, const ConstFrame& input, const Frame& output,
                     FrameNumbers* numbers, Slot* slot);
  Status find_edges(const Plan& plan, const RegionPlane& region, Slot* slot, Edges* edges);
  Status queue(const Plan& plan, const ConstFrame& input, const RegionSource* region,
               const Frame& output, FrameNumbers* numbers, StageEvents* events, Slot* slot);

  const Device device_;
  bool portable_ = false;  // whether to use only kernels that run on every device

  Slot slots_[kFrameSlots];
  int slot_count_ = 1;

  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  FrameNumbers* numbers_ = nullptr;  // in the workspace
  FrontBuffers front_buffers_;       // likewise, except colors and the memory for deep samples
  TapCache tap_cache_;
};

}  // namespace canny::cuda

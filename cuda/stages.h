// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of frames: their kernels, and the memory between them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/device.h"
#include "cuda/front/front.h"
#include "cuda/hysteresis/counts.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/hysteresis/lengths.h"
#include "cuda/launch.h"
#include "cuda/region.h"
#include "cuda/report.h"
#include "cuda/stage_events.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Numbers about a frame in device memory, which its kernels write. `edges` is that of a Reporter,
/// `measured` is for ThresholdSource::kMeasured, `counts` for a plan that measures stages.
struct FrameNumbers {
  unsigned long long edges;
  Measured measured;
  FrameCounts counts;
};

/// Queues the kernels of frames, each in a slot of its own, so that all of them run side by side:
/// while one ends, or its hysteresis waits for memory, the front ends of others compute. The device
/// must be current in every call except the destructor's.
class Stages {
 public:
  explicit Stages(const Device& device) : device_(device) {}
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// Prepares the device. Call once, before anything else.
  Status open();
  /// Allocates the workspace for as many frames of this size at a time, at most
  /// kMaxFramesInFlight. No slot may have work.
  Status set_size(int width, int height, unsigned frames);
  /// Frees the workspace. No slot may have work.
  void release();
  /// Waits until no slot has work, whether the work succeeded or not.
  void synchronize() const;

  const Device& device() const { return device_; }
  cudaStream_t stream(unsigned slot) const { return slots_[slot].stream(); }
  /// Device memory for the numbers of kMaxFramesInFlight frames.
  FrameNumbers* numbers() const { return numbers_; }
  /// Page-locked memory for the reports of as many frames.
  Report* reports() const { return reports_; }

  /// Chooses the route of frames of the plan, with or without a region, in a slot. Allocates what
  /// they need there beside the workspace, which stays until release().
  Status reserve(unsigned slot, const Plan& plan, bool has_region);
  /// Queues all kernels of a frame in a slot. Both frames are in device memory. `region` is null
  /// for the whole frame. Call reserve() before. Writes the frame's numbers to numbers()[slot] and,
  /// if it shows edges, to reports()[slot]. Such a frame writes its edges to `bits` as well, if
  /// that is not null; see output_bits(). If the plan measures stages, `events` are between them.
  /// The tiles of the front end, but no result, depend on the number of other frames in flight on
  /// the device.
  Status run(unsigned slot, unsigned others, const Plan& plan, const ConstFrame& input,
             const RegionSource* region, const Frame& output, std::uint32_t* bits,
             StageEvents* events);

  /// The route that reserve() chose last.
  const FrontRoute& route(unsigned slot) const { return slots_[slot].route; }
  /// Ends frames that run() queues from now on after this many kernels. For benchmarks. Such a
  /// frame reports no edges.
  void end_after(std::size_t kernels) {
    for (Slot& slot : slots_)
      for (Launcher& launcher : slot.launchers) launcher.end_after(kernels);
  }
  /// The kernels of the last frame in the slot that did not measure stages.
  std::vector<Launcher::Kernel> kernels(unsigned slot) const {
    return slots_[slot].launcher().kernels();
  }

  // The stages one by one, in slot 0, with the first one of numbers() and of reports(). Each
  // returns once its work is queued.

  /// Turns pixels in device memory into the planes candidate() and strong(). Clears bits outside
  /// the region.
  Status front(const Plan& plan, const ConstFrame& input, const RegionSource* region);
  /// Turns candidate() and strong(), which it overwrites, into `*edges`. Sets the number of
  /// edges to 0.
  Status hysteresis(unsigned passes, Edges* edges);
  /// Turns edges into pixels in device memory. Reports the number of edges.
  Status output(const Edges& edges, const Frame& output);

  const TilePlane& candidate() const { return slots_[0].candidate; }
  const TilePlane& strong() const { return slots_[0].strong; }
  /// The counters of TileProgress, which are 0 while no frame is in flight, and their number.
  const std::uint32_t* progress() const { return progress_; }
  std::size_t progress_size() const { return progress_size_; }
  /// The other memory that set_size() allocated. A frame reads only parts that it has written.
  void* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  struct Slot {
    Launcher launchers[2];  // of frames alone and beside others: their kernels differ
    bool is_busy = false;   // whether others run beside its frame
    FrontRoute route;       // of its frame
    TilePlane candidate, strong;
    HysteresisBuffers hysteresis;
    Histogram* histogram = nullptr;
    FrameProgress progress;  // for frames whose kernels wait tile by tile
    // Allocated by reserve():
    std::uint16_t* row_sums = nullptr;
    std::uint8_t* image = nullptr;
    std::uint8_t* colors = nullptr;  // two images
    std::uint32_t* maxima = nullptr;
    std::uint32_t* deep_row_sums = nullptr;
    std::uint16_t* deep_image = nullptr;
    std::uint16_t* deep_colors = nullptr;  // two images
    void* length_memory = nullptr;         // for `lengths`
    LengthBuffers lengths;
    void* region_memory = nullptr;  // for `region`
    RegionPlane region = {};
    void* label_memory = nullptr;  // for `labels`
    Edges labels;

    cudaStream_t stream() const { return launchers[0].stream(); }
    Launcher& launcher() { return launchers[is_busy ? 1 : 0]; }
    const Launcher& launcher() const { return launchers[is_busy ? 1 : 0]; }
  };

  Status open_slots(unsigned slots);
  Status allocate_progress(int width, int height, unsigned frames);
  FrameProgress progress_of(const Plan& plan, const Slot& slot) const;
  FrontDevice front_device() const {
    return {capability_ >= kStripCapability, device_.multiprocessors};
  }
  bool fills_cache(const Frame& output) const;
  std::size_t carve(void* memory, int width, int height, unsigned frames);
  // What the last kernel of a frame needs to report.
  Reporter reporter(const Plan& plan, unsigned slot) const;
  template <class F>
  Status with_front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
                    Measured* measured, Slot* slot, F f);
  Status front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
               Measured* measured, Slot* slot);
  Status show_images(const Plan& plan, const ConstFrame& input, const Frame& output,
                     Measured* measured, Slot* slot);
  Status find_edges(const Plan& plan, const RegionPlane& region, Slot* slot, Edges* edges);
  Status queue(const Plan& plan, const ConstFrame& input, const RegionSource* region,
               const Frame& output, std::uint32_t* bits, StageEvents* events, unsigned slot);

  const Device device_;
  int capability_ = 0;  // the compute capability whose kernels run

  Slot slots_[kMaxFramesInFlight];
  int pitch_ = 0;  // of images, in samples

  void* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  FrameNumbers* numbers_ = nullptr;    // in the workspace
  std::uint32_t* progress_ = nullptr;  // of all slots
  std::size_t progress_size_ = 0;
  Report* reports_ = nullptr;
  TapCache tap_cache_;
};

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of frames: their kernels, and the memory between them.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/contours/contours.h"
#include "cuda/device.h"
#include "cuda/front/front.h"
#include "cuda/hysteresis/components.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/memory.h"
#include "cuda/region.h"
#include "cuda/report.h"

namespace canny::cuda {

/// Numbers about a frame in device memory, which its kernels write, an element per picture. `edges`
/// is that of a Reporter, `measured` is for a plan that has measured thresholds, `counts` for one
/// that measures stages.
struct FrameNumbers {
  unsigned long long* edges = nullptr;
  FrameThresholds* measured = nullptr;
  FrameCounts* counts = nullptr;
};

/// A frame whose kernels are queued. All memory is device memory, apart from the array of regions.
struct StageFrame {
  const Plan& plan;
  ConstFrame input;
  const RegionSource* regions = nullptr;  ///< one per picture, null = the whole frame
  Frame output = {};
  std::uint32_t* bits = nullptr;  ///< gets the edges of a frame that shows edges as well, unless it
                                  ///< is null; see output_bits()
  ContourTarget contours = {};    ///< gets the chains of these edges, unless its numbers are null
  unsigned min_points = 1;        ///< of a chain
  const ComponentList* components = nullptr;  ///< gets the components of a frame that shows edges,
                                              ///< null = not wanted
  StageMarks* marks = nullptr;                ///< for a plan that measures stages, else null
};

/// What a frame has or gives beside its pixels.
struct FrameExtras {
  bool region, contours, components;
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

  /// Most pictures of this size in a slot: their tiles and runs have numbers of 31 bits.
  static unsigned most_pictures(int width, int height);

  /// Prepares the device. Call once, before anything else.
  Status open();
  /// Allocates the workspace for as many frames of this size at a time, at most
  /// kMaxFramesInFlight, each of up to so many pictures. No slot may have work.
  Status set_size(int width, int height, unsigned frames, unsigned pictures = 1);
  /// Frees the workspace. No slot may have work.
  void release();
  /// Waits until no slot has work, whether the work succeeded or not. Frames may have ended early.
  void synchronize();

  const Device& device() const { return device_; }
  cudaStream_t stream(unsigned slot) const { return slots_[slot].stream(); }
  const FrameNumbers& numbers(unsigned slot) const { return slots_[slot].numbers; }
  /// The reports of a frame's pictures, in page-locked memory.
  Report* reports(unsigned slot) const { return reports_ + std::size_t{1} * slot * pictures_; }

  /// Chooses the route of frames of the plan in a slot. Allocates what they need there beside the
  /// workspace, which stays until release().
  Status reserve(unsigned slot, const Plan& plan, const FrameExtras& extras);
  /// Queues all kernels of a frame in a slot. Call reserve() before. Writes the frame's numbers to
  /// numbers(slot) and, if it shows edges, to reports(slot). The tiles of the front end, but no
  /// result, depend on the number of other frames in flight on the device.
  Status run(unsigned slot, unsigned others, const StageFrame& frame);

  /// Whether these are all chains of the frame: it may have more than the memory holds.
  bool are_complete(unsigned slot, const ContourNumbers& numbers) const {
    return cuda::are_complete(numbers, slots_[slot].contours);
  }
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

  // The stages one by one, of a picture in slot 0. Each returns once its work is queued.

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
  std::size_t progress_size() const { return progress_.size(); }
  /// The other memory that set_size() allocated. A frame reads only parts that it has written.
  std::uint8_t* workspace() const { return workspace_; }
  std::size_t workspace_bytes() const { return workspace_.size(); }

 private:
  class FrameStages;
  // Memory that reserve() allocates, and the buffers that lie in it.
  struct SlotMemory {
    FrontBuffers front;
    DeviceArray<std::uint8_t> length_memory, region_memory, label_memory, contour_memory,
        component_memory;
    LengthBuffers lengths;
    RegionPlane region = {};
    Edges labels;
    ContourBuffers contours;
    bool has_clear_counters = false;  // whether those of the contours are as a frame expects them
    ComponentBuffers components;
  };
  struct Slot : SlotMemory {
    Launcher launchers[2];  // of frames alone and beside others: their kernels differ
    Owned<cudaStream_t> owned_stream;
    bool is_busy = false;  // whether others run beside its frame
    FrontRoute route;      // of its frame
    FrameNumbers numbers;
    TilePlane candidate, strong;
    HysteresisBuffers hysteresis;
    Histogram* histogram = nullptr;
    FrameProgress progress;  // for frames whose kernels wait tile by tile

    cudaStream_t stream() const { return owned_stream.get(); }
    Launcher& launcher() { return launchers[is_busy ? 1 : 0]; }
    const Launcher& launcher() const { return launchers[is_busy ? 1 : 0]; }
  };

  Status open_slots(unsigned slots);
  Status allocate_progress(int width, int height, unsigned frames);
  FrameProgress progress_of(const Plan& plan, const Slot& slot) const;
  FrontDevice front_device(const Slot& slot) const;
  bool fills_cache(const Frame& output) const;
  std::size_t carve(void* memory, int width, int height, unsigned frames);
  template <class Carve, class Buffers>
  Status allocate(Carve carve, DeviceArray<std::uint8_t>* memory, Buffers* buffers);
  Status queue(Slot* slot, const StageFrame& frame);

  const Device device_;
  int capability_ = 0;  // whose kernels run: that of the code, or a lower one for tests
  bool is_generic_only_ = false;

  Slot slots_[kMaxFramesInFlight];
  unsigned pictures_ = 1;  // of a slot

  DeviceArray<std::uint8_t> workspace_;
  DeviceArray<std::uint32_t> progress_;  // of all slots
  PageLockedArray<Report> reports_;
};

}  // namespace canny::cuda

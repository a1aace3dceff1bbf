// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts the workspace into slots and queues the kernels of a frame in one of them.
#include "cuda/stages.h"

#include <algorithm>
#include <cstdint>

#include "canny/carver.h"
#include "canny/environment.h"
#include "canny/frame.h"
#include "canny/recipe.h"
#include "cuda/check.h"
#include "cuda/front/strip/tuning.h"
#include "cuda/geometry.h"
#include "cuda/output/output.h"
#include "cuda/output/paint.h"
#include "cuda/output/show.h"

namespace canny::cuda {
namespace {

using Carver = canny::Carver<256>;

void carve_components(Carver* carver, const TilePlane& plane, OpenComponents* components) {
  carver->take(run_places(plane), &components->of_run);
  carver->take(plane.tiles(), &components->summary);
  carver->take(forest_nodes(plane), &components->parent);
}

// Takes the memory of a slot except its flags, which come first: planes and components.
void carve_slot(Carver* carver, TilePlane* candidate, TilePlane* strong,
                HysteresisBuffers* buffers) {
  carver->take(candidate->size_words(), &candidate->words);
  carver->take(strong->size_words(), &strong->words);
  Carver other = *carver;
  other.take(candidate->size_words(), &buffers->other);
  carve_components(carver, *candidate, &buffers->components);
}

// Returns the bytes that remove_short() needs for planes of this size.
std::size_t carve_lengths(void* memory, const TilePlane& plane, LengthBuffers* buffers) {
  Carver carver(memory);
  buffers->open = plane;
  carver.take(buffers->open.size_words(), &buffers->open.words);
  carve_components(&carver, buffers->open, &buffers->components);
  carver.take(forest_nodes(buffers->open), &buffers->lengths);
  return carver.bytes();
}

// Likewise for set_region().
std::size_t carve_region(void* memory, const TilePlane& plane, RegionPlane* region) {
  Carver carver(memory);
  region->bits = plane;
  carver.take(region->bits.size_words(), &region->bits.words);
  carver.take(region->bits.tiles(), &region->has_any);
  return carver.bytes();
}

// Likewise for count_components().
std::size_t carve_labels(void* memory, const TilePlane& plane, Edges* labels) {
  Carver carver(memory);
  labels->decided = labels->open = plane;
  carver.take(labels->decided.size_words(), &labels->decided.words);
  carver.take(labels->open.size_words(), &labels->open.words);
  carve_components(&carver, labels->open, &labels->components);
  return carver.bytes();
}

// Whether tests choose these kernels.
bool chooses(const char* kernels) { return is_told("CANNY_CUDA_KERNELS", kernels); }

// The compute capability whose kernels to use: that of the code, or a lower one for tests.
int kernel_capability(const Device& device) {
  const int most = chooses("portable") || chooses("generic") ? kLeastCapability
                   : chooses("8.0")                          ? kStripCapability
                                                             : device.code_capability;
  return std::min(device.code_capability, most);
}

// Allocates memory for the buffers that carve(memory, plane, buffers) takes, unless it is there.
template <class Carve, class Buffers>
Status allocate(const TilePlane& plane, Carve carve, DeviceArray<std::uint8_t>* memory,
                Buffers* buffers) {
  if (*memory != nullptr) return {};
  CANNY_TRY(memory->allocate(carve(nullptr, plane, buffers)));
  carve(*memory, plane, buffers);
  return {};
}

}  // namespace

Stages::~Stages() {
  const DeviceScope scope(device_);
  synchronize();
  for (Slot& slot : slots_) {
    for (Launcher& launcher : slot.launchers) launcher.close();
    if (slot.stream() != nullptr) cudaStreamDestroy(slot.stream());
  }
  release();
  cudaFreeHost(reports_);
  cudaGetLastError();
}

void Stages::synchronize() const {
  for (const Slot& slot : slots_)
    if (slot.stream() != nullptr) cudaStreamSynchronize(slot.stream());
  cudaGetLastError();
}

void Stages::release() {
  workspace_.release();
  progress_.release();
  for (Slot& slot : slots_) {
    slot.front.release();
    slot.length_memory.release();
    slot.region_memory.release();
    slot.label_memory.release();
  }
  workspace_bytes_ = progress_size_ = 0;
}

Status Stages::open() {
  capability_ = kernel_capability(device_);
  is_generic_only_ = chooses("generic");
  CANNY_CUDA_TRY(
      cudaMallocHost(reinterpret_cast<void**>(&reports_), kMaxFramesInFlight * sizeof *reports_));
  return open_slots(1);
}

// Creates the streams of the first slots, unless they are there.
Status Stages::open_slots(unsigned slots) {
  for (unsigned i = 0; i < slots; ++i) {
    if (stream(i) != nullptr) continue;
    cudaStream_t stream;
    CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (Launcher& launcher : slots_[i].launchers)
      launcher.open(stream, capability_ >= kOverlapCapability);
  }
  return {};
}

// Cuts the workspace into slots of about 1 byte a pixel each. Returns the bytes that they need.
std::size_t Stages::carve(void* memory, int width, int height, unsigned frames) {
  Carver carver(memory);
  carver.take(kMaxFramesInFlight, &numbers_);
  for (unsigned i = 0; i < frames; ++i) {
    Slot& slot = slots_[i];
    carver.take(1 + kMaxHysteresisPasses, &slot.hysteresis.grew);
    carver.take(1, &slot.histogram);
    slot.candidate = slot.strong = TilePlane{nullptr, width, height};
    carve_slot(&carver, &slot.candidate, &slot.strong, &slot.hysteresis);
  }
  return carver.bytes();
}

Status Stages::set_size(int width, int height, unsigned frames) {
  release();
  CANNY_TRY(open_slots(frames));
  CANNY_TRY(workspace_.allocate(carve(nullptr, width, height, frames)));
  workspace_bytes_ = carve(workspace_, width, height, frames);
  return allocate_progress(width, height, frames);
}

// Allocates the counters of all slots, apart from the workspace, since frames expect zeros there.
Status Stages::allocate_progress(int width, int height, unsigned frames) {
  const std::size_t tiles = TilePlane{nullptr, width, height}.tiles();
  progress_size_ = 2 * frames * tiles;
  CANNY_TRY(progress_.allocate(progress_size_));
  CANNY_CUDA_TRY(cudaMemsetAsync(progress_, 0, progress_size_ * sizeof(std::uint32_t), stream(0)));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream(0)));
  for (unsigned i = 0; i < frames; ++i) {
    std::uint32_t* const first = progress_ + 2 * i * tiles;
    slots_[i].progress = {{first}, {first + tiles}};
  }
  return {};
}

Status Stages::reserve(unsigned slot_number, const Plan& plan, bool has_region) {
  Slot& slot = slots_[slot_number];
  const TilePlane& plane = slot.candidate;
  slot.route = cuda::route(plan, front_device(slot));
  CANNY_TRY(slot.front.reserve(plan, slot.route, plane.width, plane.height));
  if (plan.removes_short())
    CANNY_TRY(allocate(plane, carve_lengths, &slot.length_memory, &slot.lengths));
  if (has_region) CANNY_TRY(allocate(plane, carve_region, &slot.region_memory, &slot.region));
  if (plan.measures_stages && shows_edges(plan.view))
    CANNY_TRY(allocate(plane, carve_labels, &slot.label_memory, &slot.labels));
  return {};
}

FrontDevice Stages::front_device(const Slot& slot) const {
  return {capability_ >= kStripCapability, device_.multiprocessors, slot.is_busy, is_generic_only_};
}

// Chooses which kernels of a frame wait for the previous one tile by tile. They wait for all of it
// if other frames can use the time, or if stages are measured.
FrameProgress Stages::progress_of(const Plan& plan, const Slot& slot) const {
  const bool overlaps = capability_ >= kOverlapCapability && !slot.is_busy;
  if (!overlaps || plan.measures_stages || slot.launcher().ends_early()) return {};
  if (plan.passes > 0 || !shows_edges(plan.view)) return {};
  FrameProgress progress = slot.progress;
  const FrontEnd end = slot.route.end;
  if (end != FrontEnd::kStrip && end != FrontEnd::kWeightedStrip) progress.rows = {};
  return progress;
}

// Queues the stages of a frame in a slot, for run_recipe().
class Stages::FrameStages {
 public:
  FrameStages(const Stages& stages, Slot* slot, const StageFrame& frame)
      : stages_(stages),
        slot_(*slot),
        frame_(frame),
        plan_(frame.plan),
        numbers_(&stages.numbers_[slot - stages.slots_]),
        launcher_(&slot->launcher()),
        region_(frame.region != nullptr ? slot->region : RegionPlane{}) {}

  Status show_images() { return cuda::show_images(front_arguments({}), frame_.output, launcher_); }
  // The hysteresis of frames that show edges ignores bits outside the region.
  Status front() {
    if (region_.is_set()) CANNY_TRY(set_region(*frame_.region, region_, launcher_));
    CANNY_TRY(cuda::front(front_arguments(region_), launcher_));
    if (!region_.is_set() || (shows_edges(plan_.view) && !plan_.measures_stages)) return {};
    return drop_outside(region_, slot_.candidate, slot_.strong, launcher_);
  }
  Status count_pixels() {
    return cuda::count_pixels(slot_.candidate, slot_.strong, &numbers_->counts, launcher_);
  }
  Status show_classes() {
    return cuda::show_classes(plan_, slot_.candidate, slot_.strong, frame_.output, launcher_);
  }
  Status show_passes() {
    return cuda::show_passes(plan_, slot_.candidate, slot_.strong, slot_.hysteresis, frame_.output,
                             launcher_);
  }
  Status hysteresis() {
    CANNY_TRY(cuda::hysteresis(plan_.passes, slot_.candidate, slot_.strong, region_,
                               slot_.hysteresis, &edges_, launcher_));
    if (!plan_.removes_short()) return {};
    return remove_short(plan_.min_length, slot_.lengths, &edges_, launcher_);
  }
  Status write() {
    if (frame_.bits != nullptr) CANNY_TRY(output_bits(edges_, frame_.bits, launcher_));
    const Reporter reporter = {&numbers_->edges,
                               plan_.has_measured_thresholds() ? &numbers_->measured : nullptr,
                               &stages_.reports_[&slot_ - stages_.slots_]};
    return shows_input(plan_.view)
               ? paint(plan_, edges_, frame_.input, frame_.output, reporter, launcher_)
               : cuda::output(edges_, frame_.output, stages_.fills_cache(frame_.output), reporter,
                              launcher_);
  }
  Status count_components() {
    return cuda::count_components(edges_, slot_.labels, &numbers_->counts, launcher_);
  }

 private:
  FrontArguments front_arguments(const RegionPlane& region) const {
    return {plan_,
            slot_.route,
            frame_.input,
            &plan_.blur,
            slot_.front,
            slot_.candidate,
            slot_.strong,
            slot_.histogram,
            &numbers_->measured,
            stages_.front_device(slot_),
            &slot_.taps,
            region,
            slot_.hysteresis.progress.rows};
  }

  const Stages& stages_;
  Slot& slot_;
  const StageFrame& frame_;
  const Plan& plan_;
  FrameNumbers* const numbers_;
  Launcher* const launcher_;
  const RegionPlane region_;
  Edges edges_;
};

Status Stages::queue(Slot* slot, const StageFrame& frame) {
  slot->hysteresis.progress = progress_of(frame.plan, *slot);
  FrameStages stages(*this, slot, frame);
  return run_recipe(frame.plan, stages, [&](StageTime time, auto stage) {
    return timed(frame.marks, time, slot->stream(), stage);
  });
}

// Whether the pixels of the output fill more than half of the L2 cache.
bool Stages::fills_cache(const Frame& output) const {
  const PixelLayout& pixel = layout(output.format);
  const std::int64_t bytes =
      std::int64_t{output.width} * output.height * pixel.bytes * pixel.planes;
  return bytes > device_.l2_bytes / 2;
}

Status Stages::run(unsigned slot_number, unsigned others, const StageFrame& frame) {
  Slot* slot = &slots_[slot_number];
  slot->is_busy = others >= kBusyFrames;
  Launcher* launcher = &slot->launcher();
  slot->hysteresis.count = &numbers_[slot_number].edges;
  reports_[slot_number].edges = Report::kPending;
  if (!frame.plan.measures_stages) {
    launcher->record();
    CANNY_TRY(queue(slot, frame));
    return launcher->submit();
  }
  launcher->launch_at_once();
  FrameCounts* counts = &numbers_[slot_number].counts;
  CANNY_CUDA_TRY(cudaMemsetAsync(counts, 0, sizeof *counts, launcher->stream()));
  return queue(slot, frame);
}

Status Stages::front(const Plan& plan, const ConstFrame& input, const RegionSource* source) {
  CANNY_TRY(reserve(0, plan, source != nullptr));
  Slot& slot = slots_[0];
  slot.hysteresis.progress = {};
  const StageFrame frame = {plan, input, source};
  CANNY_TRY(FrameStages(*this, &slot, frame).front());
  if (source == nullptr) return {};
  return drop_outside(slot.region, slot.candidate, slot.strong, &slot.launcher());
}

Status Stages::hysteresis(unsigned passes, Edges* edges) {
  Slot& slot = slots_[0];
  slot.hysteresis.count = &numbers_->edges;
  slot.hysteresis.progress = {};
  return cuda::hysteresis(passes, slot.candidate, slot.strong, RegionPlane{}, slot.hysteresis,
                          edges, &slot.launcher());
}

Status Stages::output(const Edges& edges, const Frame& output) {
  return cuda::output(edges, output, fills_cache(output), {&numbers_->edges, nullptr, reports_},
                      &slots_[0].launcher());
}

}  // namespace canny::cuda

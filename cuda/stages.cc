// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts the workspace into slots and queues the kernels of a frame in one of them.
#include "cuda/stages.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "canny/carver.h"
#include "canny/frame.h"
#include "canny/recipe.h"
#include "canny/test_choices.h"
#include "cuda/check.h"
#include "cuda/output/output.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

using Carver = canny::Carver<256>;

// The planes of a frame's pictures: their size, and how many tiles they have together.
struct Planes {
  TilePlane size;
  std::size_t tiles;

  Planes(int width, int height, unsigned pictures)
      : size{nullptr, width, height}, tiles(size.tiles() * pictures) {
    size.picture_tiles = static_cast<int>(size.tiles());
  }
  std::size_t words() const { return tiles * kTile; }
};

void carve_plane(Carver* carver, const Planes& planes, TilePlane* plane) {
  *plane = planes.size;
  carver->take(planes.words(), &plane->words);
}

void carve_components(Carver* carver, const Planes& planes, OpenComponents* components) {
  carver->take(run_places(planes.tiles), &components->of_run);
  carver->take(planes.tiles, &components->summary);
  carver->take(forest_nodes(planes.tiles), &components->parent);
}

// Returns the bytes that remove_short() needs for these planes.
std::size_t carve_lengths(void* memory, const Planes& planes, LengthBuffers* buffers) {
  Carver carver(memory);
  carve_plane(&carver, planes, &buffers->open);
  carve_components(&carver, planes, &buffers->components);
  carver.take(forest_nodes(planes.tiles), &buffers->lengths);
  return carver.bytes();
}

// Likewise for set_regions().
std::size_t carve_regions(void* memory, const Planes& planes, RegionPlane* region) {
  Carver carver(memory);
  carve_plane(&carver, planes, &region->bits);
  carver.take(planes.tiles, &region->has_any);
  return carver.bytes();
}

// Likewise for labels of count_components().
std::size_t carve_labels(void* memory, const Planes& planes, Edges* labels) {
  Carver carver(memory);
  carve_plane(&carver, planes, &labels->decided);
  carve_plane(&carver, planes, &labels->open);
  carve_components(&carver, planes, &labels->components);
  return carver.bytes();
}

// Likewise for trace_contours().
std::size_t carve_chains(void* memory, const Planes& planes, ContourBuffers* buffers) {
  return carve_contours(memory, planes.size.width, planes.size.height, buffers);
}

// Likewise for find_components().
std::size_t carve_parts(void* memory, const Planes& planes, ComponentBuffers* buffers) {
  Carver carver(memory);
  const std::size_t pictures = planes.tiles / planes.size.tiles();
  carver.take(planes.words(), &buffers->edges);
  carver.take(planes.words(), &buffers->borders);
  carver.take(planes.tiles, &buffers->counts);
  carver.take(planes.tiles * kTileParts, &buffers->parts);
  carver.take(forest_nodes(planes.tiles), &buffers->parent);
  carver.take(forest_nodes(planes.tiles), &buffers->sums);
  carver.take(planes.words(), &buffers->firsts);
  carver.take(pictures * planes.size.rows(), &buffers->counted);
  carver.take(pictures, &buffers->listed);
  return carver.bytes();
}

}  // namespace

Stages::~Stages() {
  const DeviceScope scope(device_);
  synchronize();
  for (Slot& slot : slots_) slot = {};
  release();
  reports_ = {};
}

void Stages::synchronize() {
  for (Slot& slot : slots_) {
    if (slot.stream() != nullptr) cudaStreamSynchronize(slot.stream());
    slot.has_clear_counters = false;
  }
  cudaGetLastError();
}

void Stages::release() {
  workspace_ = {};
  progress_ = {};
  for (Slot& slot : slots_) static_cast<SlotMemory&>(slot) = {};
}

Status Stages::open() {
  const std::string_view chosen = TestChoices().cuda_kernels;
  is_generic_only_ = chosen == "generic";
  const int most = chosen == "portable" || is_generic_only_ ? kLeastCapability
                   : chosen == "8.0"                        ? kStripCapability
                                                            : device_.code_capability;
  capability_ = std::min(device_.code_capability, most);
  return open_slots(1);
}

// Creates the streams of the first slots, unless they are there.
Status Stages::open_slots(unsigned slots) {
  for (unsigned i = 0; i < slots; ++i) {
    if (stream(i) != nullptr) continue;
    CANNY_TRY(create_stream(&slots_[i].owned_stream));
    for (Launcher& launcher : slots_[i].launchers)
      launcher.open(stream(i), capability_ >= kOverlapCapability);
  }
  return {};
}

// Cuts the workspace into slots of about 1 byte a pixel of each picture. Returns the bytes that
// they need.
std::size_t Stages::carve(void* memory, int width, int height, unsigned frames) {
  Carver carver(memory);
  const Planes planes(width, height, pictures_);
  for (unsigned i = 0; i < frames; ++i) {
    Slot& slot = slots_[i];
    carver.take(pictures_, &slot.numbers.edges);
    carver.take(pictures_, &slot.numbers.measured);
    carver.take(pictures_, &slot.numbers.counts);
    carver.take(std::size_t{pictures_} * kPassFlags, &slot.hysteresis.grew);
    carver.take(pictures_, &slot.histogram);
    carve_plane(&carver, planes, &slot.candidate);
    carve_plane(&carver, planes, &slot.strong);
    Carver other = carver;
    other.take(planes.words(), &slot.hysteresis.other);
    carve_components(&carver, planes, &slot.hysteresis.components);
    slot.hysteresis.count = slot.numbers.edges;
  }
  return carver.bytes();
}

unsigned Stages::most_pictures(int width, int height) {
  const std::size_t runs = run_places(Planes(width, height, 1).tiles);
  return static_cast<unsigned>(std::numeric_limits<std::int32_t>::max() / runs);
}

Status Stages::set_size(int width, int height, unsigned frames, unsigned pictures) {
  release();
  pictures_ = pictures;
  CANNY_TRY(open_slots(frames));
  CANNY_TRY(reports_.reserve(std::size_t{1} * frames * pictures));
  CANNY_TRY(workspace_.reserve(carve(nullptr, width, height, frames)));
  carve(workspace_, width, height, frames);
  return allocate_progress(width, height, frames);
}

// Allocates the counters of all slots, apart from the workspace, since frames expect zeros there.
Status Stages::allocate_progress(int width, int height, unsigned frames) {
  const std::size_t tiles = Planes(width, height, pictures_).tiles;
  const std::size_t count = 2 * frames * tiles;
  CANNY_TRY(progress_.reserve(count));
  CANNY_CUDA_TRY(cudaMemsetAsync(progress_, 0, count * sizeof(std::uint32_t), stream(0)));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream(0)));
  for (unsigned i = 0; i < frames; ++i) {
    std::uint32_t* const first = progress_ + 2 * i * tiles;
    slots_[i].progress = {{first}, {first + tiles}};
  }
  return {};
}

// Allocates memory for the buffers that carve_buffers(memory, planes, buffers) takes, unless it is
// there.
template <class Carve, class Buffers>
Status Stages::allocate(Carve carve_buffers, DeviceArray<std::uint8_t>* memory, Buffers* buffers) {
  if (*memory != nullptr) return {};
  const Planes planes(slots_[0].candidate.width, slots_[0].candidate.height, pictures_);
  CANNY_TRY(memory->reserve(carve_buffers(nullptr, planes, buffers)));
  carve_buffers(*memory, planes, buffers);
  return {};
}

Status Stages::reserve(unsigned slot_number, const Plan& plan, const FrameExtras& extras) {
  Slot& slot = slots_[slot_number];
  const TilePlane& plane = slot.candidate;
  slot.route = cuda::route(plan, front_device(slot));
  CANNY_TRY(
      slot.front.reserve(plan, slot.route, plane.width, plane.height, pictures_, slot.stream()));
  if (plan.removes_short()) CANNY_TRY(allocate(carve_lengths, &slot.length_memory, &slot.lengths));
  if (extras.region) CANNY_TRY(allocate(carve_regions, &slot.region_memory, &slot.region));
  if (extras.components) CANNY_TRY(allocate(carve_parts, &slot.component_memory, &slot.components));
  if (plan.measures_stages && shows_edges(plan.view))
    CANNY_TRY(allocate(carve_labels, &slot.label_memory, &slot.labels));
  if (!extras.contours) return {};
  CANNY_TRY(allocate(carve_chains, &slot.contour_memory, &slot.contours));
  if (!slot.has_clear_counters) CANNY_TRY(clear_counters(slot.contours, slot.stream()));
  slot.has_clear_counters = true;
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
      : stages_(stages), slot_(*slot), frame_(frame) {}

  Status show_images() { return cuda::show_images(front_arguments({}), frame_.output, launcher_); }
  // The hysteresis of frames that show edges ignores bits outside the region.
  Status front() {
    if (region_.is_set()) CANNY_TRY(set_regions(frame_.regions, region_, launcher_));
    CANNY_TRY(cuda::front(front_arguments(region_), launcher_));
    if (!region_.is_set() || (shows_edges(plan_.view) && !plan_.measures_stages)) return {};
    return drop_outside(region_, slot_.candidate, slot_.strong, launcher_);
  }
  Status count_pixels() {
    return cuda::count_pixels(slot_.candidate, slot_.strong, numbers_.counts, launcher_);
  }
  Status show_classes() {
    return cuda::show_classes(plan_, slot_.candidate, slot_.strong, frame_.output, launcher_);
  }
  Status show_passes() {
    return cuda::show_passes(plan_, slot_.candidate, slot_.strong, slot_.hysteresis, frame_.output,
                             launcher_);
  }
  Status hysteresis() {
    HysteresisBuffers buffers = slot_.hysteresis;
    if (frame_.components != nullptr) buffers.edges = slot_.components.edges;
    CANNY_TRY(cuda::hysteresis(plan_.passes, slot_.candidate, slot_.strong, region_, buffers,
                               &edges_, launcher_));
    if (!plan_.removes_short()) return {};
    return remove_short(plan_.min_length, slot_.lengths, &edges_, launcher_);
  }
  Status write() {
    if (frame_.components != nullptr)
      CANNY_TRY(
          find_components(slot_.strong, slot_.components, *frame_.components, &edges_, launcher_));
    if (frame_.bits != nullptr) CANNY_TRY(output_bits(edges_, frame_.bits, launcher_));
    const Reporter reporter = {numbers_.edges,
                               plan_.has_measured_thresholds() ? numbers_.measured : nullptr,
                               stages_.reports(&slot_ - stages_.slots_)};
    CANNY_TRY(shows_input(plan_.view)
                  ? paint(plan_, edges_, frame_.input, frame_.output, reporter, launcher_)
                  : cuda::output(edges_, frame_.output, stages_.fills_cache(frame_.output),
                                 frame_.components != nullptr, reporter, launcher_));
    if (frame_.contours.numbers == nullptr) return {};
    return trace_contours({frame_.bits, slot_.candidate.width, slot_.candidate.height},
                          frame_.min_points, slot_.contours, frame_.contours,
                          stages_.device_.multiprocessors, launcher_);
  }
  Status count_components() {
    return cuda::count_components(edges_, slot_.labels, numbers_.counts, launcher_);
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
            numbers_.measured,
            stages_.front_device(slot_),
            region,
            slot_.hysteresis.progress.rows};
  }

  const Stages& stages_;
  Slot& slot_;
  const StageFrame& frame_;
  const Plan& plan_ = frame_.plan;
  const FrameNumbers& numbers_ = slot_.numbers;
  Launcher* const launcher_ = &slot_.launcher();
  const RegionPlane region_ = frame_.regions != nullptr ? slot_.region : RegionPlane{};
  Edges edges_;
};

Status Stages::queue(Slot* slot, const StageFrame& frame) {
  slot->hysteresis.progress = progress_of(frame.plan, *slot);
  FrameStages stages(*this, slot, frame);
  return run_recipe(frame.plan, stages, [&](StageTime time, auto stage) {
    return timed(frame.marks, time, slot->stream(), stage);
  });
}

// Whether the pixels of the output, a batch or not, fill more than half of the L2 cache.
bool Stages::fills_cache(const Frame& output) const {
  const PixelLayout& pixel = layout(output.format);
  const std::int64_t bytes =
      std::int64_t{output.width} * output.height * pixel.bytes * pixel.planes * output.batch.count;
  return bytes > device_.l2_bytes / 2;
}

Status Stages::run(unsigned slot_number, unsigned others, const StageFrame& frame) {
  Slot* slot = &slots_[slot_number];
  slot->is_busy = others >= kBusyFrames;
  Launcher* launcher = &slot->launcher();
  const unsigned pictures = frame.input.batch.count;
  launcher->set_pictures(pictures);
  for (unsigned i = 0; i < pictures; ++i) reports(slot_number)[i].edges = Report::kPending;
  if (!frame.plan.measures_stages) {
    launcher->record();
    CANNY_TRY(queue(slot, frame));
    return launcher->submit();
  }
  launcher->launch_at_once();
  FrameCounts* counts = slot->numbers.counts;
  CANNY_CUDA_TRY(cudaMemsetAsync(counts, 0, pictures * sizeof *counts, launcher->stream()));
  return queue(slot, frame);
}

Status Stages::front(const Plan& plan, const ConstFrame& input, const RegionSource* source) {
  CANNY_TRY(reserve(0, plan, {source != nullptr, false, false}));
  Slot& slot = slots_[0];
  slot.hysteresis.progress = {};
  const StageFrame frame = {plan, input, source};
  CANNY_TRY(FrameStages(*this, &slot, frame).front());
  if (source == nullptr) return {};
  return drop_outside(slot.region, slot.candidate, slot.strong, &slot.launcher());
}

Status Stages::hysteresis(unsigned passes, Edges* edges) {
  Slot& slot = slots_[0];
  slot.hysteresis.progress = {};
  return cuda::hysteresis(passes, slot.candidate, slot.strong, RegionPlane{}, slot.hysteresis,
                          edges, &slot.launcher());
}

Status Stages::output(const Edges& edges, const Frame& output) {
  return cuda::output(edges, output, fills_cache(output), false,
                      {slots_[0].numbers.edges, nullptr, reports(0)}, &slots_[0].launcher());
}

}  // namespace canny::cuda

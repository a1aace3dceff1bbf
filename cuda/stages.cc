// SPDX-License-Identifier: LGPL-2.1-or-later
// Cuts the workspace into slots and queues the kernels of a frame in one of them.
#include "cuda/stages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/front/strip/maxima_lists.h"
#include "cuda/geometry.h"
#include "cuda/output/output.h"
#include "cuda/output/paint.h"
#include "cuda/output/show.h"

namespace canny::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

// Cuts memory into consecutive arrays. Without memory it only adds up their sizes.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::uint8_t*>(memory)) {}

  template <class T>
  void take(std::size_t count, T** array) {
    if (memory_ != nullptr) *array = reinterpret_cast<T*>(memory_ + size_);
    size_ += round_up(count * sizeof(T), kAlignment);
  }
  std::size_t bytes() const { return size_; }

 private:
  std::uint8_t* memory_;
  std::size_t size_ = 0;
};

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

// Returns the bytes that remove_short() needs.
std::size_t carve_lengths(void* memory, LengthBuffers* buffers) {
  Carver carver(memory);
  carver.take(buffers->open.size_words(), &buffers->open.words);
  carve_components(&carver, buffers->open, &buffers->components);
  carver.take(forest_nodes(buffers->open), &buffers->lengths);
  return carver.bytes();
}

// Returns the bytes that set_region() needs.
std::size_t carve_region(void* memory, RegionPlane* region) {
  Carver carver(memory);
  carver.take(region->bits.size_words(), &region->bits.words);
  carver.take(region->bits.tiles(), &region->has_any);
  return carver.bytes();
}

// Returns the bytes that count_components() needs.
std::size_t carve_labels(void* memory, Edges* labels) {
  Carver carver(memory);
  carver.take(labels->decided.size_words(), &labels->decided.words);
  carver.take(labels->open.size_words(), &labels->open.words);
  carve_components(&carver, labels->open, &labels->components);
  return carver.bytes();
}

// The compute capability whose kernels to use: that of the code, or a lower one for tests.
int kernel_capability(const Device& device) {
  const char* kernels = std::getenv("CANNY_CUDA_KERNELS");
  const std::string name = kernels != nullptr ? kernels : "";
  const int most = name == "portable" ? kLeastCapability
                   : name == "8.0"    ? kStripCapability
                                      : device.code_capability;
  return std::min(device.code_capability, most);
}

// Allocates memory that stays, unless it is there.
template <class T>
Status allocate(std::size_t count, T** memory) {
  if (*memory == nullptr)
    CANNY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(memory), count * sizeof(T)));
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
  cudaFree(workspace_);
  cudaFree(progress_);
  workspace_ = nullptr;
  progress_ = nullptr;
  for (Slot& slot : slots_) {
    cudaFree(slot.row_sums);
    cudaFree(slot.image);
    cudaFree(slot.colors);
    cudaFree(slot.maxima);
    cudaFree(slot.deep_row_sums);
    cudaFree(slot.deep_image);
    cudaFree(slot.deep_colors);
    cudaFree(slot.length_memory);
    cudaFree(slot.region_memory);
    cudaFree(slot.label_memory);
    slot.row_sums = nullptr;
    slot.image = slot.colors = nullptr;
    slot.maxima = nullptr;
    slot.deep_row_sums = nullptr;
    slot.deep_image = slot.deep_colors = nullptr;
    slot.length_memory = slot.region_memory = slot.label_memory = nullptr;
  }
  cudaGetLastError();
  workspace_bytes_ = progress_size_ = 0;
}

Status Stages::open() {
  capability_ = kernel_capability(device_);
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
  CANNY_CUDA_TRY(cudaMalloc(&workspace_, carve(nullptr, width, height, frames)));
  workspace_bytes_ = carve(workspace_, width, height, frames);
  pitch_ = static_cast<int>(round_up(width, 16));
  return allocate_progress(width, height, frames);
}

// Allocates the counters of all slots, apart from the workspace, since frames expect zeros there.
Status Stages::allocate_progress(int width, int height, unsigned frames) {
  const std::size_t tiles = TilePlane{nullptr, width, height}.tiles();
  progress_size_ = 2 * frames * tiles;
  const std::size_t bytes = progress_size_ * sizeof *progress_;
  CANNY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&progress_), bytes));
  CANNY_CUDA_TRY(cudaMemsetAsync(progress_, 0, bytes, stream(0)));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream(0)));
  for (unsigned i = 0; i < frames; ++i) {
    std::uint32_t* const first = progress_ + 2 * i * tiles;
    slots_[i].progress = {{first}, {first + tiles}};
  }
  return {};
}

Status Stages::reserve(unsigned slot_number, const Plan& plan, bool has_region) {
  Slot& slot = slots_[slot_number];
  slot.route = cuda::route(plan, front_device());
  const std::size_t image = static_cast<std::size_t>(pitch_) * slot.candidate.height;
  if (plan.is_deep) {
    if (slot.route.has_images()) CANNY_TRY(allocate(image, &slot.deep_image));
    if (plan.channels > 1) CANNY_TRY(allocate(2 * image, &slot.deep_colors));
    if (slot.route.has_row_sums) CANNY_TRY(allocate(image, &slot.deep_row_sums));
  } else {
    if (slot.route.has_images()) CANNY_TRY(allocate(image, &slot.image));
    if (plan.channels > 1) CANNY_TRY(allocate(2 * image, &slot.colors));
    if (slot.route.has_row_sums) CANNY_TRY(allocate(image, &slot.row_sums));
  }
  if (slot.route.end == FrontEnd::kMaxima)
    CANNY_TRY(allocate(maxima_words(slot.candidate.width, slot.candidate.height), &slot.maxima));
  if (plan.removes_short() && slot.length_memory == nullptr) {
    slot.lengths.open = slot.candidate;
    CANNY_CUDA_TRY(cudaMalloc(&slot.length_memory, carve_lengths(nullptr, &slot.lengths)));
    carve_lengths(slot.length_memory, &slot.lengths);
  }
  if (has_region && slot.region_memory == nullptr) {
    slot.region = {{nullptr, slot.candidate.width, slot.candidate.height}, nullptr};
    CANNY_CUDA_TRY(cudaMalloc(&slot.region_memory, carve_region(nullptr, &slot.region)));
    carve_region(slot.region_memory, &slot.region);
  }
  if (plan.measures_stages && shows_edges(plan.view) && slot.label_memory == nullptr) {
    slot.labels.decided = slot.labels.open = slot.candidate;
    CANNY_CUDA_TRY(cudaMalloc(&slot.label_memory, carve_labels(nullptr, &slot.labels)));
    carve_labels(slot.label_memory, &slot.labels);
  }
  return {};
}

// Calls f(arguments of the front ends).
template <class F>
Status Stages::with_front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
                          Measured* measured, Slot* slot, F f) {
  FrontDevice device = front_device();
  device.is_busy = slot->is_busy;
  FrontBuffers buffers;
  buffers.pitch = pitch_;
  const std::size_t image = static_cast<std::size_t>(pitch_) * input.height;
  buffers.row_sums = slot->row_sums;
  buffers.image = slot->image;
  buffers.maxima = slot->maxima;
  buffers.deep_row_sums = slot->deep_row_sums;
  buffers.deep_images[0] = slot->deep_image;
  if (plan.channels > 1 && plan.is_deep) {
    buffers.deep_images[1] = slot->deep_colors;
    buffers.deep_images[2] = slot->deep_colors + image;
  } else if (plan.channels > 1) {
    buffers.colors[0] = slot->colors;
    buffers.colors[1] = slot->colors + image;
  }
  const FrontArguments arguments = {plan,
                                    slot->route,
                                    input,
                                    &plan.blur,
                                    buffers,
                                    slot->candidate,
                                    slot->strong,
                                    slot->histogram,
                                    measured,
                                    device,
                                    &tap_cache_,
                                    region,
                                    slot->hysteresis.progress.rows};
  return f(arguments);
}

Status Stages::front(const Plan& plan, const ConstFrame& input, const RegionPlane& region,
                     Measured* measured, Slot* slot) {
  return with_front(plan, input, region, measured, slot, [&](const FrontArguments& arguments) {
    return cuda::front(arguments, &slot->launcher());
  });
}

Status Stages::show_images(const Plan& plan, const ConstFrame& input, const Frame& output,
                           Measured* measured, Slot* slot) {
  return with_front(plan, input, {}, measured, slot, [&](const FrontArguments& arguments) {
    return cuda::show_images(arguments, output, &slot->launcher());
  });
}

Status Stages::find_edges(const Plan& plan, const RegionPlane& region, Slot* slot, Edges* edges) {
  CANNY_TRY(cuda::hysteresis(plan.passes, slot->candidate, slot->strong, region, slot->hysteresis,
                             edges, &slot->launcher()));
  if (!plan.removes_short()) return {};
  return remove_short(plan.min_length, slot->lengths, edges, &slot->launcher());
}

// Chooses which kernels of a frame that is recorded wait for the previous one tile by tile. They
// wait for all of it if other frames can use the time.
FrameProgress Stages::progress_of(const Plan& plan, const Slot& slot) const {
  const bool overlaps = capability_ >= kOverlapCapability && !slot.is_busy;
  if (!overlaps || slot.launcher().ends_early()) return {};
  if (plan.passes > 0 || !shows_edges(plan.view)) return {};
  FrameProgress progress = slot.progress;
  const FrontEnd end = slot.route.end;
  if (end != FrontEnd::kStrip && end != FrontEnd::kWeightedStrip) progress.rows = {};
  return progress;
}

// Queues the stages that the plan's view needs. With `events`, measures and counts.
Status Stages::queue(const Plan& plan, const ConstFrame& input, const RegionSource* source,
                     const Frame& output, std::uint32_t* bits, StageEvents* events,
                     unsigned slot_number) {
  Slot* slot = &slots_[slot_number];
  Launcher* launcher = &slot->launcher();
  FrameNumbers* numbers = numbers_ + slot_number;
  slot->hysteresis.progress = events == nullptr ? progress_of(plan, *slot) : FrameProgress{};
  const auto stage = [&](TimedStage timed, auto queue_stage) {
    return between_events(events, timed, launcher->stream(), queue_stage);
  };
  if (!needs_thresholds(plan.view))
    return stage(TimedStage::kFront,
                 [&] { return show_images(plan, input, output, &numbers->measured, slot); });
  const RegionPlane region = source != nullptr ? slot->region : RegionPlane{};
  const auto queue_front = [&]() -> Status {
    if (region.is_set()) CANNY_TRY(set_region(*source, region, launcher));
    CANNY_TRY(front(plan, input, region, &numbers->measured, slot));
    // The hysteresis of frames that show edges ignores bits outside the region.
    if (!region.is_set() || (shows_edges(plan.view) && events == nullptr)) return {};
    return drop_outside(region, slot->candidate, slot->strong, launcher);
  };
  CANNY_TRY(stage(TimedStage::kFront, queue_front));
  if (events != nullptr)
    CANNY_TRY(count_pixels(slot->candidate, slot->strong, &numbers->counts, launcher));
  if (plan.view == View::kClasses)
    return stage(TimedStage::kOutput, [&] {
      return show_classes(plan, slot->candidate, slot->strong, output, launcher);
    });
  if (plan.view == View::kPasses)
    return stage(TimedStage::kHysteresis, [&] {
      return show_passes(plan, slot->candidate, slot->strong, slot->hysteresis, output, launcher);
    });
  Edges edges;
  CANNY_TRY(stage(TimedStage::kHysteresis, [&] { return find_edges(plan, region, slot, &edges); }));
  if (events != nullptr)
    CANNY_TRY(count_components(edges, slot->labels, &numbers->counts, launcher));
  return stage(TimedStage::kOutput, [&]() -> Status {
    if (bits != nullptr) CANNY_TRY(output_bits(edges, bits, launcher));
    return shows_input(plan.view)
               ? paint(plan, edges, input, output, reporter(plan, slot_number), launcher)
               : cuda::output(edges, output, fills_cache(output), reporter(plan, slot_number),
                              launcher);
  });
}

// Whether the pixels of the output fill more than half of the L2 cache.
bool Stages::fills_cache(const Frame& output) const {
  const PixelLayout& pixel = layout(output.format);
  const std::int64_t bytes =
      std::int64_t{output.width} * output.height * pixel.bytes * pixel.planes;
  return bytes > device_.l2_bytes / 2;
}

Reporter Stages::reporter(const Plan& plan, unsigned slot) const {
  const bool is_measured = plan.threshold_source == ThresholdSource::kMeasured;
  return {&numbers_[slot].edges, is_measured ? &numbers_[slot].measured : nullptr, &reports_[slot]};
}

Status Stages::run(unsigned slot_number, unsigned others, const Plan& plan, const ConstFrame& input,
                   const RegionSource* region, const Frame& output, std::uint32_t* bits,
                   StageEvents* events) {
  Slot* slot = &slots_[slot_number];
  slot->is_busy = others >= kBusyFrames;
  Launcher* launcher = &slot->launcher();
  slot->hysteresis.count = &numbers_[slot_number].edges;
  reports_[slot_number].edges = Report::kPending;
  if (!plan.measures_stages) {
    launcher->record();
    CANNY_TRY(queue(plan, input, region, output, bits, nullptr, slot_number));
    return launcher->submit();
  }
  launcher->launch_at_once();
  FrameCounts* counts = &numbers_[slot_number].counts;
  CANNY_CUDA_TRY(cudaMemsetAsync(counts, 0, sizeof *counts, launcher->stream()));
  return queue(plan, input, region, output, bits, events, slot_number);
}

Status Stages::front(const Plan& plan, const ConstFrame& input, const RegionSource* source) {
  CANNY_TRY(reserve(0, plan, source != nullptr));
  Slot& slot = slots_[0];
  Measured* measured = &numbers_->measured;
  slot.hysteresis.progress = {};
  if (source == nullptr) return front(plan, input, RegionPlane{}, measured, &slot);
  CANNY_TRY(set_region(*source, slot.region, &slot.launcher()));
  CANNY_TRY(front(plan, input, slot.region, measured, &slot));
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
  return cuda::output(edges, output, fills_cache(output), reporter({}, 0), &slots_[0].launcher());
}

}  // namespace canny::cuda

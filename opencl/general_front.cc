// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues kernels of tiles.
#include "opencl/general_front.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kSource[] =
#include "pixels.inc"

#include "gradient.inc"

#include "general.inc"
    ;

// Local memory limits both.
constexpr int kTileWidth = 64, kTileHeights[] = {32, 24}, kMaxBlurRadius = 16;

// As in general.cl.
struct Blur {
  cl_int radius;
  cl_uint weight[2 * kMaxBlurRadius + 1];
};
struct Derivation {
  cl_double high_ratio, low_ratio;
  cl_ulong pixels;
  cl_int mode, bin_shift, is_squared, has_region;
};

int kind_of(const OperatorWeights& weights) {
  return weights.form == OperatorForm::kSeparable ? weights.reach - 1 : 3;
}

}  // namespace

// As in general.cl.
struct GeneralFront::Tile {
  cl_int width, height, channels, is_thin;
  Weights weights;
  cl_long low, high;
  cl_int has_region, is_measured;
  cl_int mode, is_squared, bin_shift;
  cl_int view, gain;
  cl_int unused;
};

bool GeneralFront::takes(const Plan& plan) { return plan.blur.radius() <= kMaxBlurRadius; }

Status GeneralFront::prepare(const Queue& queue, bool is_deep) {
  return open_once(&kernels_[is_deep].are_open, [&] { return open(queue, is_deep); });
}

Status GeneralFront::open(const Queue& queue, bool is_deep) {
  Kernels& kernels = kernels_[is_deep];
  const Device& device = queue.device();
  kernels.tile_height = kTileHeights[is_deep];
  kernels.items = device.group_items(256);
  CANNY_TRY(kernels.program.build(
      queue, kSource,
      options_of_any_plan(is_deep) + define("kTileWidth", kTileWidth) +
          define("kTileHeight", kernels.tile_height) + define("kTileItems", kernels.items) +
          define("kMaxBlurRadius", kMaxBlurRadius) + define("HAS_DOUBLES", device.has_doubles) +
          define("kOtsu", static_cast<int>(ThresholdMode::kOtsu)) +
          define("kMedian", static_cast<int>(ThresholdMode::kMedian)) +
          define("kNoOtsuThreshold", static_cast<int>(kNoOtsuThreshold)) +
          define("kUnit", is_deep ? kDeepUnit : 1)));
  const auto open = [&](const std::string& name, Kernel* kernel) {
    return kernel->open(queue, kernels.program, name, kernels.items);
  };
  CANNY_TRY(open("blur_tile", &kernels.blur));
  CANNY_TRY(open("count_luma_of_tile", &kernels.count_luma));
  CANNY_TRY(open("show_tile_samples", &kernels.show_samples));
  if (device.has_doubles) CANNY_TRY(open("derive", &kernels.derive));
  const char* const kinds[] = {"1", "2", "3", "other"};
  static_assert(std::size(kinds) == kOperatorKinds);
  for (int i = 0; i < kOperatorKinds; ++i) {
    CANNY_TRY(open(std::string("edges_of_tile_") + kinds[i], &kernels.edges[i]));
    CANNY_TRY(open(std::string("show_or_count_tile_") + kinds[i], &kernels.show_or_count[i]));
  }
  return {};
}

// One group for each tile.
template <class... Arguments>
Status GeneralFront::run_tiles(const Plan& plan, const Kernel& kernel, const FrontMemory& memory,
                               const Arguments&... arguments) const {
  const auto [height, items] = std::pair(kernels(plan).tile_height, kernels(plan).items);
  return kernel.run(*memory.queue, (memory.width + kTileWidth - 1) / kTileWidth * items,
                    (memory.height + height - 1) / height, 1, arguments...);
}

Status GeneralFront::find_blurred(const Plan& plan, const Image& image, FrontMemory* memory) {
  CANNY_TRY(memory->reserve_samples(plan));
  Blur blur = {plan.blur.radius(), {}};
  std::copy_n(plan.blur.weight, plan.blur.count, blur.weight);
  return run_tiles(plan, kernels(plan).blur, *memory, *image.buffer,
                   source_of(plan.input, plan.channels, image, memory->width, memory->height), blur,
                   memory->samples);
}

GeneralFront::Tile GeneralFront::tile_of(const Plan& plan, const Buffer* region,
                                         const FrontMemory& memory) const {
  Tile tile = {};
  tile.width = memory.width;
  tile.height = memory.height;
  tile.channels = plan.channels;
  tile.is_thin = plan.is_thin;
  tile.weights = weights_of(plan);
  const auto [low, high] = limits_of(plan, memory.measured);
  tile.low = low;
  tile.high = high;
  tile.has_region = region != nullptr;
  tile.is_measured = memory.is_derived;
  tile.mode = static_cast<cl_int>(plan.auto_threshold.mode);
  tile.is_squared = plan.is_squared();
  tile.bin_shift = plan.auto_threshold.bin_shift;
  tile.view = -1;
  tile.gain = static_cast<cl_int>(operator_gain(plan.weights));
  return tile;
}

Status GeneralFront::derive(const Plan& plan, bool has_region, FrontMemory* memory) {
  if (!memory->queue->device().has_doubles) return memory->measure(plan, has_region);
  const AutoThreshold& automatic = plan.auto_threshold;
  const Derivation derivation = {automatic.high_ratio,
                                 automatic.low_ratio,
                                 memory->pixels(),
                                 static_cast<cl_int>(automatic.mode),
                                 automatic.bin_shift,
                                 plan.is_squared(),
                                 has_region};
  memory->is_derived = true;
  return kernels(plan).derive.run(*memory->queue, kernels(plan).items, 1, 1, memory->histogram,
                                  derivation, memory->derived);
}

// After the blur, and of luma before it.
Status GeneralFront::find_thresholds(const Plan& plan, const Buffer* region, FrontMemory* memory) {
  if (plan.auto_threshold.mode != ThresholdMode::kMedian) {
    CANNY_TRY(memory->clear_histogram());
    CANNY_TRY(run_tiles(plan, kernels(plan).show_or_count[kind_of(plan.weights)], *memory,
                        memory->samples, tile_of(plan, region, *memory),
                        region_argument(region, memory->samples).words, memory->histogram,
                        memory->samples));
  }
  return derive(plan, region != nullptr, memory);
}

Status GeneralFront::run(const Plan& plan, const Image& image, const Buffer* region,
                         FrontMemory* memory) {
  const RegionArgument of_region = region_argument(region, memory->candidate);
  if (plan.auto_threshold.mode == ThresholdMode::kMedian) {
    CANNY_TRY(memory->clear_histogram());
    CANNY_TRY(run_tiles(plan, kernels(plan).count_luma, *memory, *image.buffer,
                        source_of(plan.input, 1, image, memory->width, memory->height),
                        of_region.words, of_region.is_there, memory->histogram));
  }
  CANNY_TRY(find_blurred(plan, image, memory));
  if (!needs_thresholds(plan.view)) return {};
  if (plan.auto_threshold.mode != ThresholdMode::kAbsolute)
    CANNY_TRY(find_thresholds(plan, region, memory));
  return run_tiles(plan, kernels(plan).edges[kind_of(plan.weights)], *memory, memory->samples,
                   tile_of(plan, region, *memory), of_region.words, memory->derived,
                   memory->candidate, memory->strong);
}

Status GeneralFront::show(const Plan& plan, const FrontMemory& memory, const Buffer& values) {
  Tile tile = tile_of(plan, nullptr, memory);
  if (shows_luma(plan.view))
    return run_tiles(plan, kernels(plan).show_samples, memory, memory.samples, tile, values);
  tile.view = static_cast<cl_int>(plan.view);
  return run_tiles(plan, kernels(plan).show_or_count[kind_of(plan.weights)], memory, memory.samples,
                   tile, memory.samples, memory.histogram, values);
}

}  // namespace canny::opencl

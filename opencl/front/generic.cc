// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of any plan.
#include "opencl/front/generic.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kGenericSource[] =
#include "pixels.inc"

#include "blur.inc"

#include "gradient.inc"

#include "generic.inc"
    ;

// Local memory limits both.
constexpr int kGenericTileWidth = 64, kGenericTileHeights[] = {32, 24};

// As in generic.cl.
struct Blur {
  cl_int radius;
  cl_uint weight[kMaxTaps];
};
struct Derivation {
  cl_double high_ratio, low_ratio;
  cl_ulong pixels;
  cl_int mode, bin_shift, is_squared, has_region;
};

Blur blur_of(const Taps& taps) {
  Blur blur = {taps.radius(), {}};
  std::copy_n(taps.weight, taps.count, blur.weight);
  return blur;
}

// The index among kernels of tiles: by the reach of separable operators, and one for the others.
int index_of(const OperatorWeights& weights) {
  return weights.form == OperatorForm::kSeparable ? weights.reach - 1 : 3;
}

}  // namespace

// As in generic.cl.
struct GenericFront::Tile {
  cl_int width, height, channels, is_thin;
  Weights weights;
  cl_long low, high;
  cl_int has_region, has_measured_thresholds;
  cl_int mode, is_squared, bin_shift;
  cl_int view, gain;
  cl_int unused;
};

Status GenericFront::prepare(const Queue& queue, bool is_deep) {
  return open_once(&kernels_[is_deep].are_open, [&] { return open(queue, is_deep); });
}

Status GenericFront::open(const Queue& queue, bool is_deep) {
  Kernels& kernels = kernels_[is_deep];
  const Device& device = queue.device();
  kernels.tile_height = kGenericTileHeights[is_deep];
  kernels.items = device.group_items(256);
  CANNY_TRY(kernels.program.build(
      queue, kGenericSource,
      options_of_front(is_deep) + define("kTileWidth", kGenericTileWidth) +
          define("kTileHeight", kernels.tile_height) + define("kTileItems", kernels.items) +
          define("kMaxBlurTileRadius", kMaxBlurTileRadius) + define("kMaxTaps", kMaxTaps) +
          define("HAS_DOUBLES", device.has_doubles) + define("kBins", kBins) +
          define("kRelative", static_cast<int>(ThresholdMode::kRelative)) +
          define("kQuantile", static_cast<int>(ThresholdMode::kQuantile)) +
          define("kOtsu", static_cast<int>(ThresholdMode::kOtsu)) +
          define("kMedian", static_cast<int>(ThresholdMode::kMedian)) +
          define("kSuppressed", static_cast<int>(View::kSuppressed)) +
          define("kDirection", static_cast<int>(View::kDirection)) +
          define("kDiagonal", static_cast<int>(OperatorForm::kDiagonal)) +
          define("kCompass", static_cast<int>(OperatorForm::kCompass)) +
          define("kNoOtsuThreshold", static_cast<int>(kNoOtsuThreshold)) +
          define("kUnit", is_deep ? kDeepUnit : 1)));
  const auto open = [&](const std::string& name, Kernel* kernel) {
    return kernel->open(queue, kernels.program, name, kernels.items);
  };
  CANNY_TRY(open("blur_tile", &kernels.blur_tile));
  CANNY_TRY(open("blur_rows", &kernels.blur_rows));
  CANNY_TRY(open("blur_columns", &kernels.blur_columns));
  CANNY_TRY(open("count_luma_of_tile", &kernels.count_luma));
  CANNY_TRY(open("show_tile_samples", &kernels.show_samples));
  if (device.has_doubles) CANNY_TRY(open("derive", &kernels.derive));
  const char* const operators[] = {"1", "2", "3", "other"};
  static_assert(std::size(operators) == kOperatorKernels);
  for (int i = 0; i < kOperatorKernels; ++i) {
    CANNY_TRY(open(std::string("edges_of_tile_") + operators[i], &kernels.edges[i]));
    CANNY_TRY(open(std::string("show_or_count_tile_") + operators[i], &kernels.show_or_count[i]));
  }
  return {};
}

// One group for each tile.
template <class... Arguments>
Status GenericFront::run_tiles(const Plan& plan, const Kernel& kernel, const FrontMemory& memory,
                               const Arguments&... arguments) const {
  const auto [height, items] = std::pair(kernels(plan).tile_height, kernels(plan).items);
  return kernel.run(*memory.queue,
                    (memory.width + kGenericTileWidth - 1) / kGenericTileWidth * items,
                    (memory.height + height - 1) / height, 1, arguments...);
}

Status GenericFront::blur(const Plan& plan, const FrontRoute& route, const Image& image,
                          FrontMemory* memory) {
  const Queue& queue = *memory->queue;
  const Kernels& kernels = this->kernels(plan);
  const int width = memory->width, height = memory->height;
  const std::size_t samples = plan.channels * memory->pixels();
  const bool is_multipass = route.source == FrontSource::kBlurMultipass;
  const Blur taps = blur_of(plan.blur), none = blur_of(Taps());
  CANNY_TRY(memory->samples.reserve(queue, samples * sizeof(cl_ushort)));
  CANNY_TRY(run_tiles(plan, kernels.blur_tile, *memory, *image.buffer,
                      source_of(plan.input, plan.channels, image, width, height),
                      is_multipass ? none : taps, memory->samples));
  if (!is_multipass) return {};
  CANNY_TRY(memory->sums.reserve(queue, samples * sizeof(cl_uint)));
  CANNY_TRY(kernels.blur_rows.run(queue, width, height, plan.channels, memory->samples, width,
                                  height, taps, memory->sums));
  return kernels.blur_columns.run(queue, width, height, plan.channels, memory->sums, width, height,
                                  taps, memory->samples);
}

GenericFront::Tile GenericFront::tile_of(const Plan& plan, const RegionArgument& region,
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
  tile.has_region = region.is_there;
  tile.has_measured_thresholds = memory.is_derived;
  tile.mode = static_cast<cl_int>(plan.auto_threshold.mode);
  tile.is_squared = plan.is_squared();
  tile.bin_shift = plan.auto_threshold.bin_shift;
  tile.view = -1;
  tile.gain = static_cast<cl_int>(operator_gain(plan.weights));
  return tile;
}

Status GenericFront::derive(const Plan& plan, const FrontRoute& route, bool has_region,
                            FrontMemory* memory) {
  if (route.derives_on_host) return memory->measure(plan, has_region);
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

Status GenericFront::count_luma(const Plan& plan, const Image& image, const RegionArgument& region,
                                FrontMemory* memory) {
  return run_tiles(plan, kernels(plan).count_luma, *memory, *image.buffer,
                   source_of(plan.input, 1, image, memory->width, memory->height), region.words,
                   region.is_there, memory->histogram);
}

Status GenericFront::count_responses(const Plan& plan, const RegionArgument& region,
                                     FrontMemory* memory) {
  return run_tiles(plan, kernels(plan).show_or_count[index_of(plan.weights)], *memory,
                   memory->samples, tile_of(plan, region, *memory), region.words, memory->histogram,
                   memory->samples);
}

Status GenericFront::run(const Plan& plan, const FrontRoute& route, const Image& image,
                         const RegionArgument& region, FrontMemory* memory) {
  if (route.counter != FrontCounter::kNone) CANNY_TRY(memory->clear_histogram());
  if (route.counter == FrontCounter::kLuma) CANNY_TRY(count_luma(plan, image, region, memory));
  CANNY_TRY(blur(plan, route, image, memory));
  if (route.end == FrontEnd::kView) return {};
  if (route.counter == FrontCounter::kResponses) CANNY_TRY(count_responses(plan, region, memory));
  if (route.counter != FrontCounter::kNone)
    CANNY_TRY(derive(plan, route, region.is_there != 0, memory));
  return run_tiles(plan, kernels(plan).edges[index_of(plan.weights)], *memory, memory->samples,
                   tile_of(plan, region, *memory), region.words, memory->derived, memory->candidate,
                   memory->strong);
}

Status GenericFront::show(const Plan& plan, const FrontMemory& memory, const Buffer& values) {
  Tile tile = tile_of(plan, region_argument(nullptr, memory.samples), memory);
  if (shows_luma(plan.view))
    return run_tiles(plan, kernels(plan).show_samples, memory, memory.samples, tile, values);
  tile.view = static_cast<cl_int>(plan.view);
  return run_tiles(plan, kernels(plan).show_or_count[index_of(plan.weights)], memory,
                   memory.samples, tile, memory.samples, memory.histogram, values);
}

}  // namespace canny::opencl

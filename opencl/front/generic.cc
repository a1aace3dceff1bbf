// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of any plan.

#include <algorithm>
#include <iterator>

#include "canny/view.h"
#include "opencl/front/front.h"

namespace canny::opencl {
namespace {

constexpr char kGenericSource[] =
#include "planes.inc"

#include "pixels.inc"

#include "blur.inc"

#include "gradient.inc"

#include "generic.inc"
    ;

// Local memory limits both.
constexpr int kGenericTileWidth = 64, kGenericTileHeights[] = {32, 24};

// As in blur.cl and generic.cl.
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

// As Tile of generic.cl.
struct Front::GenericTile {
  cl_int width, height, channels, is_thin;
  OperatorWeights weights;
  cl_int is_l2;
  cl_long low, high;
  cl_int mode, is_squared, bin_shift;
  cl_int view, gain;
  cl_int unused;
};

Status Front::open_generic(bool is_deep) {
  Generic& kernels = generic_[is_deep];
  const Device& device = queue_->device();
  CANNY_TRY(kernels.program.build(
      *queue_, kGenericSource,
      options_of_front(is_deep) + define("kTileWidth", kGenericTileWidth) +
          define("kTileHeight", kGenericTileHeights[is_deep]) + define("kTileItems", tile_items_) +
          define("kMaxBlurTileRadius", kMaxBlurTileRadius) + define("kMaxTaps", kMaxTaps) +
          define("HAS_DOUBLES", device.has_doubles) + define("kBins", kBins) +
          define("kRelative", ThresholdMode::kRelative) +
          define("kQuantile", ThresholdMode::kQuantile) + define("kOtsu", ThresholdMode::kOtsu) +
          define("kMedian", ThresholdMode::kMedian) + define("kSuppressed", View::kSuppressed) +
          define("kDirection", View::kDirection) + define("kDiagonal", OperatorForm::kDiagonal) +
          define("kCompass", OperatorForm::kCompass) +
          define("kNoOtsuThreshold", kNoOtsuThreshold) + define("kUnit", is_deep ? kDeepUnit : 1)));
  const auto open = [&](const std::string& name, Kernel* kernel) {
    return kernel->open(kernels.program, name, tile_items_);
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
  kernels.are_open = true;
  return {};
}

// One group for each tile.
template <class... Arguments>
Status Front::run_generic_tiles(const Plan& plan, const Kernel& kernel,
                                const Arguments&... arguments) const {
  return kernel.run({blocks(width_, kGenericTileWidth) * tile_items_,
                     blocks(height_, kGenericTileHeights[plan.is_deep])},
                    arguments...);
}

// Queues the stages up to the blur, into samples_.
Status Front::blur(const Plan& plan, const Image& image) {
  const Generic& kernels = generic(plan);
  const std::size_t samples = plan.channels * pixels();
  const bool is_multipass = route_.source == FrontSource::kBlurMultipass;
  const Blur taps = blur_of(plan.blur), none = blur_of(Taps());
  CANNY_TRY(samples_.reserve(*queue_, samples * sizeof(cl_ushort)));
  CANNY_TRY(run_generic_tiles(plan, kernels.blur_tile, *image.buffer,
                              source_of(plan.input, plan.channels, image),
                              is_multipass ? none : taps, samples_));
  if (!is_multipass) return {};
  CANNY_TRY(sums_.reserve(*queue_, samples * sizeof(cl_uint)));
  CANNY_TRY(kernels.blur_rows.run({width_, height_, plan.channels}, samples_, width_, height_, taps,
                                  sums_));
  return kernels.blur_columns.run({width_, height_, plan.channels}, sums_, width_, height_, taps,
                                  samples_);
}

Front::GenericTile Front::tile_of(const Plan& plan) const {
  GenericTile tile = {};
  tile.width = width_;
  tile.height = height_;
  tile.channels = plan.channels;
  tile.is_thin = plan.is_thin;
  tile.weights = plan.weights;
  tile.is_l2 = plan.norm == Norm::kL2;
  const auto [low, high] = limits_of(plan);
  tile.low = low;
  tile.high = high;
  tile.mode = static_cast<cl_int>(plan.auto_threshold.mode);
  tile.is_squared = plan.is_squared();
  tile.bin_shift = plan.auto_threshold.bin_shift;
  tile.view = -1;
  tile.gain = operator_gain(plan.weights);
  return tile;
}

Status Front::derive(const Plan& plan, bool has_region) {
  if (route_.derives_on_host) return measure(plan, has_region);
  const AutoThreshold& automatic = plan.auto_threshold;
  const Derivation derivation = {
      automatic.high_ratio, automatic.low_ratio, pixels(),  static_cast<cl_int>(automatic.mode),
      automatic.bin_shift,  plan.is_squared(),   has_region};
  is_derived_ = true;
  return generic(plan).derive.run({tile_items_}, histogram_, derivation, derived_);
}

Status Front::run_generic(const Plan& plan, const Image& image, const Buffer* region) {
  const Generic& kernels = generic(plan);
  const int of_operator = index_of(plan.weights);
  const bool counts = route_.counter != FrontCounter::kNone;
  if (counts) CANNY_TRY(histogram_.fill(*queue_, 0, histogram_.capacity()));
  if (route_.counter == FrontCounter::kLuma)
    CANNY_TRY(run_generic_tiles(plan, kernels.count_luma, *image.buffer,
                                source_of(plan.input, 1, image), region, histogram_));
  CANNY_TRY(blur(plan, image));
  if (route_.end == FrontEnd::kView) return {};
  if (route_.counter == FrontCounter::kResponses)
    CANNY_TRY(run_generic_tiles(plan, kernels.show_or_count[of_operator], samples_, tile_of(plan),
                                region, histogram_, samples_));
  if (counts) CANNY_TRY(derive(plan, region != nullptr));
  return run_generic_tiles(plan, kernels.edges[of_operator], samples_, tile_of(plan), region,
                           device_measured(), candidate_, strong_);
}

Status Front::show(const Plan& plan, const Buffer& values) {
  GenericTile tile = tile_of(plan);
  if (shows_luma(plan.view))
    return run_generic_tiles(plan, generic(plan).show_samples, samples_, tile, values);
  tile.view = static_cast<cl_int>(plan.view);
  const Buffer* const no_region = nullptr;
  return run_generic_tiles(plan, generic(plan).show_or_count[index_of(plan.weights)], samples_,
                           tile, no_region, histogram_, values);
}

}  // namespace canny::opencl

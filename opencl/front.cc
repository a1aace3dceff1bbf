// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of the front end.
#include "opencl/front.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "canny/bits.h"
#include "canny/constants.h"
#include "canny/frame.h"
#include "canny/view.h"
#include "opencl/signals.h"

namespace canny::opencl {
namespace {

constexpr char kStageSource[] =
#include "pixels.inc"

#include "front.inc"
    ;
constexpr char kTileSource[] =
#include "pixels.inc"

#include "tile.inc"
    ;

// As in pixels.cl.
struct Source {
  cl_long offset[3], stride[3];
  cl_int width, height, channels;
  cl_int planes, bytes, bits, green_bits, group, is_big_endian;
  cl_int place[3];
};

// As in front.cl.
struct Weights {
  cl_int form, reach, shift, is_l2;
  cl_int smooth[kMaxOperatorSize], difference[kMaxOperatorSize], east[8];
};

Source source_of(const Plan& plan, const Image& image, int width, int height) {
  const PixelLayout& at = layout(plan.input);
  Source source = {
      {},       {},      width,         height,   plan.channels,    at.planes,
      at.bytes, at.bits, at.green_bits, at.group, at.is_big_endian, {at.r, at.g, at.b}};
  std::copy_n(image.offset, 3, source.offset);
  std::copy_n(image.stride, 3, source.stride);
  return source;
}

Weights weights_of(const Plan& plan) {
  const OperatorWeights& from = plan.weights;
  Weights weights = {};
  weights.form = static_cast<cl_int>(from.form);
  weights.reach = from.reach;
  weights.shift = from.shift;
  weights.is_l2 = plan.norm == Norm::kL2;
  std::copy_n(from.smooth, kMaxOperatorSize, weights.smooth);
  std::copy_n(from.difference, kMaxOperatorSize, weights.difference);
  std::copy_n(from.east, 8, weights.east);
  return weights;
}

// The bins, the largest length, and the number of pixels.
constexpr int kHistogramWords = kBins + 2;

// A tile of tile.cl, and the radii of blurs that its kernels take.
constexpr int kTileWidth = 128, kTileHeight = 32;
constexpr int kTileRadii[] = {0, 2, 4, 6}, kMaxTileRadius = 6;

// As in tile.cl.
struct Tile {
  Source source;
  cl_int quad_words;
  cl_uint byte_factor[4];
  cl_uint taps[2 * kMaxTileRadius + 1];
  cl_int side, middle;
  cl_int is_l2, is_thin, has_region;
  cl_uint low, high;
};

// Whether tiles find the edges of luma that is blurred before.
bool has_wide_blur(const Plan& plan) { return plan.blur.radius() > kMaxTileRadius; }

// The words of 4 pixels, if all rows begin with a word and count in bytes, or 0.
int quad_words(const Source& source) {
  const bool has_bytes =
      source.planes == 1 && source.bits == 8 && source.green_bits == 0 && source.group <= 1;
  const bool is_aligned = source.offset[0] % 4 == 0 && source.stride[0] % 4 == 0;
  return has_bytes && is_aligned ? source.bytes : 0;
}

// The least gradient above a threshold, as tile.cl has them. No magnitude exceeds the largest one.
cl_uint least_above(cl_long threshold) {
  constexpr cl_long kLargest = (1 << 30) - 1;
  return static_cast<cl_uint>(std::min(threshold + 1, kLargest)) << 2;
}

// The options of all programs.
std::string numbers(bool is_deep) {
  return "-cl-std=CL1.2" + define("IS_DEEP", is_deep) + define("kLumaRed", kLumaRed) +
         define("kLumaGreen", kLumaGreen) + define("kLumaBlue", kLumaBlue) +
         define("kLumaHalf", kLumaHalf) + define("kLumaShift", kLumaShift) +
         define("kTangent", kTangent) + define("kTangentShift", kTangentShift);
}

}  // namespace

Status Front::open(const Queue& queue) {
  queue_ = &queue;
  CANNY_TRY(taps_.reserve(queue, sizeof written_taps_.weight));
  return open_tiles();
}

Status Front::open_tiles() {
  tile_items_ = queue_->device().group_items(256);
  CANNY_TRY(tile_program_.build(
      *queue_, kTileSource,
      numbers(false) + define("kTileWidth", kTileWidth) + define("kTileHeight", kTileHeight) +
          define("kTileItems", tile_items_) + define("kMaxTileRadius", kMaxTileRadius)));
  static_assert(std::size(kTileRadii) == kTileKernels);
  for (int i = 0; i < kTileKernels; ++i)
    CANNY_TRY(tiles_[i].open(*queue_, tile_program_,
                             "front_of_tile_" + std::to_string(kTileRadii[i]), tile_items_));
  return {};
}

Status Front::prepare(const Plan& plan) {
  const Kernels* kernels = nullptr;
  return takes_tiles(plan) && !has_wide_blur(plan) ? Status()
                                                   : find_kernels(plan.is_deep, &kernels);
}

Status Front::find_kernels(bool is_deep, const Kernels** found) {
  Kernels* kernels = is_deep ? &deep_ : &shallow_;
  *found = kernels;
  if (kernels->are_open) return {};
  const SignalActions kept;
  CANNY_TRY(open(is_deep, kernels));
  kernels->are_open = true;
  return {};
}

Status Front::open(bool is_deep, Kernels* kernels) {
  const std::string options = numbers(is_deep) + define("kBins", kBins) +
                              define("kRelative", static_cast<int>(ThresholdMode::kRelative)) +
                              define("kQuantile", static_cast<int>(ThresholdMode::kQuantile)) +
                              define("kSuppressed", static_cast<int>(View::kSuppressed)) +
                              define("kDirection", static_cast<int>(View::kDirection)) +
                              define("kDiagonal", static_cast<int>(OperatorForm::kDiagonal)) +
                              define("kCompass", static_cast<int>(OperatorForm::kCompass));
  CANNY_TRY(kernels->program.build(*queue_, kStageSource, options));
  CANNY_TRY(kernels->sample.open(*queue_, kernels->program, "sample"));
  CANNY_TRY(kernels->blur_rows.open(*queue_, kernels->program, "blur_rows"));
  CANNY_TRY(kernels->blur_columns.open(*queue_, kernels->program, "blur_columns"));
  CANNY_TRY(kernels->gradient.open(*queue_, kernels->program, "gradient"));
  CANNY_TRY(kernels->count_lengths.open(*queue_, kernels->program, "count_lengths"));
  CANNY_TRY(kernels->count_luma.open(*queue_, kernels->program, "count_luma"));
  CANNY_TRY(kernels->show_gradient.open(*queue_, kernels->program, "show_gradient"));
  CANNY_TRY(kernels->show_samples.open(*queue_, kernels->program, "show_samples"));
  return kernels->suppress.open(*queue_, kernels->program, "suppress");
}

// After a failure the size is 0, and kernels can't run.
Status Front::set_size(int width, int height) {
  width_ = height_ = 0;
  for (Buffer* buffer : {&samples_, &sums_, &magnitudes_, &sectors_, &candidate_, &strong_})
    buffer->release();
  const std::size_t plane = sizeof(cl_uint) * ((width + kWordBits - 1) / kWordBits) * height;
  CANNY_TRY(candidate_.reserve(*queue_, plane));
  CANNY_TRY(strong_.reserve(*queue_, plane));
  CANNY_TRY(histogram_.reserve(*queue_, kHistogramWords * sizeof(cl_uint)));
  width_ = width;
  height_ = height;
  return {};
}

Status Front::reserve_samples(const Plan& plan) {
  const std::size_t samples = plan.channels * pixels();
  CANNY_TRY(samples_.reserve(*queue_, samples * sizeof(cl_ushort)));
  return plan.blur.is_identity() ? Status() : sums_.reserve(*queue_, samples * sizeof(cl_uint));
}

// Reserves the memory between the stages.
Status Front::reserve(const Plan& plan) {
  CANNY_TRY(reserve_samples(plan));
  if (shows_luma(plan.view)) return {};
  CANNY_TRY(
      magnitudes_.reserve(*queue_, pixels() * (plan.is_deep ? sizeof(cl_ulong) : sizeof(cl_uint))));
  return sectors_.reserve(*queue_, pixels());
}

Status Front::write_taps(const Taps& taps) {
  if (has_taps_ && taps == written_taps_) return {};
  has_taps_ = false;
  CANNY_TRY(taps_.write(*queue_, taps.weight, taps.count * sizeof taps.weight[0]));
  written_taps_ = taps;
  has_taps_ = true;
  return {};
}

// Sets samples_ to the blurred samples of a frame.
Status Front::find_blurred(const Plan& plan, const Kernels& kernels, const Image& image) {
  CANNY_TRY(kernels.sample.run(*queue_, width_, height_, 1, *image.buffer,
                               source_of(plan, image, width_, height_), samples_));
  const Taps& taps = plan.blur;
  if (taps.is_identity()) return {};
  CANNY_TRY(write_taps(taps));
  CANNY_TRY(kernels.blur_rows.run(*queue_, width_, height_, plan.channels, samples_, width_,
                                  height_, taps_, taps.radius(), sums_));
  return kernels.blur_columns.run(*queue_, width_, height_, plan.channels, sums_, width_, height_,
                                  taps_, taps.radius(), samples_);
}

// The luma before the blur.
Status Front::count_luma(const Plan& plan, const Kernels& kernels, const Image& image,
                         const Buffer* region) {
  Source source = source_of(plan, image, width_, height_);
  source.channels = 1;
  CANNY_TRY(histogram_.fill(*queue_, 0, histogram_.capacity()));
  CANNY_TRY(kernels.sample.run(*queue_, width_, height_, 1, *image.buffer, source, samples_));
  return kernels.count_luma.run(*queue_, width_, height_, 1, samples_, width_,
                                region != nullptr ? *region : samples_,
                                static_cast<cl_int>(region != nullptr), histogram_);
}

Status Front::count_lengths(const Plan& plan, const Kernels& kernels, const Buffer* region) {
  CANNY_TRY(histogram_.fill(*queue_, 0, histogram_.capacity()));
  return kernels.count_lengths.run(
      *queue_, width_, height_, 1, magnitudes_, sectors_, width_, height_,
      static_cast<cl_int>(plan.auto_threshold.mode), static_cast<cl_int>(plan.is_squared()),
      plan.auto_threshold.bin_shift, region != nullptr ? *region : samples_,
      static_cast<cl_int>(region != nullptr), histogram_);
}

// On the host, since not all devices have double precision.
Status Front::measure(const Plan& plan, bool has_region) {
  cl_uint words[kHistogramWords];
  CANNY_TRY(histogram_.read(*queue_, words, sizeof words));
  Histogram histogram;
  std::copy_n(words, kBins, histogram.bins);
  histogram.largest = words[kBins];
  measured_ = measure_thresholds(plan, histogram, has_region ? words[kBins + 1] : pixels());
  return {};
}

Front::Limits Front::limits(const Plan& plan) const {
  const bool is_measured = plan.threshold_source == ThresholdSource::kMeasured;
  const Thresholds& shallow = is_measured ? measured_.thresholds : plan.thresholds;
  const DeepThresholds& deep = is_measured ? measured_.deep_thresholds : plan.deep_thresholds;
  if (plan.is_deep) return {deep.low, deep.high};
  return {shallow.low, shallow.high};
}

Status Front::suppress(const Plan& plan, const Kernels& kernels, const Buffer* region) {
  const auto [low, high] = limits(plan);
  return kernels.suppress.run(*queue_, words_per_row(), height_, 1, magnitudes_, sectors_, width_,
                              height_, static_cast<cl_int>(plan.is_thin), low, high,
                              region != nullptr ? *region : samples_,
                              static_cast<cl_int>(region != nullptr), candidate_, strong_);
}

// Whether tiles find the edges of blurred luma: nothing else needs what is between their stages.
bool Front::takes_tiles(const Plan& plan) const {
  const OperatorWeights& weights = plan.weights;
  const bool is_3x3 =
      weights.form == OperatorForm::kSeparable && weights.reach == 1 && weights.shift == 0;
  return has_tiles_ && !plan.is_deep && plan.channels == 1 && is_3x3 &&
         needs_thresholds(plan.view) && plan.auto_threshold.mode == ThresholdMode::kAbsolute;
}

// The frame, or after a blur that is too wide for tiles, its blurred luma.
Status Front::run_tiles(const Plan& plan, const Image& image, const Buffer* region) {
  const bool is_wide = has_wide_blur(plan);
  Tile tile = {};
  if (is_wide) {
    const Kernels* kernels = nullptr;
    CANNY_TRY(find_kernels(plan.is_deep, &kernels));
    CANNY_TRY(reserve_samples(plan));
    CANNY_TRY(find_blurred(plan, *kernels, image));
    tile.source = {{}, {}, width_, height_, 1, 1, sizeof(cl_ushort), 8, 0, 1, 0, {}};
    tile.source.stride[0] = static_cast<cl_long>(sizeof(cl_ushort)) * width_;
  } else {
    tile.source = source_of(plan, image, width_, height_);
  }
  tile.quad_words = quad_words(tile.source);
  const int factor[] = {kLumaRed, kLumaGreen, kLumaBlue};
  for (int i = 0; i < 3 && tile.quad_words > 0; ++i)
    tile.byte_factor[tile.source.place[i]] += factor[i];
  const Taps& taps = plan.blur;
  const int radius = is_wide || taps.is_identity() ? 0 : taps.radius();
  const int i = std::lower_bound(std::begin(kTileRadii), std::end(kTileRadii), radius) -
                std::begin(kTileRadii);
  std::copy_n(taps.weight + taps.radius() - radius, 2 * radius + 1,
              tile.taps + kTileRadii[i] - radius);
  tile.side = plan.weights.smooth[0];
  tile.middle = plan.weights.smooth[1];
  tile.is_l2 = plan.norm == Norm::kL2;
  tile.is_thin = plan.is_thin;
  tile.has_region = region != nullptr;
  const auto [low, high] = limits(plan);
  tile.low = least_above(low);
  tile.high = least_above(high);
  return tiles_[i].run(*queue_, (width_ + kTileWidth - 1) / kTileWidth * tile_items_,
                       (height_ + kTileHeight - 1) / kTileHeight, 1,
                       is_wide ? samples_ : *image.buffer, tile,
                       region != nullptr ? *region : candidate_, candidate_, strong_);
}

Status Front::run(const Plan& plan, const Image& image, const Buffer* region) {
  if (takes_tiles(plan)) return run_tiles(plan, image, region);
  const Kernels* found = nullptr;
  CANNY_TRY(find_kernels(plan.is_deep, &found));
  const Kernels& kernels = *found;
  const ThresholdMode mode = plan.auto_threshold.mode;
  CANNY_TRY(reserve(plan));
  if (mode == ThresholdMode::kMedian) CANNY_TRY(count_luma(plan, kernels, image, region));
  CANNY_TRY(find_blurred(plan, kernels, image));
  if (shows_luma(plan.view)) return {};
  CANNY_TRY(kernels.gradient.run(*queue_, width_, height_, 1, samples_, width_, height_,
                                 plan.channels, weights_of(plan), magnitudes_, sectors_));
  if (!needs_thresholds(plan.view)) return {};
  if (mode != ThresholdMode::kAbsolute && mode != ThresholdMode::kMedian)
    CANNY_TRY(count_lengths(plan, kernels, region));
  if (mode != ThresholdMode::kAbsolute) CANNY_TRY(measure(plan, region != nullptr));
  return suppress(plan, kernels, region);
}

Status Front::show(const Plan& plan, const Buffer& values) {
  const Kernels& kernels = plan.is_deep ? deep_ : shallow_;
  if (shows_luma(plan.view))
    return kernels.show_samples.run(*queue_, width_, height_, 1, samples_, width_, values);
  return kernels.show_gradient.run(*queue_, width_, height_, 1, magnitudes_, sectors_, width_,
                                   height_, static_cast<cl_int>(plan.view),
                                   static_cast<cl_int>(plan.is_squared()),
                                   static_cast<cl_int>(operator_gain(plan.weights)), values);
}

}  // namespace canny::opencl

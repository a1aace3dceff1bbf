// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of the front end, and the kernels of tiles.
#include "opencl/front/front.h"

#include <algorithm>
#include <iterator>

#include "canny/constants.h"
#include "canny/frame.h"
#include "canny/transfer.h"
#include "opencl/signals.h"

namespace canny::opencl {
namespace {

constexpr char kTileSource[] =
#include "planes.inc"

#include "pixels.inc"

#include "tile.inc"
    ;

// A tile of tile.cl, and the radii of blurs that its kernels take.
constexpr int kTileWidth = 128, kTileHeight = 32;
constexpr int kTileRadii[] = {0, 2, 4, kMaxTileRadius};

// As in tile.cl.
struct Tile {
  Source source;
  cl_int quad_words;
  cl_uint byte_factor[4];
  cl_uint taps[2 * kMaxTileRadius + 1];
  cl_int side, middle;
  cl_int is_l2, is_thin;
  cl_uint low, high;
};

constexpr int kHistogramWords = kBins + 2;

// The words of 4 pixels, if all rows begin with a word and count in bytes, or 0.
int quad_words(const Source& source) {
  const bool has_bytes =
      source.planes == 1 && source.bits == 8 && source.green_bits == 0 && source.group <= 1;
  const bool is_aligned = source.at.offset[0] % 4 == 0 && source.at.stride[0] % 4 == 0;
  return has_bytes && is_aligned ? source.bytes : 0;
}

// The least gradient above a threshold, as tile.cl has them. No magnitude exceeds the largest one.
cl_uint least_above(cl_long threshold) {
  constexpr cl_long kLargest = (1 << 30) - 1;
  return static_cast<cl_uint>(std::min(threshold + 1, kLargest)) << 2;
}

}  // namespace

std::string options_of_front(bool is_deep) {
  return define("IS_DEEP", is_deep) + define("kFloat32", SampleType::kFloat32) +
         define("kFloat16", SampleType::kFloat16) + define("kLumaRed", kLumaRed) +
         define("kLumaGreen", kLumaGreen) + define("kLumaBlue", kLumaBlue) +
         define("kLumaHalf", kLumaHalf) + define("kLumaShift", kLumaShift) +
         define("kTangent", kTangent) + define("kTangentShift", kTangentShift);
}

Status Front::open(const Queue& queue, bool is_generic_only) {
  queue_ = &queue;
  device_ = {queue.device().has_doubles, is_generic_only};
  CANNY_TRY(histogram_.reserve(queue, kHistogramWords * sizeof(cl_uint)));
  CANNY_TRY(derived_.reserve(queue, sizeof(DeviceMeasured)));
  tile_items_ = queue.device().group_items();
  CANNY_TRY(tile_program_.build(queue, kTileSource,
                                options_of_front(false) + define("kTileWidth", kTileWidth) +
                                    define("kTileHeight", kTileHeight) +
                                    define("kTileItems", tile_items_) +
                                    define("kMaxTileRadius", kMaxTileRadius)));
  static_assert(std::size(kTileRadii) == kTileKernels);
  for (int i = 0; i < kTileKernels; ++i)
    CANNY_TRY(tiles_[i].open(tile_program_, "front_of_tile_" + std::to_string(kTileRadii[i]),
                             tile_items_));
  return {};
}

Status Front::set_size(int width, int height) {
  width_ = width;
  height_ = height;
  for (Buffer* buffer : {&samples_, &sums_, &candidate_, &strong_}) buffer->release();
  const std::size_t plane = word_row_bytes(width) * height;
  CANNY_TRY(candidate_.reserve(*queue_, plane));
  return strong_.reserve(*queue_, plane);
}

Status Front::prepare(const Plan& plan) {
  route_ = opencl::route(plan, device_);
  if (route_.source == FrontSource::kFrame || generic(plan).are_open) return {};
  const SignalActions kept;
  return open_generic(plan.is_deep);
}

Source Front::source_of(PixelFormat format, int channels, const Image& image) const {
  const PixelLayout& pixel = layout(format);
  const PixelLayout at = channels > 1 ? in_order_of_channels(pixel) : pixel;
  const auto type = static_cast<cl_int>(at.type);
  return {
      image.pixels,  width_,   height_,          channels,           at.planes, at.bytes, at.bits,
      at.green_bits, at.group, at.is_big_endian, {at.r, at.g, at.b}, type,      0};
}

// Those that the host knows: the plan's, or measured ones.
DeepThresholds Front::limits_of(const Plan& plan) const {
  const FrameThresholds& limits = plan.thresholds(measured_);
  if (plan.is_deep) return limits.deep_thresholds;
  return {limits.thresholds.low, limits.thresholds.high};
}

// Sets measured_ from the histogram, on the host, when the device has counted.
Status Front::measure(const Plan& plan, bool has_region) {
  cl_uint words[kHistogramWords];
  CANNY_TRY(histogram_.read(*queue_, words, sizeof words));
  Histogram counts;
  std::copy_n(words, kBins, counts.bins);
  counts.largest = words[kBins];
  measured_ = measure_thresholds(plan, counts, has_region ? words[kBins + 1] : pixels());
  return {};
}

// The frame, or after a blur that is too wide for tiles, its blurred luma.
Status Front::run_tiles(const Plan& plan, const Image& image, const Buffer* region) {
  const bool is_blurred = route_.source != FrontSource::kFrame;
  Tile tile = {};
  if (is_blurred) {
    CANNY_TRY(blur(plan, image));
    tile.source = {{}, width_, height_, 1, 1, sizeof(cl_ushort), 8, 0, 1, 0, {}, 0, 0};
    tile.source.at.stride[0] = static_cast<cl_long>(sizeof(cl_ushort)) * width_;
  } else {
    tile.source = source_of(plan.input, 1, image);
  }
  tile.quad_words = quad_words(tile.source);
  const int factor[] = {kLumaRed, kLumaGreen, kLumaBlue};
  for (int i = 0; i < 3 && tile.quad_words > 0; ++i)
    tile.byte_factor[tile.source.place[i]] += factor[i];
  const Taps& taps = plan.blur;
  const int radius = is_blurred || taps.is_identity() ? 0 : taps.radius();
  const int i = std::lower_bound(std::begin(kTileRadii), std::end(kTileRadii), radius) -
                std::begin(kTileRadii);
  std::copy_n(taps.weight + taps.radius() - radius, 2 * radius + 1,
              tile.taps + kTileRadii[i] - radius);
  tile.side = plan.weights.smooth[0];
  tile.middle = plan.weights.smooth[1];
  tile.is_l2 = plan.norm == Norm::kL2;
  tile.is_thin = plan.is_thin;
  const auto [low, high] = limits_of(plan);
  tile.low = least_above(low);
  tile.high = least_above(high);
  return tiles_[i].run({blocks(width_, kTileWidth) * tile_items_, blocks(height_, kTileHeight)},
                       is_blurred ? samples_ : *image.buffer, tile, region, candidate_, strong_);
}

Status Front::run(const Plan& plan, const Image& image, const Buffer* region) {
  is_derived_ = false;
  return route_.end == FrontEnd::kTile ? run_tiles(plan, image, region)
                                       : run_generic(plan, image, region);
}

}  // namespace canny::opencl

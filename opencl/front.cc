// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of the front end.
#include "opencl/front.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "canny/constants.h"
#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kTileSource[] =
#include "pixels.inc"

#include "tile.inc"
    ;

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

}  // namespace

Status Front::open(const Queue& queue) {
  queue_ = &queue;
  CANNY_TRY(memory_.open(queue));
  return open_tiles();
}

Status Front::open_tiles() {
  tile_items_ = queue_->device().group_items(256);
  CANNY_TRY(tile_program_.build(*queue_, kTileSource,
                                options_of_front(false) + define("kTileWidth", kTileWidth) +
                                    define("kTileHeight", kTileHeight) +
                                    define("kTileItems", tile_items_) +
                                    define("kMaxTileRadius", kMaxTileRadius)));
  static_assert(std::size(kTileRadii) == kTileKernels);
  for (int i = 0; i < kTileKernels; ++i)
    CANNY_TRY(tiles_[i].open(*queue_, tile_program_,
                             "front_of_tile_" + std::to_string(kTileRadii[i]), tile_items_));
  return {};
}

// Tiles find the edges of luma: nothing else needs what is between their stages.
Front::Kind Front::kind_of(const Plan& plan) const {
  const OperatorWeights& weights = plan.weights;
  const bool is_3x3 =
      weights.form == OperatorForm::kSeparable && weights.reach == 1 && weights.shift == 0;
  if (!has_tiles_) return Kind::kPlain;
  if (!plan.is_deep && plan.channels == 1 && is_3x3 && needs_thresholds(plan.view) &&
      plan.auto_threshold.mode == ThresholdMode::kAbsolute)
    return Kind::kTiles;
  return GeneralFront::takes(plan) ? Kind::kGeneral : Kind::kPlain;
}

Front::Kind Front::kind_of_blur(const Plan& plan) const {
  const Kind kind = kind_of(plan);
  if (kind != Kind::kTiles || !has_wide_blur(plan)) return kind;
  return GeneralFront::takes(plan) ? Kind::kGeneral : Kind::kPlain;
}

Status Front::prepare(const Plan& plan) {
  switch (kind_of_blur(plan)) {
    case Kind::kTiles:
      return {};
    case Kind::kGeneral:
      return general_.prepare(*queue_, plan.is_deep);
    case Kind::kPlain:
      return plain_.prepare(*queue_, plan.is_deep);
  }
  return {};
}

Status Front::set_size(int width, int height) {
  plain_.release();
  return memory_.set_size(width, height);
}

// The frame, or after a blur that is too wide for tiles, its blurred luma.
Status Front::run_tiles(const Plan& plan, const Image& image, const Buffer* region) {
  const bool is_wide = has_wide_blur(plan);
  const int width = memory_.width, height = memory_.height;
  Tile tile = {};
  if (is_wide) {
    CANNY_TRY(kind_of_blur(plan) == Kind::kGeneral ? general_.find_blurred(plan, image, &memory_)
                                                   : plain_.find_blurred(plan, image, &memory_));
    tile.source = {{}, {}, width, height, 1, 1, sizeof(cl_ushort), 8, 0, 1, 0, {}};
    tile.source.stride[0] = static_cast<cl_long>(sizeof(cl_ushort)) * width;
  } else {
    tile.source = source_of(plan.input, 1, image, width, height);
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
  const auto [low, high] = limits_of(plan, memory_.measured);
  tile.low = least_above(low);
  tile.high = least_above(high);
  const RegionArgument of_region = region_argument(region, memory_.candidate);
  tile.has_region = of_region.is_there;
  return tiles_[i].run(*queue_, (width + kTileWidth - 1) / kTileWidth * tile_items_,
                       (height + kTileHeight - 1) / kTileHeight, 1,
                       is_wide ? memory_.samples : *image.buffer, tile, of_region.words,
                       memory_.candidate, memory_.strong);
}

Status Front::run(const Plan& plan, const Image& image, const Buffer* region) {
  CANNY_TRY(prepare(plan));
  memory_.is_derived = false;
  switch (kind_of(plan)) {
    case Kind::kTiles:
      return run_tiles(plan, image, region);
    case Kind::kGeneral:
      return general_.run(plan, image, region, &memory_);
    case Kind::kPlain:
      return plain_.run(plan, image, region, &memory_);
  }
  return {};
}

Status Front::show(const Plan& plan, const Buffer& values) {
  return kind_of(plan) == Kind::kGeneral ? general_.show(plan, memory_, values)
                                         : plain_.show(plan, memory_, values);
}

}  // namespace canny::opencl

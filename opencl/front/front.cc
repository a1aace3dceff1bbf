// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of the front end.
#include "opencl/front/front.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "canny/constants.h"

namespace canny::opencl {
namespace {

constexpr char kTileSource[] =
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
  cl_int is_l2, is_thin, has_region;
  cl_uint low, high;
};

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

Status Front::set_size(int width, int height) { return memory_.set_size(width, height); }

Status Front::prepare(const Plan& plan, const FrontRoute& route) {
  return route.is_generic() ? generic_.prepare(*queue_, plan.is_deep) : Status();
}

// The frame, or after a blur that is too wide for tiles, its blurred luma.
Status Front::run_tiles(const Plan& plan, const FrontRoute& route, const Image& image,
                        const RegionArgument& region) {
  const bool is_blurred = route.source != FrontSource::kFrame;
  const int width = memory_.width, height = memory_.height;
  Tile tile = {};
  if (is_blurred) {
    CANNY_TRY(generic_.blur(plan, route, image, &memory_));
    tile.source = {{}, {}, width, height, 1, 1, sizeof(cl_ushort), 8, 0, 1, 0, {}, 0, 0};
    tile.source.stride[0] = static_cast<cl_long>(sizeof(cl_ushort)) * width;
  } else {
    tile.source = source_of(plan.input, 1, image, width, height);
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
  const auto [low, high] = limits_of(plan, memory_.measured);
  tile.low = least_above(low);
  tile.high = least_above(high);
  tile.has_region = region.is_there;
  return tiles_[i].run(*queue_, (width + kTileWidth - 1) / kTileWidth * tile_items_,
                       (height + kTileHeight - 1) / kTileHeight, 1,
                       is_blurred ? memory_.samples : *image.buffer, tile, region.words,
                       memory_.candidate, memory_.strong);
}

Status Front::run(const Plan& plan, const FrontRoute& route, const Image& image,
                  const Buffer* region) {
  CANNY_TRY(prepare(plan, route));
  memory_.is_derived = false;
  const RegionArgument of_region = region_argument(region, memory_.candidate);
  return route.end == FrontEnd::kTile ? run_tiles(plan, route, image, of_region)
                                      : generic_.run(plan, route, image, of_region, &memory_);
}

Status Front::show(const Plan& plan, const Buffer& values) {
  return generic_.show(plan, memory_, values);
}

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of hysteresis.
#include "opencl/hysteresis.h"

#include <utility>

#include "canny/bits.h"

namespace canny::opencl {
namespace {

constexpr char kHysteresisSource[] =
#include "planes.inc"

#include "components.inc"

#include "hysteresis.inc"
    ;

// The width of a tile in words, and how many items share a word there, and a word at a border of
// tiles.
constexpr int kTileWords = 4, kItemsPerWord = 2, kItemsPerBorder = 16;

}  // namespace

Status Hysteresis::open(const Queue& queue) {
  queue_ = &queue;
  const int items = queue.device().group_items();
  tile_rows_ = items / (kItemsPerWord * kTileWords);
  tile_items_ = tile_rows_ * kItemsPerWord * kTileWords;
  CANNY_TRY(program_.build(queue, kHysteresisSource,
                           define("kTileWords", kTileWords) + define("kTileRows", tile_rows_) +
                               define("kItemsPerWord", kItemsPerWord) +
                               define("kItemsPerBorder", kItemsPerBorder) +
                               define("kCountingItems", items)));
  CANNY_TRY(grow_.open(program_, "grow", kTile));
  CANNY_TRY(name_runs_.open(program_, "name_runs"));
  CANNY_TRY(unite_runs_.open(program_, "unite_runs"));
  CANNY_TRY(label_tiles_.open(program_, "label_tiles", tile_items_));
  CANNY_TRY(join_tiles_.open(program_, "join_tiles"));
  CANNY_TRY(keep_joined_.open(program_, "keep_joined", items));
  CANNY_TRY(add_lengths_.open(program_, "add_lengths"));
  CANNY_TRY(count_pixels_.open(program_, "count_pixels", items));
  CANNY_TRY(count_roots_.open(program_, "count_roots"));
  CANNY_TRY(show_classes_.open(program_, "show_classes"));
  CANNY_TRY(show_pass_.open(program_, "show_pass"));
  return drop_short_.open(program_, "drop_short");
}

// After a failure, kernels can't run without these buffers.
Status Hysteresis::set_size(int width, int height) {
  width_ = width;
  words_ = blocks(width, kWordBits);
  height_ = height;
  for (Buffer* buffer : {&grown_, &open_, &labels_, &lengths_}) buffer->release();
  CANNY_TRY(grown_.reserve(*queue_, pixels() / 8));
  return open_.reserve(*queue_, pixels() / 8);
}

// Sets labels_ to the components of a plane.
Status Hysteresis::label(const Buffer& plane) {
  CANNY_TRY(labels_.reserve(*queue_, pixels() * sizeof(cl_uint)));
  CANNY_TRY(name_runs_.run({plane_words()}, plane, plane_words(), labels_));
  return unite_runs_.run({words_, height_}, plane, words_, height_, labels_);
}

// Counts the edges to `numbers`, unless that is null.
Status Hysteresis::find_all(const Buffer& candidate, const Buffer& strong, const Buffer* numbers) {
  CANNY_TRY(labels_.reserve(*queue_, (pixels() / 2 + 1) * sizeof(cl_uint)));
  const int columns = blocks(words_, kTileWords), bands = blocks(height_, tile_rows_);
  edges_ = &grown_;
  CANNY_TRY(label_tiles_.run({columns * tile_items_, bands}, candidate, strong, words_, height_,
                             *edges_, open_, labels_));
  const int at_borders = (bands - 1) * words_ * kItemsPerBorder + (columns - 1) * height_;
  if (at_borders > 0)
    CANNY_TRY(join_tiles_.run({at_borders}, *edges_, open_, words_, height_, labels_));
  return keep_joined_.run({plane_words()}, *edges_, open_, plane_words(), labels_, Number::kEdges,
                          numbers);
}

// Writes the numbers of passes to `values`, unless that is null.
Status Hysteresis::grow(const Buffer& candidate, Buffer& strong, unsigned passes,
                        const Buffer* values) {
  edges_ = &strong;
  Buffer* next = &grown_;
  const int tiles = blocks(height_, kTile);
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(grow_.run({words_ * kTile, tiles}, candidate, *edges_, words_, height_, *next));
    if (values != nullptr)
      CANNY_TRY(show_pass_.run({width_, height_}, *edges_, *next, width_,
                               static_cast<cl_int>(pass + 1), *values));
    std::swap(edges_, next);
  }
  return {};
}

Status Hysteresis::remove_short(unsigned min_length) {
  CANNY_TRY(lengths_.reserve(*queue_, pixels() * sizeof(cl_uint)));
  CANNY_TRY(label(*edges_));
  CANNY_TRY(lengths_.fill(*queue_, 0, pixels() * sizeof(cl_uint)));
  CANNY_TRY(add_lengths_.run({plane_words()}, *edges_, plane_words(), labels_, lengths_));
  return drop_short_.run({plane_words()}, *edges_, plane_words(), labels_, lengths_, min_length);
}

Status Hysteresis::run(const Buffer& candidate, Buffer& strong, unsigned passes,
                       unsigned min_length, const Buffer& numbers) {
  const bool removes_short = min_length > 1;
  if (passes == 0 && !removes_short) return find_all(candidate, strong, &numbers);
  CANNY_TRY(passes == 0 ? find_all(candidate, strong, nullptr)
                        : grow(candidate, strong, passes, nullptr));
  if (removes_short) CANNY_TRY(remove_short(min_length));
  return count_pixels(*edges_, Number::kEdges, numbers);
}

Status Hysteresis::count_pixels(const Buffer& plane, Number number, const Buffer& numbers) {
  return count_pixels_.run({plane_words()}, plane, plane_words(), number, numbers);
}

Status Hysteresis::count_components(const Buffer& plane, const Buffer& numbers) {
  CANNY_TRY(label(plane));
  return count_roots_.run({plane_words()}, plane, plane_words(), labels_, Number::kComponents,
                          numbers);
}

Status Hysteresis::show_classes(const Buffer& candidate, const Buffer& strong, const Buffer& values,
                                int of_candidate) {
  return show_classes_.run({width_, height_}, candidate, strong, width_, of_candidate, values);
}

Status Hysteresis::show_passes(const Buffer& candidate, Buffer& strong, unsigned passes,
                               const Buffer& values) {
  CANNY_TRY(show_classes(candidate, strong, values, 0));
  return grow(candidate, strong, passes, &values);
}

}  // namespace canny::opencl

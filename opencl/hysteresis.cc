// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of hysteresis.
#include "opencl/hysteresis.h"

#include <utility>

#include "canny/bits.h"
#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kSource[] =
#include "hysteresis.inc"
    ;

}  // namespace

Status Hysteresis::open(const Queue& queue) {
  queue_ = &queue;
  CANNY_TRY(program_.build(queue, kSource, "-cl-std=CL1.2"));
  CANNY_TRY(grow_.open(queue, program_, "grow", kTile));
  CANNY_TRY(name_runs_.open(queue, program_, "name_runs"));
  CANNY_TRY(unite_runs_.open(queue, program_, "unite_runs"));
  CANNY_TRY(mark_strong_.open(queue, program_, "mark_strong"));
  CANNY_TRY(keep_marked_.open(queue, program_, "keep_marked"));
  CANNY_TRY(add_lengths_.open(queue, program_, "add_lengths"));
  CANNY_TRY(count_pixels_.open(queue, program_, "count_pixels"));
  CANNY_TRY(count_roots_.open(queue, program_, "count_roots"));
  CANNY_TRY(show_classes_.open(queue, program_, "show_classes"));
  CANNY_TRY(show_pass_.open(queue, program_, "show_pass"));
  return drop_short_.open(queue, program_, "drop_short");
}

// After a failure the size is 0, and kernels can't run.
Status Hysteresis::set_size(int width, int height) {
  width_ = words_ = height_ = 0;
  for (Buffer* buffer : {&grown_, &labels_, &marks_, &lengths_}) buffer->release();
  const int words_per_row = (width + kWordBits - 1) / kWordBits;
  const std::size_t words = static_cast<std::size_t>(words_per_row) * height;
  CANNY_TRY(grown_.reserve(*queue_, words * sizeof(cl_uint)));
  CANNY_TRY(marks_.reserve(*queue_, words * sizeof(cl_uint)));
  width_ = width;
  words_ = words_per_row;
  height_ = height;
  return {};
}

// Sets labels_ to the components of a plane.
Status Hysteresis::label(const Buffer& plane) {
  CANNY_TRY(labels_.reserve(*queue_, pixels() * sizeof(cl_uint)));
  CANNY_TRY(name_runs_.run(*queue_, words_, height_, 1, plane, words_, labels_));
  return unite_runs_.run(*queue_, words_, height_, 1, plane, words_, height_, labels_);
}

Status Hysteresis::find_all(const Buffer& candidate, const Buffer& strong) {
  CANNY_TRY(label(candidate));
  CANNY_TRY(marks_.fill(*queue_, 0, pixels() / 8));
  CANNY_TRY(
      mark_strong_.run(*queue_, words_, height_, 1, candidate, strong, words_, labels_, marks_));
  edges_ = &grown_;
  return keep_marked_.run(*queue_, words_, height_, 1, candidate, words_, labels_, marks_, *edges_);
}

// Writes the numbers of passes to `values`, unless that is null.
Status Hysteresis::grow(const Buffer& candidate, Buffer& strong, unsigned passes,
                        const Buffer* values) {
  edges_ = &strong;
  Buffer* next = &grown_;
  const int tiles = (height_ + kTile - 1) / kTile;
  for (unsigned pass = 0; pass < passes; ++pass) {
    CANNY_TRY(
        grow_.run(*queue_, words_ * kTile, tiles, 1, candidate, *edges_, words_, height_, *next));
    if (values != nullptr)
      CANNY_TRY(show_pass_.run(*queue_, width_, height_, 1, *edges_, *next, width_,
                               static_cast<cl_int>(pass + 1), *values));
    std::swap(edges_, next);
  }
  return {};
}

Status Hysteresis::remove_short(unsigned min_length) {
  CANNY_TRY(lengths_.reserve(*queue_, pixels() * sizeof(cl_uint)));
  CANNY_TRY(label(*edges_));
  CANNY_TRY(lengths_.fill(*queue_, 0, pixels() * sizeof(cl_uint)));
  CANNY_TRY(add_lengths_.run(*queue_, words_, height_, 1, *edges_, words_, labels_, lengths_));
  return drop_short_.run(*queue_, words_, height_, 1, *edges_, words_, labels_, lengths_,
                         static_cast<cl_uint>(min_length));
}

Status Hysteresis::run(const Buffer& candidate, Buffer& strong, unsigned passes,
                       unsigned min_length) {
  CANNY_TRY(passes == 0 ? find_all(candidate, strong) : grow(candidate, strong, passes, nullptr));
  return min_length > 1 ? remove_short(min_length) : Status();
}

Status Hysteresis::count_pixels(const Buffer& plane, Number number, const Buffer& numbers) {
  return count_pixels_.run(*queue_, words_, height_, 1, plane, words_, static_cast<cl_int>(number),
                           numbers);
}

Status Hysteresis::count_components(const Buffer& plane, const Buffer& numbers) {
  CANNY_TRY(label(plane));
  return count_roots_.run(*queue_, words_, height_, 1, plane, words_, labels_,
                          static_cast<cl_int>(Number::kComponents), numbers);
}

Status Hysteresis::show(const Buffer& candidate, const Buffer& strong, int of_candidate,
                        const Buffer& values) {
  return show_classes_.run(*queue_, width_, height_, 1, candidate, strong, width_,
                           static_cast<cl_int>(of_candidate), values);
}

Status Hysteresis::show_classes(const Buffer& candidate, const Buffer& strong,
                                const Buffer& values) {
  return show(candidate, strong, kCandidateValue, values);
}

Status Hysteresis::show_passes(const Buffer& candidate, Buffer& strong, unsigned passes,
                               const Buffer& values) {
  CANNY_TRY(show(candidate, strong, 0, values));
  return grow(candidate, strong, passes, &values);
}

}  // namespace canny::opencl

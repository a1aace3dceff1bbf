// SPDX-License-Identifier: LGPL-2.1-or-later
// Hysteresis, and the removal of short edges.
#pragma once

#include <cstddef>

#include "canny/view.h"
#include "opencl/frame.h"

namespace canny::opencl {

/// Hysteresis for planes of one size at a time; see Front::candidate(). For one thread at a time.
class Hysteresis {
 public:
  /// Compiles the kernels. The queue must outlive this. Call once, before anything else.
  Status open(const Queue& queue);
  Status set_size(int width, int height);

  /// Queues passes over tiles, or finds all edges if `passes` is 0, and then removes edges of fewer
  /// than `min_length` connected pixels. Strong pixels must be candidates. The host waits for
  /// nothing. edges() has the result, whose pixels are added to Number::kEdges; `strong` may be
  /// overwritten.
  Status run(const Buffer& candidate, Buffer& strong, unsigned passes, unsigned min_length,
             const Buffer& numbers);
  const Buffer& edges() const { return *edges_; }

  /// Queues adding the pixels of a plane, or its connected components, to a number.
  Status count_pixels(const Buffer& plane, Number number, const Buffer& numbers);
  Status count_components(const Buffer& plane, const Buffer& numbers);

  /// Queues writing what View::kClasses shows of these planes, a byte a pixel, row by row, or with
  /// another value for candidates.
  Status show_classes(const Buffer& candidate, const Buffer& strong, const Buffer& values,
                      int of_candidate = kCandidateValue);
  /// Likewise what View::kPasses shows. `strong` may be overwritten.
  Status show_passes(const Buffer& candidate, Buffer& strong, unsigned passes,
                     const Buffer& values);

 private:
  int plane_words() const { return words_ * height_; }
  // Of these words.
  std::size_t pixels() const { return std::size_t{32} * plane_words(); }
  Status label(const Buffer& plane);
  Status find_all(const Buffer& candidate, const Buffer& strong, const Buffer* numbers);
  Status grow(const Buffer& candidate, Buffer& strong, unsigned passes, const Buffer* values);
  Status remove_short(unsigned min_length);

  const Queue* queue_ = nullptr;
  Program program_;
  Kernel grow_, label_tiles_, join_tiles_, keep_joined_, name_runs_, unite_runs_, add_lengths_,
      drop_short_, count_pixels_, count_roots_, show_classes_, show_pass_;
  int tile_rows_ = 0, tile_items_ = 0;  // of label_tiles()
  int width_ = 0, words_ = 0, height_ = 0;
  Buffer grown_, open_, labels_, lengths_;
  Buffer* edges_ = nullptr;  // of the last frame
};

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// Finds the offsets of the points of contours.
#include <algorithm>

#include "cpu/backend.h"

namespace canny::cpu {

// Marks the points and has the front end find their offsets, row by row.
Status CpuBackend::find_offsets(const Job& job, const ConstFrame& input, Chains* chains) {
  const Point *points = chains->points.data(), *end = points + chains->point_count;
  // As much memory as points have, so that it grows as rarely.
  if (chains->offsets.size() < chains->point_count) chains->offsets.resize(chains->points.size());
  Offset* next = chains->offsets.data();
  chains->has_offsets = true;
  if (!job.plan.is_thin) {
    std::fill_n(next, chains->point_count, Offset());
    return {};
  }
  const std::size_t width = input.width;
  offsets_.resize(width * input.height);
  clear(candidate_);
  for (const Point* point = points; point != end; ++point)
    candidate_.word(point->x / Plane::kBits, point->y) |= Plane::Word{1} << point->x % Plane::kBits;
  ConstFrame whole = input;
  whole.region = nullptr;
  region_.set(whole);
  run_front(OffsetSink{candidate_, offsets_.data()}, job.plan, whole);
  for (const Point* point = points; point != end; ++point)
    *next++ = offsets_[width * point->y + point->x];
  return {};
}

}  // namespace canny::cpu

// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the pixels of views that are not edge maps.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "canny/view.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Columns of a row.
struct Columns {
  int first = 0, count = 0;
};

/// Writes pixels of row y of `output` that show values, of which `values` is the first.
void write_values(const Plan& plan, const std::uint8_t* values, const Columns& columns,
                  const Frame& output, int y);

/// Writes row y of View::kClasses.
void write_classes(const Plan& plan, const Plane& candidate, const Plane& strong,
                   const Frame& output, int y);

/// Writes those pixels of row y that are in `to` and not in `from` as `value`.
void write_added(const Plan& plan, const Plane& from, const Plane& to, std::uint8_t value,
                 const Frame& output, int y);

/// Writes row y without chroma planes, and returns how many of its pixels are edges.
std::uint32_t paint_row(const Paint& paint, const Plane& edges, const ConstFrame& input,
                        const Frame& output, int y);

/// Writes a row of the chroma planes.
void paint_chroma_row(const Paint& paint, const Plane& edges, const ConstFrame& input,
                      const Frame& output, int row);

}  // namespace canny::cpu

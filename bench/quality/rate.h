// SPDX-License-Identifier: LGPL-2.1-or-later
// The tables of figures: metrics of edges in pictures and in drawn shapes.
#pragma once

#include <string>
#include <vector>

#include "detect.h"
#include "picture.h"
#include "table.h"

namespace quality {

/// Tables with a row for each picture: equality with OpenCV and with the reference, average
/// gradient and standard deviation, and edges that bounded hysteresis finds. Sets
/// `*are_equal` to whether all pixels equal OpenCV's and the reference's.
std::vector<Table> rate_pictures(const std::vector<Picture>& pictures, Edges* edges,
                                 bool* are_equal);

/// Tables with a row for each setting and a column for each level of noise: means over the drawn
/// shapes of the figure of merit, precision, recall and F-measure.
std::vector<Table> rate_shapes(Edges* edges);

/// A table with a row for each setting: distances of the points of contours from drawn steps.
Table rate_steps(Edges* edges);

/// A table with a row for each picture: the same metrics of its edges, with default parameters,
/// against boundaries in `folder`.
Table rate_boundaries(const std::vector<Picture>& pictures, const std::string& folder,
                      Edges* edges);

}  // namespace quality

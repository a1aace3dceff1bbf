// SPDX-License-Identifier: LGPL-2.1-or-later
/// Frames whose metas have boxes.
#pragma once

#include <vector>

#include "fixture.h"

namespace check {

Layout box_layout();  ///< 90x64 pixels

/// Pushes a picture (transfer full) and compares the output with the edges in these rectangles.
void check_boxes(Element& element, GstBuffer* picture,
                 const std::vector<canny::Rectangle>& rectangles, const char* what);

}  // namespace check

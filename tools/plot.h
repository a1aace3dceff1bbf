// SPDX-License-Identifier: LGPL-2.1-or-later
/// A plot of the times of the latest frames.
#pragma once

#include <cairo.h>

#include "tools/statistics.h"

namespace tuner {

/// Draws a bar for each frame, the latest at the right: its stages, one above the other, or its
/// whole time. The time of the top is written there. A few slow frames do not shrink the others: a
/// mark at the top shows that a bar goes on.
void draw_plot(cairo_t* cairo, const History& history, double width, double height);

}  // namespace tuner

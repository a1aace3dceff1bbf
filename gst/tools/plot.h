// SPDX-License-Identifier: LGPL-2.1-or-later
/// A plot of the times of the latest frames.
#pragma once

#include <cairo.h>

#include "tools/statistics.h"

namespace tuner {

/// Draws a bar for each frame, the latest at the right: its stages, one above the other, or its
/// whole time. The top is the longest bar, whose time is written there.
void draw_plot(cairo_t* cairo, const History& history, double width, double height);

}  // namespace tuner

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Frames as pictures of cairo.
#pragma once

#include <cairo.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include <memory>
#include <string>

namespace tuner {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Picture = std::unique_ptr<cairo_surface_t, DestroySurface>;

/// Converts a frame of any format. Null if its caps are no video or memory runs out.
Picture new_picture(GstSample* sample);

int width_of(const Picture& picture);
int height_of(const Picture& picture);

/// Writes a PNG file. On failure, returns false and tells in `error` what to do.
bool save_picture(const Picture& picture, const std::string& path, std::string* error);

/// How the window shows input and output.
enum class Layout { kSideBySide, kSplit, kOverlay };

/// The largest rectangle of a picture's shape, centered in another one that begins at x.
struct Place {
  double x, y, scale;
};
Place fit(const Picture& picture, double x, double width, double height);

/// Draws input and output, of one size, into an area. With kSplit, the input is left of the share
/// `split` of the picture's width and the output right of it. With kOverlay, the brightness of the
/// output is added to the input.
void draw_pictures(cairo_t* cairo, Layout layout, const Picture& input, const Picture& output,
                   double width, double height, double split);

}  // namespace tuner

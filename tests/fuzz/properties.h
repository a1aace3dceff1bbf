// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of the element, set to any values and read as parameters. A value outside the
// range of its property is reported.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <vector>

#include "canny/canny.h"
#include "reader.h"

namespace fuzz {

/// The parameters that the properties state. Their edge_color is the default.
canny::Params read_params(GstElement* element);

using Rectangles = std::vector<canny::Rectangle>;

/// The regions of interest of a buffer that count, or nothing if the whole frame counts.
std::optional<Rectangles> read_regions(GstElement* element, GstBuffer* buffer);

/// Adds a detection, in a build with GStreamer's analytics library.
void add_detection(GstBuffer* buffer, Reader& reader);

/// Lets all regions of interest and detections count, or some of them, or none.
void set_regions(GstElement* element, Reader& reader);

/// Binds one of these properties to a number within its type, or ends all this.
void bind(GstElement* element, Reader& reader);

/// Reports a property with a value outside its range.
void check_ranges(GstElement* element, const char* when);

/// Sets one of these properties to a number, often outside its range.
void set_number(GstElement* element, Reader& reader);

/// Sets one of these or another property to a text, like gst-launch-1.0.
void set_text(GstElement* element, Reader& reader);

}  // namespace fuzz

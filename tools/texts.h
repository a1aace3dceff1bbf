// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element's settings as texts for other programs.
#pragma once

#include <gst/gst.h>

#include <string>

#include "tools/source.h"

namespace tuner {

/// A launch line that shows the edges of the source: the element's properties that differ from
/// their defaults. `format` is the format of the element's input, empty for that of the source.
std::string launch_line(const Source& source, const std::string& format, GstElement* element);

/// C++ code that gives libcudacanny the same settings: canny::Params and, if any of their members
/// differs from its default, canny::Options.
std::string cpp_text(GstElement* element);

}  // namespace tuner

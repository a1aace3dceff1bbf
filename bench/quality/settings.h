// SPDX-License-Identifier: LGPL-2.1-or-later
// Parameters under the names of the element's properties.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"

namespace quality {

struct Setting {
  std::string name;  ///< the properties that differ from their defaults
  canny::Params params;
};

/// The settings whose edges of drawn shapes are rated: the default, other blurs, the operators with
/// thresholds for the same steps in brightness, measured thresholds, and the rest.
std::vector<Setting> rated_settings();

/// Some of these, and one without blur, that OpenCV has as well. Their names are short: thresholds
/// are left out.
std::vector<Setting> opencv_settings();

/// The name in letters, digits and _, as a key in JSON.
std::string key_of(const std::string& name);

}  // namespace quality

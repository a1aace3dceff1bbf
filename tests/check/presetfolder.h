// SPDX-License-Identifier: LGPL-2.1-or-later
/// The folder of the user's presets in the tests.
#pragma once

#include <string>

namespace check {

/// Makes GStreamer save presets in a new folder until the end of the scope. Begins before GStreamer
/// starts.
struct PresetFolder {
  PresetFolder();
  ~PresetFolder();
  PresetFolder(const PresetFolder&) = delete;
  PresetFolder& operator=(const PresetFolder&) = delete;

  static std::string file();  ///< of the element's presets
};

}  // namespace check

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Creates and removes the folder of the user's presets.
#include "presetfolder.h"

#include <glib/gstdio.h>

namespace check {

static gchar* folder;

PresetFolder::PresetFolder() {
  folder = g_dir_make_tmp("cudacanny-XXXXXX", nullptr);
  g_assert(folder != nullptr);
  g_setenv("XDG_DATA_HOME", folder, TRUE);
}

PresetFolder::~PresetFolder() {
  g_unlink(file().c_str());
  g_unlink((file() + ".bak").c_str());
  for (const char* inner : {"/gstreamer-1.0/presets", "/gstreamer-1.0", ""})
    g_rmdir((folder + std::string(inner)).c_str());
  g_clear_pointer(&folder, g_free);
}

std::string PresetFolder::file() {
  return std::string(folder) + "/gstreamer-1.0/presets/GstCudaCanny.prs";
}

}  // namespace check

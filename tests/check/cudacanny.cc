// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs the tests of the element and prints how many cases ran on each backend.
#include "fixture.h"
#include "presetfolder.h"

int main(int argc, char** argv) {
  const check::PresetFolder saved;
  // The presets that the project ships lie beside the plugin.
  const gchar* plugin = g_getenv("GST_PLUGIN_PATH");
  if (plugin != nullptr) g_setenv("GST_PRESET_PATH", plugin, TRUE);
  gst_check_init(&argc, &argv);
  return check::run();
}

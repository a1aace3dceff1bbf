// SPDX-License-Identifier: LGPL-2.1-or-later
/// The folders of the presets in the tests.
#pragma once

namespace check {

/// Makes GStreamer look for presets beside the plugin, and save them in an empty folder. Call
/// before GStreamer starts.
void use_own_presets();

/// Removes the folder of saved presets.
void remove_own_presets();

}  // namespace check

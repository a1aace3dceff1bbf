// SPDX-License-Identifier: LGPL-2.1-or-later
/// Presets of the user with broken values.
#pragma once

namespace hostile {

/// Makes a folder with broken presets the user's. To be called before GStreamer starts.
void use_broken_presets();
void remove_broken_presets();

}  // namespace hostile

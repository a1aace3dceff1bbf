// SPDX-License-Identifier: LGPL-2.1-or-later
/// The plugin "cudacanny": registers its element.

// First: GStreamer's headers read the release date in it.
#include "config.h"

#include <gst/gst.h>

#include "gstcudacanny.h"

/**
 * plugin-cudacanny:
 *
 * Edge detection on a GPU (CUDA or OpenCL) or on the CPU.
 *
 * Since: 0.1
 */

static gboolean plugin_init(GstPlugin* plugin) { return GST_ELEMENT_REGISTER(cudacanny, plugin); }

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, cudacanny,
                  "Canny edge detection on a GPU (CUDA or OpenCL) or on the CPU", plugin_init,
                  VERSION, "LGPL", GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)

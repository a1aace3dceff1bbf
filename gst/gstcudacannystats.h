// SPDX-License-Identifier: LGPL-2.1-or-later
/// The statistics of "cudacanny".
#pragma once

#include <gst/gst.h>

#include <string>

/// What "stats" says.
struct GstCudaCannyStats {
  std::string backend = "none";
  std::string device;
  std::string reason = "the element is not started";
  guint64 frames = 0;       ///< since the last start
  guint64 uploads = 0;      ///< of these, copied to the device
  guint64 downloads = 0;    ///< of these, copied from the device
  GstClockTime last = 0;    ///< ns the last frame took
  GstClockTime total = 0;   ///< ns all frames took
  guint64 edge_pixels = 0;  ///< of the last frame

  GstStructure* to_structure() const;  ///< transfer full
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The statistics as the property has them.
#include "gstcudacannystats.h"

GstStructure* GstCudaCannyStats::to_structure() const {
  return gst_structure_new("application/x-cudacanny-stats", "backend", G_TYPE_STRING,
                           backend.c_str(), "device", G_TYPE_STRING, device.c_str(), "reason",
                           G_TYPE_STRING, reason.c_str(), "frames", G_TYPE_UINT64, frames,
                           "uploads", G_TYPE_UINT64, uploads, "downloads", G_TYPE_UINT64, downloads,
                           "last-time", G_TYPE_UINT64, last, "mean-time", G_TYPE_UINT64,
                           frames > 0 ? total / frames : 0, "edge-pixels", G_TYPE_UINT64,
                           edge_pixels, static_cast<void*>(nullptr));
}

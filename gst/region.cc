// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads GstVideoRegionOfInterestMeta.
#include "region.h"

#include <gst/video/video.h>

static int to_position(guint number) { return static_cast<gint32>(number); }

/// Lengths beyond those of an int reach beyond every frame.
static int to_length(guint number) { return static_cast<int>(MIN(number, guint{G_MAXINT})); }

void gst_cuda_canny_region_read(GstBuffer* buffer, const GstCudaCannyRoiType& type,
                                std::vector<canny::Rectangle>* rectangles) {
  rectangles->clear();
  const GQuark quark = type.name != nullptr ? g_quark_try_string(type.name->c_str()) : 0;
  if (type.name != nullptr && quark == 0) return;  // no meta can have it
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (quark != 0 && region->roi_type != quark) continue;
    rectangles->push_back({to_position(region->x), to_position(region->y), to_length(region->w),
                           to_length(region->h)});
  }
}

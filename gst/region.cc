// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads GstVideoRegionOfInterestMeta.
#include "region.h"

#include <gst/video/video.h>

/// Numbers beyond those of an int are beyond every frame.
static int to_int(guint number) { return static_cast<int>(MIN(number, guint{G_MAXINT})); }

void gst_cuda_canny_region_read(GstBuffer* buffer, GstCudaCannyRoiType type,
                                std::vector<canny::Rectangle>* rectangles) {
  rectangles->clear();
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (type.quark != 0 && region->roi_type != type.quark) continue;
    rectangles->push_back(
        {to_int(region->x), to_int(region->y), to_int(region->w), to_int(region->h)});
  }
}

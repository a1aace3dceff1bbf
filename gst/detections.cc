// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads object detections with GStreamer's analytics library.
#include "detections.h"

#include <gst/analytics/analytics.h>

static void read_relations(GstAnalyticsRelationMeta* relations, GQuark label, gfloat min_confidence,
                           std::vector<canny::Rectangle>* boxes) {
  gpointer state = nullptr;
  GstAnalyticsODMtd detection;
  while (gst_analytics_relation_meta_iterate(relations, &state, gst_analytics_od_mtd_get_mtd_type(),
                                             &detection)) {
    if (label != 0 && gst_analytics_od_mtd_get_obj_type(&detection) != label) continue;
    canny::Rectangle box;
    gfloat confidence = 0;
    const bool is_read = gst_analytics_od_mtd_get_location(&detection, &box.x, &box.y, &box.width,
                                                           &box.height, &confidence);
    if (is_read && confidence >= min_confidence) boxes->push_back(box);
  }
}

void gst_cuda_canny_detections_read(GstBuffer* buffer, GQuark label, gfloat min_confidence,
                                    std::vector<canny::Rectangle>* boxes) {
  gpointer state = nullptr;
  while (GstMeta* meta =
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_ANALYTICS_RELATION_META_API_TYPE))
    read_relations(reinterpret_cast<GstAnalyticsRelationMeta*>(meta), label, min_confidence, boxes);
}

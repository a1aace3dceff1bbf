// SPDX-License-Identifier: LGPL-2.1-or-later
/// Reads object detections with GStreamer's analytics library.
#include "detections.h"

#include <gst/analytics/analytics.h>

#include <algorithm>

/// The meta has a matrix of relations: a byte for each two of its members.
static constexpr std::size_t kMostAdded = 1024;

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

void gst_cuda_canny_detections_add(GstBuffer* buffer, const canny::Components& components) {
  const std::size_t count = std::min(components.size(), kMostAdded);
  GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(buffer);
  if (relations == nullptr) {
    // Large enough for all: to grow, it copies the matrix.
    GstAnalyticsRelationMetaInitParams params = {count, count * 128};
    relations = gst_buffer_add_analytics_relation_meta_full(buffer, &params);
  }
  const GQuark label = g_quark_from_static_string("edge");
  for (std::size_t i = 0; i < count; i++) {
    const canny::Component& each = components[i];
    GstAnalyticsODMtd added;
    gst_analytics_relation_meta_add_od_mtd(relations, label, each.x, each.y, each.width,
                                           each.height, gfloat(each.strong_pixels) / each.pixels,
                                           &added);
  }
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests object detections in analytics metas: which boxes count, and that the metas stay.
#include <gst/analytics/analytics.h>

#include <string>
#include <vector>

#include "boxes.h"
#include "lists.h"
#include "reference/components.h"

using canny::Rectangle;
using check::check_boxes;
using check::Element;
using check::Owned;

static check::Suite suite("boxes");

struct Detection {
  const char* label;
  gint x, y, width, height;
  gfloat confidence;
  gfloat rotation = 0;
};

static GstBuffer* picture_with(const std::vector<Detection>& detections, std::uint64_t seed = 3) {
  GstBuffer* picture = check::new_picture(check::box_layout(), seed);
  GstAnalyticsRelationMeta* relations = gst_buffer_add_analytics_relation_meta(picture);
  for (const Detection& each : detections) {
    GstAnalyticsODMtd added;
    const GQuark label = g_quark_from_string(each.label);
#if GST_CHECK_VERSION(1, 26, 0)
    fail_unless(gst_analytics_relation_meta_add_oriented_od_mtd(
        relations, label, each.x, each.y, each.width, each.height, each.rotation, each.confidence,
        &added));
#else
    fail_unless(gst_analytics_relation_meta_add_od_mtd(relations, label, each.x, each.y, each.width,
                                                       each.height, each.confidence, &added));
#endif
    GstAnalyticsClsMtd other;  // data of another kind in between
    fail_unless(gst_analytics_relation_meta_add_one_cls_mtd(relations, 0.5f, label, &other));
  }
  return picture;
}

static void set_meta_mode(Element& element) {
  gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", "meta");
  element.send_caps(check::box_layout());
}

static const std::vector<Detection> kDetections = {{"car", 5, 4, 30, 20, 0.9f},
                                                   {"person", 40, 8, 44, 50, 0.4f}};

BACKEND_TEST(labels_and_confidences) {
  const Rectangle car = {5, 4, 30, 20}, person = {40, 8, 44, 50}, region = {10, 30, 20, 30};
  Element element(__i__, 1);
  set_meta_mode(element);
  const auto check = [&](const char* type, double confidence, const std::vector<Rectangle>& boxes) {
    g_object_set(element.get(), "roi-type", type, "roi-min-confidence", confidence, nullptr);
    GstBuffer* picture = picture_with(kDetections);
    gst_buffer_add_video_region_of_interest_meta(picture, "car", 10, 30, 20, 30);
    check_boxes(element, picture, boxes, type != nullptr ? type : "any type");
  };
  check(nullptr, 0, {car, person, region});
  check("car", 0, {car, region});
  check("person", 0, {person});
  check("a label that no detection has", 0, {});
  check(nullptr, 0.4, {car, person, region});
  check(nullptr, 0.41, {car, region});
  check(nullptr, 0.9, {car, region});
  check(nullptr, 1, {region});
  check("person", 0.5, {});
  fail_unless(g_quark_try_string("a label that no detection has") == 0, "the label stays for ever");
}

PLAIN_TEST(detections_without_roi_mode) {
  Element element(0, check::box_layout(), 1);
  check_boxes(element, picture_with(kDetections), {{0, 0, 90, 64}}, "roi-mode=none");
  set_meta_mode(element);
  check_boxes(element, picture_with({}), {}, "a meta without detections");
}

/// Boxes may exceed the frame, have negative positions or no pixels.
BACKEND_TEST(any_boxes) {
  Element element(__i__, 1);
  set_meta_mode(element);
  const auto check = [&](const Detection& box, const std::vector<Rectangle>& rectangles) {
    check_boxes(element, picture_with({box}), rectangles, box.label);
  };
  check({"before the frame", -20, -9, 50, 29, 1}, {{0, 0, 30, 20}});
  check({"beyond the frame", 70, 40, G_MAXINT, G_MAXINT, 1}, {{70, 40, 20, 24}});
  check({"outside", 90, 0, 5, 5, 1}, {});
  check({"far outside", G_MININT, G_MININT, G_MAXINT, G_MAXINT, 1}, {});
  check({"without width", 10, 10, 0, 20, 1}, {});
  check({"of a negative width", 40, 10, -20, 20, 1}, {});
  g_object_set(element.get(), "roi-margin", "10%", nullptr);
  check({"with a margin", -10, 20, 40, 11, 1}, {{0, 18, 34, 15}});
  check({"without width, with a margin", 10, 10, 0, 20, 1}, {});
}

#if GST_CHECK_VERSION(1, 26, 0)
BACKEND_TEST(rotated_boxes) {
  Element element(__i__, 1);
  set_meta_mode(element);
  const auto check = [&](const Detection& box, const Rectangle& bounds) {
    check_boxes(element, picture_with({box}), {bounds}, box.label);
  };
  check({"a quarter turn", 40, 30, 20, 10, 1, gfloat(G_PI / 2)}, {45, 25, 10, 20});
  check({"back", 40, 30, 20, 10, 1, gfloat(-G_PI / 2)}, {45, 25, 10, 20});
  check({"an eighth", 40, 30, 20, 10, 1, gfloat(G_PI / 4)}, {39, 24, 22, 22});
  check({"at the corner", -5, -5, 20, 10, 1, gfloat(G_PI / 2)}, {0, 0, 10, 10});
}
#endif

/// Each frame in flight has the boxes of its own push, and its output has its meta.
BACKEND_TEST(detections_in_flight) {
  Element element(__i__, 3);
  set_meta_mode(element);
  constexpr gint kFrames = 12;
  for (gint i = 0; i < kFrames; i++) {
    fail_unless_equals_int(element.push(picture_with({{"moving", 3 * i, i, 20 + i, 30, 1}}, i)),
                           GST_FLOW_OK);
  }
  for (gint i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> output(element.wait());
    fail_unless(output != nullptr);
    GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(output.get());
    fail_unless(relations != nullptr);
    gpointer state = nullptr;
    GstAnalyticsODMtd detection;
    gint x = -1, y = -1, width = -1, height = -1;
    gfloat confidence = 0;
    fail_unless(gst_analytics_relation_meta_iterate(
        relations, &state, gst_analytics_od_mtd_get_mtd_type(), &detection));
    fail_unless(
        gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &confidence));
    fail_unless(x == 3 * i && y == i && width == 20 + i && height == 30 && confidence == 1);
    const check::Layout layout = check::box_layout();
    const Owned<GstBuffer> input(picture_with({}, i));
    const auto edges = check::edges_in(input.get(), layout, {{3 * i, i, 20 + i, 30}});
    const std::string differs = check::difference(output.get(), layout, edges);
    fail_unless(differs.empty(), "frame %d: %s", i, differs.c_str());
  }
}

/// Each component is a detection, beside those of the input.
BACKEND_TEST(components_as_detections) {
  for (const guint others : {0u, 1u}) {
    Element element(__i__, 1);
    check::restart_with(element, "components", 5);
    const check::Layout layout = check::box_layout();
    element.send_caps(layout);
    GstBuffer* picture =
        others > 0 ? picture_with({kDetections[0]}) : check::new_picture(layout, 3);
    std::vector<std::uint8_t> bytes = check::read_bytes(picture);
    const reference::Candidates candidates =
        reference::front({}, check::const_frame_of(layout, bytes.data()));
    const auto expected =
        reference::components(reference::edges_of({}, candidates), candidates.strong, 5);
    fail_unless(!expected.empty());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(output.get());
    fail_unless(relations != nullptr);
    gpointer state = nullptr;
    GstAnalyticsODMtd detection;
    std::size_t found = 0;
    while (gst_analytics_relation_meta_iterate(relations, &state,
                                               gst_analytics_od_mtd_get_mtd_type(), &detection)) {
      if (gst_analytics_od_mtd_get_obj_type(&detection) != g_quark_try_string("edge")) continue;
      gint x, y, width, height;
      gfloat confidence;
      fail_unless(
          gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &confidence));
      fail_unless(found < expected.size());
      const canny::Component& each = expected[found++];
      fail_unless(x == each.x && y == each.y && width == each.width && height == each.height);
      fail_unless(confidence == gfloat(each.strong_pixels) / each.pixels);
    }
    fail_unless_equals_int(found, expected.size());
  }
}

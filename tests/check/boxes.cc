// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the margin that boxes of metas gain.
#include "boxes.h"

#include <string>

using check::Element;
using check::Layout;

static check::Suite suite("boxes");

Layout check::box_layout() { return check::plain_layout(check::kRgb, 90, 64); }

void check::check_boxes(Element& element, GstBuffer* picture,
                        const std::vector<canny::Rectangle>& rectangles, const char* what) {
  const Layout layout = check::box_layout();
  const std::string differs =
      check::push_difference(element, picture, layout, edges_in(picture, layout, rectangles));
  fail_unless(differs.empty(), "%s: %s", what, differs.c_str());
}

static GstBuffer* picture_with_region(guint x, guint y, guint width, guint height) {
  GstBuffer* picture = check::new_picture(check::box_layout(), 3);
  gst_buffer_add_video_region_of_interest_meta(picture, "face", x, y, width, height);
  return picture;
}

struct Margin {
  const char* text;
  std::vector<canny::Rectangle> widened;  ///< 20,16,25,11
};

static const Margin kMargins[] = {
    {nullptr, {{20, 16, 25, 11}}}, {"", {{20, 16, 25, 11}}},   {"0", {{20, 16, 25, 11}}},
    {"0%", {{20, 16, 25, 11}}},    {"3", {{17, 13, 31, 17}}},  {"16384", {{0, 0, 90, 64}}},
    {"20%", {{15, 13, 35, 17}}},   {"1%", {{19, 15, 27, 13}}}, {"100%", {{-5, 5, 75, 33}}},
    {"16384%", {{0, 0, 90, 64}}},
};

BACKEND_TEST(boxes_gain_a_margin) {
  Element element(__i__, 1);
  gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", "meta");
  element.send_caps(check::box_layout());
  for (const Margin& margin : kMargins) {
    g_object_set(element.get(), "roi-margin", margin.text, nullptr);
    check::check_boxes(element, picture_with_region(20, 16, 25, 11), margin.widened, margin.text);
  }
  g_object_set(element.get(), "roi-margin", "16384%", nullptr);
  check::check_boxes(element, picture_with_region(G_MAXINT, 0, G_MAXINT, 64), {{0, 0, 90, 64}},
                     "the largest box");
  check::check_boxes(element, picture_with_region(guint(G_MININT), 0, 1, 64), {}, "far away");
  // Over 99 pixels, a hundredth differs from its neighbors.
  g_object_set(element.get(), "roi-margin", "500%", nullptr);
  check::check_boxes(element, picture_with_region(180, 0, 25, 64), {{55, 0, 35, 64}},
                     "a box beside the frame");
  g_object_set(element.get(), "roi-margin", "5", nullptr);
  check::check_boxes(element, picture_with_region(20, 16, 0, 11), {}, "a box without pixels");
}

/// The rectangles of roi stay as they are.
BACKEND_TEST(roi_gains_no_margin) {
  Element element(__i__, 1);
  g_object_set(element.get(), "roi-margin", "5", "roi", "60,40,12,12", nullptr);
  element.send_caps(check::box_layout());
  check::check_boxes(element, picture_with_region(20, 16, 25, 11), {{60, 40, 12, 12}}, "roi alone");
  gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", "meta");
  check::check_boxes(element, picture_with_region(20, 16, 25, 11),
                     {{60, 40, 12, 12}, {15, 11, 35, 21}}, "roi and a meta");
}

PLAIN_TEST(malformed_margins_are_refused) {
  Element element(0, 1);
  g_object_set(element.get(), "roi-margin", "7%", nullptr);
  for (const char* text : {"7%", "x", "-1", "1.5", "16385", "5 px", "5%%", "%", "5%5", "0x5"}) {
    const bool is_valid = std::string(text) == "7%";
    g_object_set(element.get(), "roi-margin", text, nullptr);
    const check::Told told = check::told_by(element.pop(GST_MESSAGE_WARNING));
    fail_unless((told.domain == 0) == is_valid, "'%s'", text);
    fail_unless(is_valid || told.has("such as 8 or 10%"), "%s", told.text.c_str());
    fail_unless(check::text_of(element.get(), "roi-margin") == "7%");
  }
}

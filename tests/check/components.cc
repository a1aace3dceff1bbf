// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the components of edges in the meta "cudacanny".
#include "reference/components.h"

#include <vector>

#include "lists.h"

using canny::Component;
using check::Element;
using check::Layout;
using check::numbers_in;
using check::Owned;

static check::Suite suite("components");

static constexpr guint kLeast = 5;  // pixels of a component in these tests

static void check_components(GstBuffer* output, const std::vector<Component>& expected) {
  std::vector<guint16> boxes;
  std::vector<guint32> pixels, strong;
  std::vector<guint64> sums;
  for (const Component& each : expected) {
    boxes.insert(boxes.end(), {each.x, each.y, each.width, each.height});
    pixels.push_back(each.pixels);
    strong.push_back(each.strong_pixels);
    sums.insert(sums.end(), {each.sum_x, each.sum_y});
  }
  fail_unless(numbers_in<guint16>(output, "component-boxes") == boxes);
  fail_unless(numbers_in<guint32>(output, "component-pixels") == pixels);
  fail_unless(numbers_in<guint32>(output, "component-strong-pixels") == strong);
  fail_unless(numbers_in<guint64>(output, "component-sums") == sums);
}

static std::vector<Component> expected_components(GstBuffer* picture, const Layout& layout) {
  std::vector<std::uint8_t> bytes = check::read_bytes(picture);
  const reference::Candidates candidates =
      reference::front({}, check::const_frame_of(layout, bytes.data()));
  return reference::components(reference::edges_of({}, candidates), candidates.strong, kLeast);
}

FLIGHT_TEST(every_frame_has_its_components) {
  check::check_lists_in_flight(flight, "components", kLeast, expected_components, check_components);
}

BACKEND_TEST(no_components_unless_they_are_wanted) {
  check::check_no_lists(
      __i__, {"component-boxes", "component-pixels", "component-strong-pixels", "component-sums"});
}

/// The first frame with too many components after a start causes a warning.
PLAIN_TEST(more_components_than_there_may_be) {
  if (check::skip("more_components_than_there_may_be", 0)) return;
  constexpr int kApart = 6, kWidth = 256 * kApart;
  Element element(0, 1);
  g_object_set(element.get(), "low-threshold", 10.0, "high-threshold", 10.0, "thin-edges", FALSE,
               "sigma", 0.0, nullptr);
  struct Frame {
    int rows;
    bool follows_start, has_warning;
  };
  for (const Frame& frame : {Frame{257, true, true}, Frame{257, false, false},
                             Frame{256, false, false}, Frame{257, true, true}}) {
    if (frame.follows_start) {
      check::restart_with(element, "components", kLeast);
      gst_harness_push_event(element.harness(), gst_event_new_stream_start("start"));
    }
    const int height = frame.rows * kApart;
    element.send_caps(check::new_caps(check::kGray, kWidth, height));
    element.send_segment();
    GstBuffer* picture = gst_buffer_new_allocate(nullptr, gsize(kWidth) * height, nullptr);
    gst_buffer_memset(picture, 0, 0, gsize(kWidth) * height);
    for (int y = 2; y < height; y += kApart)
      for (int x = 2; x < kWidth; x += kApart)
        gst_buffer_memset(picture, gsize(y) * kWidth + x, 255, 1);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    fail_unless_equals_int(numbers_in<guint32>(output.get(), "component-pixels").size(),
                           canny::kMaxComponents);
    check::check_warnings(element, frame.has_warning);
  }
}

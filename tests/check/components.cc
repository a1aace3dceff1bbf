// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the components of edges in the meta "cudacanny".
#include "reference/components.h"

#include <cstring>
#include <vector>

#include "fixture.h"

using canny::Component;
using check::Element;
using check::Layout;
using check::Owned;

static constexpr guint kLeast = 5;  // pixels of a component in these tests

static const GstStructure* structure_of(GstBuffer* buffer) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, "cudacanny");
  fail_unless(meta != nullptr);
  return gst_custom_meta_get_structure(meta);
}

/// The numbers in a field of the buffer's meta.
template <class Number>
static std::vector<Number> numbers_in(GstBuffer* buffer, const char* field) {
  const GValue* value = gst_structure_get_value(structure_of(buffer), field);
  fail_unless(value != nullptr, "%s", field);
  gsize size = 0;
  const gconstpointer bytes =
      g_bytes_get_data(static_cast<GBytes*>(g_value_get_boxed(value)), &size);
  std::vector<Number> numbers(size / sizeof(Number));
  if (size > 0) std::memcpy(numbers.data(), bytes, size);
  return numbers;
}

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

/// Starts the element again with components.
static void want_components(Element& element) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  g_object_set(element.get(), "components", kLeast, nullptr);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
}

GST_START_TEST(every_frame_has_its_components) {
  constexpr int kCounts[] = {1, 3, 8};  // frames in flight
  const int count = kCounts[__i__ / check::kBackends];
  if (check::skip("every_frame_has_its_components", __i__ % check::kBackends)) return;
  const Layout layout = check::plain_layout(check::kRgb, 164, 150);
  Element element(__i__ % check::kBackends, count);
  want_components(element);
  element.send_caps(layout);
  constexpr int kFrames = 12;
  std::vector<std::vector<Component>> expected;
  for (int i = 0; i < kFrames; i++) {
    GstBuffer* picture = check::new_picture(layout, i);
    expected.push_back(expected_components(picture, layout));
    fail_unless(!expected.back().empty());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (int i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> output(element.wait());
    check_components(output.get(), expected[i]);
  }
}
GST_END_TEST

GST_START_TEST(no_components_unless_they_are_wanted) {
  if (check::skip("no_components_unless_they_are_wanted", __i__)) return;
  const Layout layout = check::plain_layout(check::kRgb, 164, 150);
  Element element(__i__, 1);
  element.send_caps(layout);
  fail_unless_equals_int(element.push(check::new_picture(layout, 1)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  for (const char* field :
       {"component-boxes", "component-pixels", "component-strong-pixels", "component-sums"})
    fail_if(gst_structure_has_field(structure_of(output.get()), field), "%s", field);
}
GST_END_TEST

/// The first frame with too many components after a start causes a warning.
GST_START_TEST(more_components_than_there_may_be) {
  if (check::skip("more_components_than_there_may_be", 0)) return;
  constexpr int kApart = 6, kWidth = 256 * kApart;
  Element element(0, 1);
  want_components(element);
  g_object_set(element.get(), "low-threshold", 10.0, "high-threshold", 10.0, "thin-edges", FALSE,
               "sigma", 0.0, nullptr);
  for (const int rows : {257, 257, 256}) {
    const int height = rows * kApart;
    element.send_caps(check::new_caps(check::kGray, kWidth, height));
    GstBuffer* picture = gst_buffer_new_allocate(nullptr, gsize(kWidth) * height, nullptr);
    gst_buffer_memset(picture, 0, 0, gsize(kWidth) * height);
    for (int y = 2; y < height; y += kApart)
      for (int x = 2; x < kWidth; x += kApart)
        gst_buffer_memset(picture, gsize(y) * kWidth + x, 255, 1);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    fail_unless_equals_int(numbers_in<guint32>(output.get(), "component-pixels").size(),
                           canny::kMaxComponents);
  }
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_WARNING));
  fail_unless(message != nullptr, "no warning");
  fail_unless(element.pop(GST_MESSAGE_WARNING) == nullptr, "two warnings");
}
GST_END_TEST

Suite* components_suite() {
  Suite* suite = suite_create("components");
  TCase* tcase = tcase_create("components");
  suite_add_tcase(suite, tcase);
  tcase_add_checked_fixture(tcase, nullptr, check::stop_leftovers);
  tcase_add_loop_test(tcase, every_frame_has_its_components, 0, 3 * check::kBackends);
  add_backend_test(tcase, no_components_unless_they_are_wanted);
  tcase_add_test(tcase, more_components_than_there_may_be);
  return suite;
}

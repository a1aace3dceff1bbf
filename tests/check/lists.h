// SPDX-License-Identifier: LGPL-2.1-or-later
/// Lists in the meta "cudacanny", which a property of a start turns on.
#pragma once

#include <cstring>
#include <initializer_list>
#include <vector>

#include "fixture.h"

namespace check {

/// The numbers in a field of the buffer's meta; none if there is no such field.
template <class Number>
std::vector<Number> numbers_in(GstBuffer* buffer, const char* field) {
  GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, "cudacanny");
  fail_unless(meta != nullptr);
  const GValue* value = gst_structure_get_value(gst_custom_meta_get_structure(meta), field);
  if (value == nullptr) return {};
  gsize size = 0;
  const gconstpointer bytes =
      g_bytes_get_data(static_cast<GBytes*>(g_value_get_boxed(value)), &size);
  std::vector<Number> numbers(size / sizeof(Number));
  if (size > 0) std::memcpy(numbers.data(), bytes, size);
  return numbers;
}

/// Starts the element again with a property.
inline void restart_with(Element& element, const char* property, guint value) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  g_object_set(element.get(), property, value, nullptr);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
}

/// Checks each of several frames with check_list(output, list), where lists are those of
/// expected_list(picture, layout).
template <class ExpectedList, class CheckList>
void check_lists_in_flight(const Flight& flight, const char* property, guint value,
                           ExpectedList expected_list, CheckList check_list) {
  const Layout layout = plain_layout(kRgb, 164, 150);
  Element element(flight.backend, flight.frames);
  restart_with(element, property, value);
  element.send_caps(layout);
  constexpr int kFrames = 12;
  std::vector<decltype(expected_list(nullptr, layout))> expected;
  for (int i = 0; i < kFrames; i++) {
    GstBuffer* picture = new_picture(layout, i);
    expected.push_back(expected_list(picture, layout));
    fail_unless(!expected.back().empty());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (int i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> output(element.wait());
    check_list(output.get(), expected[i]);
  }
}

/// Checks that the element has warned once since the last call, or not at all.
inline void check_warnings(Element& element, bool has_warned) {
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_WARNING));
  fail_unless_equals_int((message != nullptr), has_warned);
  fail_unless(element.pop(GST_MESSAGE_WARNING) == nullptr, "two warnings");
}

/// Checks that a frame of an element without the property has none of these fields.
inline void check_no_lists(int backend, std::initializer_list<const char*> fields) {
  const Layout layout = plain_layout(kRgb, 164, 150);
  Element element(backend, layout, 1);
  fail_unless_equals_int(element.push(new_picture(layout, 1)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  GstCustomMeta* meta = gst_buffer_get_custom_meta(output.get(), "cudacanny");
  fail_unless(meta != nullptr);
  for (const char* field : fields)
    fail_if(gst_structure_has_field(gst_custom_meta_get_structure(meta), field), "%s", field);
}

}  // namespace check

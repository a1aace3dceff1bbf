// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the meta "cudacanny" of output buffers: its fields, its way downstream, and that buffers
/// that come back from downstream have one.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fixture.h"
#include "introspection.h"
#include "shapedpool.h"

using canny::Params;
using check::Element;
using check::Layout;
using check::Owned;
using check::Pipeline;

static check::Suite suite("metas");

static constexpr char kName[] = "cudacanny";

static Layout layout_of_tests() { return check::plain_layout(check::kRgb, 64, 50); }

static int count_metas(GstBuffer* buffer) {
  int count = 0;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta(buffer, &state)) {
    if (!gst_meta_info_is_custom(meta->info)) continue;
    count += gst_custom_meta_has_name(reinterpret_cast<GstCustomMeta*>(meta), kName);
  }
  return count;
}

/// The fields of the buffer's only meta of this name.
static GstStructure* fields_of(GstBuffer* buffer) {
  fail_unless(buffer != nullptr);
  fail_unless_equals_int(count_metas(buffer), 1);
  return gst_custom_meta_get_structure(gst_buffer_get_custom_meta(buffer, kName));
}

static guint64 number_of(GstBuffer* buffer, const char* field) {
  guint64 number = 0;
  fail_unless(gst_structure_get_uint64(fields_of(buffer), field, &number), "no %s", field);
  return number;
}

static double double_of(GstBuffer* buffer, const char* field) {
  double number = 0;
  fail_unless(gst_structure_get_double(fields_of(buffer), field, &number), "no %s", field);
  return number;
}

static void check_fields(GstBuffer* buffer, const canny::Result& expected, guint64 serial) {
  fail_unless_equals_int(gst_structure_n_fields(fields_of(buffer)), 4);
  fail_unless_equals_float(double_of(buffer, "low"), expected.low_threshold);
  fail_unless_equals_float(double_of(buffer, "high"), expected.high_threshold);
  fail_unless_equals_uint64(number_of(buffer, "edge-pixels"), expected.edge_pixels);
  fail_unless_equals_uint64(number_of(buffer, "settings-serial"), serial);
}

/// Settings that change before every second frame. Thresholds are absolute, then measured.
static Params params_of(int frame) {
  Params params;
  params.high_threshold = 150 + frame / 2;
  if (frame < 4) return params;
  params.threshold_mode = canny::ThresholdMode::kRelative;
  params.high_ratio = 0.1 + 0.01 * (frame / 2);
  return params;
}

/// Every frame in flight has the numbers of its own settings and pixels, and so have its copies.
FLIGHT_TEST(every_frame_has_its_numbers) {
  const Layout layout = layout_of_tests();
  Element element(flight.backend, layout, flight.frames);
  constexpr int kFrames = 12;
  std::vector<canny::Result> expected(kFrames);
  for (int i = 0; i < kFrames; i++) {
    GstBuffer* picture = check::new_picture(layout, i);
    check::reference_edges(picture, layout, params_of(i), &expected[i]);
    fail_unless(expected[i].edge_pixels > 0);
    element.set_params(params_of(i));
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (int i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> output(element.wait());
    check_fields(output.get(), expected[i], i / 2);
    const Owned<GstBuffer> copy(gst_buffer_copy(output.get()));
    check_fields(copy.get(), expected[i], i / 2);
    const Owned<GstBuffer> deep_copy(gst_buffer_copy_deep(output.get()));
    check_fields(deep_copy.get(), expected[i], i / 2);
  }
}

/// The serial number of the next frame.
static guint64 next_serial(Element& element) {
  fail_unless_equals_int(element.push(check::new_picture(layout_of_tests(), 1)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  return number_of(output.get(), "settings-serial");
}

PLAIN_TEST(the_serial_number_grows_with_changes) {
  Element element(0, layout_of_tests(), 1);
  guint64 serial = 0;
  fail_unless_equals_uint64(next_serial(element), serial);
  for (GParamSpec* pspec : check::own_properties(element.get())) {
    if (!(pspec->flags & GST_PARAM_MUTABLE_PLAYING) || check::is_twin(pspec)) continue;
    const check::Limits limits = check::limits(pspec);
    const double other = limits.initial == limits.minimum ? limits.maximum : limits.minimum;
    const auto expect = [&](double number, int changes, const char* what) {
      check::set_number(element.get(), pspec, number);
      if (!check::is_of_stats(pspec)) serial += changes;
      const guint64 next = next_serial(element);
      fail_unless(next == serial, "%s, %s: %d instead of %d", pspec->name, what, int(next),
                  int(serial));
    };
    expect(limits.initial, 0, "its own value");
    expect(other, 1, "another value");
    expect(other, 0, "the same value again");
    check::set_number(element.get(), pspec, limits.initial);
    expect(other, 1, "two changes");
    expect(limits.initial, 1, "back");
  }
  g_object_set(element.get(), "n-threads", 2u, nullptr);
  fail_unless_equals_uint64(next_serial(element), serial);
}

PLAIN_TEST(the_serial_number_begins_anew_at_a_start) {
  Element element(0, layout_of_tests(), 1);
  g_object_set(element.get(), "sigma", 2.0, nullptr);
  fail_unless_equals_uint64(next_serial(element), 1);
  gst_element_set_state(element.get(), GST_STATE_READY);
  g_object_set(element.get(), "sigma", 3.0, nullptr);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
  element.send_caps(layout_of_tests());
  element.send_segment();
  fail_unless_equals_uint64(next_serial(element), 0);
}

/// Keeps the fields of the buffers on a pad, by their timestamps.
struct Record {
  std::map<GstClockTime, std::string> fields;

  static GstPadProbeReturn keep(GstPad*, GstPadProbeInfo* info, gpointer data) {
    GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
    std::string text = std::to_string(count_metas(buffer));
    if (GstCustomMeta* meta = gst_buffer_get_custom_meta(buffer, kName)) {
      gchar* fields = gst_structure_to_string(gst_custom_meta_get_structure(meta));
      text += std::string(" ") + fields;
      g_free(fields);
    }
    static_cast<Record*>(data)->fields[GST_BUFFER_PTS(buffer)] = text;
    return GST_PAD_PROBE_OK;
  }

  void watch(GstElement* element, const char* name) {
    const Owned<GstPad> pad(gst_element_get_static_pad(element, name));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, keep, this, nullptr);
  }
};

/// Behind a tee, in queues and behind a filter that copies metas, it is the same.
BACKEND_TEST(the_meta_goes_downstream) {
  Record left, one, two;
  std::string problem;
  {
    Pipeline pipeline(std::string("videotestsrc num-buffers=20 pattern=ball ! "
                                  "video/x-raw,format=RGB,width=64,height=50,framerate=30/1 ! "
                                  "cudacanny name=canny sigma=0 backend=") +
                      check::backend_in_line(__i__) +
                      " ! tee name=t ! queue ! fakesink name=one t. ! queue ! videoconvert ! "
                      "video/x-raw,format=GRAY8 ! fakesink name=two");
    left.watch(pipeline["canny"], "src");
    one.watch(pipeline["one"], "sink");
    two.watch(pipeline["two"], "sink");
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    problem = pipeline.wait_for_end();
  }
  fail_if_wrong(problem);
  fail_unless_equals_int(left.fields.size(), 20);
  for (const auto& [time, text] : left.fields) {
    fail_unless(text.find("1 cudacanny, ") == 0, "%s", text.c_str());
  }
  fail_unless(one.fields == left.fields);
  fail_unless(two.fields == left.fields);
}

/// Pushes 100 frames. Each output has one meta, with the numbers of its frame. Returns the number
/// of different memories of the outputs.
static std::size_t push_a_hundred(Element& element, const Layout& layout) {
  std::set<GstMemory*> memories;
  for (int i = 0; i < 100; i++) {
    Params params;
    params.high_threshold = 150 + i % 7;
    element.set_params(params);
    GstBuffer* picture = check::new_picture(layout, i % 5);
    canny::Result expected;
    check::reference_edges(picture, layout, params, &expected);
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    check_fields(output.get(), expected, i);
    fail_unless(output->pool != nullptr);
    memories.insert(gst_buffer_peek_memory(output.get(), 0));
  }
  return memories.size();
}

FLIGHT_TEST(metas_do_not_pile_up_in_a_pool) {
  Element element(flight.backend, layout_of_tests(), flight.frames);
  const std::size_t memories = push_a_hundred(element, layout_of_tests());
  fail_unless(memories < 30, "%d memories for 100 frames", int(memories));
}

/// A pool of downstream's may leave the metas of the last frame on a buffer.
BACKEND_TEST(a_meta_that_is_already_there) {
  const Layout layout = layout_of_tests();
  const check::OwnedPool pool = check::new_shaped_pool(layout);
  pool->keeps_metas = TRUE;
  Element element(__i__, 1);
  check::offer(element, pool.get());
  element.send_caps(layout);
  fail_unless(push_a_hundred(element, layout) < 30);
}

/// The input's meta is about the frame that another element made the input of.
PLAIN_TEST(the_meta_of_the_input_stays_there) {
  const Layout layout = layout_of_tests();
  Element element(0, layout, 1);
  GstBuffer* picture = check::new_picture(layout, 1);
  canny::Result expected;
  check::reference_edges(picture, layout, {}, &expected);
  gst_structure_set(gst_custom_meta_get_structure(gst_buffer_add_custom_meta(picture, kName)),
                    "edge-pixels", G_TYPE_UINT64, guint64{7}, "low", G_TYPE_DOUBLE, 7.0, "other",
                    G_TYPE_INT, 7, nullptr);
  fail_unless_equals_int(element.push(gst_buffer_ref(picture)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  check_fields(output.get(), expected, 0);
  fail_unless_equals_int(gst_structure_n_fields(fields_of(picture)), 3);
  fail_unless_equals_uint64(number_of(picture, "edge-pixels"), 7);
  gst_buffer_unref(picture);
}

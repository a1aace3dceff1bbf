// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the chains of edge pixels in the meta "cudacanny".
#include "reference/contours.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "fixture.h"

using check::Element;
using check::Layout;
using check::Owned;
using check::Pipeline;
using reference::ChainPoints;

static constexpr guint kLeast = 5;  // points of a chain in these tests

/// The numbers in a field of the buffer's meta; none if there is no such field.
template <class Number>
static std::vector<Number> numbers_in(GstBuffer* buffer, const char* field) {
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

static std::vector<ChainPoints> chains_in(GstBuffer* buffer) {
  const std::vector<guint16> coordinates = numbers_in<guint16>(buffer, "contour-points");
  std::vector<ChainPoints> chains;
  guint32 point = 0;
  for (const guint32 end : numbers_in<guint32>(buffer, "contour-ends")) {
    ChainPoints chain;
    for (; point < end; point++)
      chain.emplace_back(coordinates[2 * point], coordinates[2 * point + 1]);
    chains.push_back(chain);
  }
  fail_unless_equals_int(int(2 * point), int(coordinates.size()));
  const std::vector<guint8> closed = numbers_in<guint8>(buffer, "contour-closed");
  fail_unless_equals_int(closed.size(), chains.size());
  for (gsize i = 0; i < closed.size(); i++)
    fail_unless_equals_int(closed[i], reference::is_closed(chains[i]));
  return chains;
}

static std::vector<ChainPoints> expected_chains(GstBuffer* picture, const Layout& layout) {
  std::vector<ChainPoints> chains;
  const auto edges = check::reference_edges(picture, layout, {});
  for (const ChainPoints& chain : reference::contours(edges, layout.width, layout.height))
    if (chain.size() >= kLeast) chains.push_back(chain);
  return chains;
}

/// Starts the element again with chains.
static void want_contours(Element& element) {
  gst_element_set_state(element.get(), GST_STATE_READY);
  g_object_set(element.get(), "contours", kLeast, nullptr);
  gst_element_set_state(element.get(), GST_STATE_PLAYING);
}

GST_START_TEST(every_frame_has_its_chains) {
  constexpr int kCounts[] = {1, 3, 8};  // frames in flight
  const int count = kCounts[__i__ / check::kBackends];
  if (check::skip("every_frame_has_its_chains", __i__ % check::kBackends)) return;
  const Layout layout = check::plain_layout(check::kRgb, 164, 150);
  Element element(__i__ % check::kBackends, count);
  want_contours(element);
  element.send_caps(layout);
  constexpr int kFrames = 12;
  std::vector<std::vector<ChainPoints>> expected;
  for (int i = 0; i < kFrames; i++) {
    GstBuffer* picture = check::new_picture(layout, i);
    expected.push_back(expected_chains(picture, layout));
    fail_unless(!expected.back().empty());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (int i = 0; i < kFrames; i++) {
    const Owned<GstBuffer> output(element.wait());
    fail_unless(chains_in(output.get()) == expected[i], "frame %d", i);
    const Owned<GstBuffer> copy(gst_buffer_copy(output.get()));
    fail_unless(chains_in(copy.get()) == expected[i], "copy of frame %d", i);
  }
}
GST_END_TEST

GST_START_TEST(no_chains_unless_they_are_wanted) {
  if (check::skip("no_chains_unless_they_are_wanted", __i__)) return;
  const Layout layout = check::plain_layout(check::kRgb, 164, 150);
  Element element(__i__, 1);
  element.send_caps(layout);
  fail_unless_equals_int(element.push(check::new_picture(layout, 1)), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  GstCustomMeta* meta = gst_buffer_get_custom_meta(output.get(), "cudacanny");
  for (const char* field : {"contour-points", "contour-ends", "contour-closed"})
    fail_if(gst_structure_has_field(gst_custom_meta_get_structure(meta), field), "%s", field);
}
GST_END_TEST

/// The chains of each frame of a pipeline, by time.
using Record = std::map<GstClockTime, std::vector<ChainPoints>>;

static GstPadProbeReturn keep_chains(GstPad*, GstPadProbeInfo* info, gpointer data) {
  GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  (*static_cast<Record*>(data))[GST_BUFFER_PTS(buffer)] = chains_in(buffer);
  return GST_PAD_PROBE_OK;
}

static Record chains_of_output(int backend, const char* output) {
  Record record;
  std::string problem;
  {
    Pipeline pipeline(std::string("videotestsrc num-buffers=10 pattern=ball ! "
                                  "video/x-raw,format=I420,width=320,height=240,framerate=30/1 ! "
                                  "cudacanny contours=5 backend=") +
                      check::backend_in_line(backend) + " output=" + output +
                      " ! fakesink name=sink");
    GstPad* pad = gst_element_get_static_pad(pipeline["sink"], "sink");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, keep_chains, &record, nullptr);
    gst_object_unref(pad);
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    problem = pipeline.wait_for_end();
  }
  fail_unless(problem.empty(), "%s", problem.c_str());
  fail_unless_equals_int(record.size(), 10);
  return record;
}

GST_START_TEST(chains_do_not_depend_on_the_output) {
  if (check::skip("chains_do_not_depend_on_the_output", __i__)) return;
  const Record expected = chains_of_output(__i__, "edges");
  for (const auto& [time, chains] : expected) fail_if(chains.empty());
  fail_unless(chains_of_output(__i__, "overlay") == expected);
  fail_unless(chains_of_output(__i__, "masked") == expected);
  for (const auto& [time, chains] : chains_of_output(__i__, "gradient"))
    fail_unless(chains.empty());
}
GST_END_TEST

/// A frame where nearly every pixel is an edge.
static GstBuffer* new_noise(gsize side) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, side * side, nullptr);
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) map.data[i] = guint8(i * 2654435761u >> 13);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

/// The first frame with too many points for its contours after a start causes a warning.
GST_START_TEST(contours_that_are_cut) {
  if (check::is_slow() || check::skip("contours_that_are_cut", 0)) return;
  constexpr int kSide = 4400;
  Element element(0, 1);
  want_contours(element);
  g_object_set(element.get(), "low-threshold", 0.0, "high-threshold", 0.0, "thin-edges", FALSE,
               "sigma", 0.0, nullptr);
  for (const int side : {kSide, kSide, 64}) {
    element.send_caps(check::new_caps(check::kGray, side, side));
    fail_unless_equals_int(element.push(new_noise(gsize(side))), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    const auto points = numbers_in<guint32>(output.get(), "contour-points").size();
    fail_unless_equals_int((points == canny::kMaxContourPoints), (side == kSide));
  }
  const Owned<GstMessage> message(element.pop(GST_MESSAGE_WARNING));
  fail_unless(message != nullptr, "no warning");
  fail_unless(element.pop(GST_MESSAGE_WARNING) == nullptr, "two warnings");
}
GST_END_TEST

Suite* contours_suite() {
  Suite* suite = suite_create("contours");
  TCase* tcase = tcase_create("contours");
  suite_add_tcase(suite, tcase);
  tcase_add_checked_fixture(tcase, nullptr, check::stop_leftovers);
  tcase_add_loop_test(tcase, every_frame_has_its_chains, 0, 3 * check::kBackends);
  add_backend_test(tcase, no_chains_unless_they_are_wanted);
  add_backend_test(tcase, chains_do_not_depend_on_the_output);
  tcase_add_test(tcase, contours_that_are_cut);
  return suite;
}

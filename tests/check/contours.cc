// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the chains of edge pixels in the meta "cudacanny".
#include "reference/contours.h"

#include <map>
#include <string>
#include <vector>

#include "lists.h"
#include "reference/reference.h"

using check::Element;
using check::Layout;
using check::numbers_in;
using check::Owned;
using check::Pipeline;
using reference::ChainPoints;

static check::Suite suite("contours");

static constexpr guint kLeast = 5;  // points of a chain in these tests

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

static void check_chains(GstBuffer* output, const std::vector<ChainPoints>& expected) {
  fail_unless(chains_in(output) == expected);
  const Owned<GstBuffer> copy(gst_buffer_copy(output));
  fail_unless(chains_in(copy.get()) == expected, "a copy");
}

FLIGHT_TEST(every_frame_has_its_chains) {
  check::check_lists_in_flight(flight, "contours", kLeast, expected_chains, check_chains);
}

BACKEND_TEST(no_chains_unless_they_are_wanted) {
  check::check_no_lists(__i__,
                        {"contour-points", "contour-ends", "contour-closed", "contour-offsets"});
}

BACKEND_TEST(points_have_offsets) {
  const Layout layout = check::plain_layout(check::kRgb, 164, 150);
  Element element(__i__, 1);
  check::restart_with(element, "contours", kLeast);
  check::restart_with(element, "contour-precision", TRUE);
  element.send_caps(layout);
  GstBuffer* picture = check::new_picture(layout, 3);
  std::vector<std::uint8_t> bytes = check::read_bytes(picture);
  const reference::Response response =
      reference::respond({}, check::const_frame_of(layout, bytes.data()));
  const std::vector<ChainPoints> chains = expected_chains(picture, layout);
  std::vector<gint16> expected;
  for (const ChainPoints& chain : chains) {
    for (const auto& [x, y] : chain) {
      const reference::Offset offset = reference::offset({}, response, x, y);
      expected.insert(expected.end(), {gint16(offset.x), gint16(offset.y)});
    }
  }
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  check_chains(output.get(), chains);
  fail_unless(numbers_in<gint16>(output.get(), "contour-offsets") == expected);
}

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
    const Owned<GstPad> pad(gst_element_get_static_pad(pipeline["sink"], "sink"));
    gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, keep_chains, &record, nullptr);
    gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
    problem = pipeline.wait_for_end();
  }
  fail_if_wrong(problem);
  fail_unless_equals_int(record.size(), 10);
  return record;
}

BACKEND_TEST(chains_do_not_depend_on_the_output) {
  const Record expected = chains_of_output(__i__, "edges");
  for (const auto& [time, chains] : expected) fail_if(chains.empty());
  fail_unless(chains_of_output(__i__, "overlay") == expected);
  fail_unless(chains_of_output(__i__, "masked") == expected);
  for (const auto& [time, chains] : chains_of_output(__i__, "gradient"))
    fail_unless(chains.empty());
}

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
PLAIN_TEST(contours_that_are_cut) {
  if (check::is_slow() || check::skip("contours_that_are_cut", 0)) return;
  constexpr int kSide = 4400;
  Element element(0, 1);
  check::restart_with(element, "contours", kLeast);
  g_object_set(element.get(), "low-threshold", 0.0, "high-threshold", 0.0, "thin-edges", FALSE,
               "sigma", 0.0, nullptr);
  for (const int side : {kSide, kSide, 64}) {
    element.send_caps(check::new_caps(check::kGray, side, side));
    fail_unless_equals_int(element.push(new_noise(gsize(side))), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    const auto points = numbers_in<guint32>(output.get(), "contour-points").size();
    fail_unless_equals_int((points == canny::kMaxContourPoints), (side == kSide));
  }
  check::check_warnings(element, true);
}

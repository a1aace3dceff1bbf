// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests regions of interest: which rectangles and metas count, for which frames, and what happens
/// to the metas.
#include <string>
#include <vector>

#include "boxes.h"

using canny::Params;
using canny::Rectangle;
using check::box_layout;
using check::check_boxes;
using check::Element;
using check::Owned;
using check::Pipeline;
using Edges = std::vector<std::uint8_t>;

static check::Suite suite("regions");

struct Interest {
  const char* type;
  guint x, y, w, h;
};

static void add(GstBuffer* buffer, const Interest& at) {
  gst_buffer_add_video_region_of_interest_meta(buffer, at.type, at.x, at.y, at.w, at.h);
}

/// A picture with these metas, and another one in between that is of no interest.
static GstBuffer* picture_with(const std::vector<Interest>& interests, std::uint64_t seed = 3) {
  GstBuffer* picture = check::new_picture(box_layout(), seed);
  for (const Interest& interest : interests) {
    add(picture, interest);
    gst_buffer_add_video_crop_meta(picture)->width = 5;
  }
  return picture;
}

static Edges edges_in(GstBuffer* picture, const std::vector<Rectangle>& rectangles) {
  return check::edges_in(picture, box_layout(), rectangles);
}

static Edges all_edges(GstBuffer* picture) {
  return check::reference_edges(picture, box_layout(), Params());
}

static void check_output(GstBuffer* output, const Edges& edges, const char* what) {
  const std::string differs = check::difference(output, box_layout(), edges);
  fail_unless(differs.empty(), "%s: %s", what, differs.c_str());
}

/// Pushes a picture (transfer full) and compares its edges.
static void check_frame(Element& element, GstBuffer* picture, const Edges& edges,
                        const char* what) {
  const std::string differs = check::push_difference(element, picture, box_layout(), edges);
  fail_unless(differs.empty(), "%s: %s", what, differs.c_str());
}

static void set_mode(Element& element, const char* mode, const char* type = nullptr) {
  gst_util_set_object_arg(G_OBJECT(element.get()), "roi-mode", mode);
  g_object_set(element.get(), "roi-type", type, nullptr);
}

static const std::vector<Interest> kInterests = {
    {"face", 5, 4, 30, 20}, {"car", 40, 8, 44, 50}, {"face", 20, 15, 30, 40}};
static const std::vector<Rectangle> kFaces = {{5, 4, 30, 20}, {20, 15, 30, 40}};
static const std::vector<Rectangle> kCars = {{40, 8, 44, 50}};
static const std::vector<Rectangle> kEverything = {
    {5, 4, 30, 20}, {40, 8, 44, 50}, {20, 15, 30, 40}};

BACKEND_TEST(edges_lie_in_regions_of_the_type) {
  Element element(__i__, box_layout(), 1);
  const Owned<GstBuffer> picture(picture_with(kInterests));
  const auto run = [&](const char* mode, const char* type, const Edges& edges) {
    set_mode(element, mode, type);
    check_frame(element, gst_buffer_ref(picture.get()), edges, type != nullptr ? type : mode);
  };
  const Edges none(all_edges(picture.get()).size());
  const Edges faces = edges_in(picture.get(), kFaces), cars = edges_in(picture.get(), kCars);
  fail_unless(faces != none && cars != none && faces != cars);
  run("none", nullptr, all_edges(picture.get()));
  run("none", "face", all_edges(picture.get()));
  run("meta", nullptr, edges_in(picture.get(), kEverything));
  run("meta", "", edges_in(picture.get(), kEverything));
  run("meta", "face", faces);
  run("meta", "car", cars);
  run("meta", "a type that no meta has", none);
  fail_unless(g_quark_try_string("a type that no meta has") == 0, "the type stays for ever");
}

BACKEND_TEST(a_buffer_without_a_meta_has_no_edges) {
  Element element(__i__, 1);
  set_mode(element, "meta");
  element.send_caps(box_layout());
  const Owned<GstBuffer> picture(picture_with({}));
  const Edges none(all_edges(picture.get()).size());
  check_frame(element, gst_buffer_ref(picture.get()), none, "no meta");
  fail_unless_equals_uint64(check::stats_number(element.get(), "edge-pixels"), 0);
  check_frame(element, picture_with({{"face", 0, 0, 90, 64}}), all_edges(picture.get()), "a meta");
}

/// Rectangles may exceed the frame or lie beyond it, and there may be very many of them.
BACKEND_TEST(any_rectangles) {
  Element element(__i__, 1);
  set_mode(element, "meta");
  element.send_caps(box_layout());
  GstBuffer* picture = picture_with({{"a", 70, 40, G_MAXUINT, G_MAXUINT},
                                     {"b", guint(-5), 0, 5, 64},
                                     {"c", 90, 0, 1, 64},
                                     {"d", 3, 3, 0, 10}});
  check_boxes(element, picture, {{70, 40, 20, 24}}, "beyond the frame");
  picture = picture_with({{"left", guint(-20), 10, 50, 30}, {"top", 50, guint(-9), 30, 29}});
  check_boxes(element, picture, {{0, 10, 30, 30}, {50, 0, 30, 20}}, "before the frame");
  std::vector<Interest> many;
  std::vector<Rectangle> rectangles;
  for (guint i = 0; i < 1000; i++) many.push_back({"many", i % 89, i % 61, i % 7, i % 5});
  for (const Interest& at : many)
    rectangles.push_back({int(at.x), int(at.y), int(at.w), int(at.h)});
  picture = picture_with(many);
  fail_unless(check::count_edges(edges_in(picture, rectangles)) > 0);
  check_boxes(element, picture, rectangles, "many");
}

// ---- roi ----

static void set_roi(Element& element, const char* text) {
  g_object_set(element.get(), "roi", text, nullptr);
}

struct Roi {
  const char* text;
  std::vector<Rectangle> rectangles;
};

static const Roi kRois[] = {
    {"5,4,30,20", {{5, 4, 30, 20}}},
    {"5,4,30,20;20,15,30,40", {{5, 4, 30, 20}, {20, 15, 30, 40}}},
    {" 5 , 4,30,20 ; 20,15,30,40 ", {{5, 4, 30, 20}, {20, 15, 30, 40}}},
    {"-20,10,50,30;50,-9,30,29", {{0, 10, 30, 30}, {50, 0, 30, 20}}},
    {"70,40,2147483647,2147483647", {{70, 40, 20, 24}}},
    {"-2147483648,0,1,1;90,0,5,5", {}},
    {"0,0,90,64", {{0, 0, 90, 64}}},
};

/// The buffer has metas, too, which do not count.
BACKEND_TEST(edges_lie_in_the_rectangles_of_roi) {
  Element element(__i__, box_layout(), 1);
  const Owned<GstBuffer> picture(picture_with(kInterests));
  for (const Roi& roi : kRois) {
    set_roi(element, roi.text);
    fail_unless(check::text_of(element.get(), "roi") == roi.text);
    check_boxes(element, gst_buffer_ref(picture.get()), roi.rectangles, roi.text);
  }
  for (const char* none : {"", static_cast<const char*>(nullptr)}) {
    set_roi(element, kRois[0].text);
    set_roi(element, none);
    fail_unless(check::text_of(element.get(), "roi") == "null");
    check_frame(element, gst_buffer_ref(picture.get()), all_edges(picture.get()), "no roi");
  }
}

BACKEND_TEST(roi_adds_to_the_metas) {
  Element element(__i__, 1);
  set_mode(element, "meta", "car");
  set_roi(element, "5,4,30,20;20,15,30,40");
  element.send_caps(box_layout());
  const Owned<GstBuffer> picture(picture_with(kInterests));
  const Owned<GstBuffer> bare(picture_with({}));
  check_boxes(element, gst_buffer_ref(picture.get()), kEverything, "roi and a meta");
  check_boxes(element, gst_buffer_ref(bare.get()), kFaces, "roi without a meta");
  set_mode(element, "none");
  check_boxes(element, gst_buffer_ref(picture.get()), kFaces, "roi alone");
}

static const char* const kMalformed[] = {"x",
                                         " ",
                                         "1,2,3",
                                         "1,2,3,4,5",
                                         "1,2,3,4;",
                                         ";1,2,3,4",
                                         "1,2,3,4;;1,2,3,4",
                                         "1 2 3 4",
                                         "1,2,3,4 5,6,7,8",
                                         "1,2,,4",
                                         "1,2,0,4",
                                         "1,2,3,0",
                                         "1,2 3,4",
                                         "1,2,-3,4",
                                         "1.5,2,3,4",
                                         "0x1,2,3,4",
                                         "2147483648,2,3,4",
                                         "1,-2147483649,3,4",
                                         "1,2,99999999999999999999,4",
                                         "1,2,3,4;5,6,7"};

/// A text that is no list of rectangles is refused: on the bus or, without one, in the log.
BACKEND_TEST(malformed_texts_keep_the_old_roi) {
  Element element(__i__, 1);
  set_roi(element, "5,4,30,20");
  element.send_caps(box_layout());
  const Owned<GstBuffer> picture(picture_with({}));
  for (const char* text : kMalformed) {
    set_roi(element, text);
    const check::Told told = check::told_by(element.pop(GST_MESSAGE_WARNING));
    fail_unless(told.is(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS), "'%s'", text);
    for (const std::string& part : {std::string("Property roi keeps its value"),
                                    '"' + std::string(text) + '"', std::string("x,y,w,h")})
      fail_unless(told.has(part), "%s", told.text.c_str());
    fail_unless(check::text_of(element.get(), "roi") == "5,4,30,20");
    check_boxes(element, gst_buffer_ref(picture.get()), {{5, 4, 30, 20}}, text);
  }
  GstElement* alone = gst_element_factory_make("cudacanny", nullptr);
  for (const char* text : kMalformed) {
    ASSERT_WARNING(g_object_set(alone, "roi", text, nullptr));
    fail_unless(check::text_of(alone, "roi") == "null");
  }
  gst_object_unref(alone);
}

/// The largest number of rectangles, and one more.
BACKEND_TEST(as_many_rectangles_as_there_may_be) {
  constexpr int kMost = 65536;
  Element element(__i__, box_layout(), 1);
  std::string text = "5,4,30,20";
  for (int i = 1; i < kMost; i++) text += ";5,4,1,1";
  set_roi(element, text.c_str());
  fail_unless(element.pop(GST_MESSAGE_WARNING) == nullptr);
  const Owned<GstBuffer> picture(picture_with({}));
  check_boxes(element, gst_buffer_ref(picture.get()), {{5, 4, 30, 20}}, "many");
  set_roi(element, (text + ";0,0,90,64").c_str());
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_WARNING));
  fail_unless_equals_string(told.text.c_str(),
                            "Property roi keeps its value: There are more than 65536 rectangles.");
  fail_unless(check::text_of(element.get(), "roi") == text);
  check_boxes(element, gst_buffer_ref(picture.get()), {{5, 4, 30, 20}}, "too many");
}

/// Each frame in flight has the roi of its own push.
FLIGHT_TEST(roi_of_the_time_of_the_push) {
  Element element(flight.backend, box_layout(), flight.frames);
  std::vector<Edges> expected;
  for (guint i = 0; i < 24; i++) {
    GstBuffer* picture = picture_with({}, i);
    const Roi& roi = kRois[i % G_N_ELEMENTS(kRois)];
    set_roi(element, i % 5 == 4 ? nullptr : roi.text);
    expected.push_back(i % 5 == 4 ? all_edges(picture) : edges_in(picture, roi.rectangles));
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (const Edges& edges : expected) {
    const Owned<GstBuffer> output(element.wait());
    check_output(output.get(), edges, "in flight");
  }
}

// ---- frames and pipelines ----

/// Each frame in flight has the mode, the type and the metas of its own push.
FLIGHT_TEST(regions_of_the_time_of_the_push) {
  Element element(flight.backend, box_layout(), flight.frames);
  std::vector<Edges> expected;
  for (guint i = 0; i < 24; i++) {
    const guint x = 3 * i, w = 10 + i;
    GstBuffer* picture = picture_with({{"odd", x, 5, w, 40}, {"even", 7, i, 50, 20}}, i);
    const Rectangle odd = {int(x), 5, int(w), 40}, even = {7, int(i), 50, 20};
    const char* const types[] = {nullptr, "odd", "even"};
    set_mode(element, i % 4 == 0 ? "none" : "meta", types[i % 3]);
    if (i % 4 == 0) {
      expected.push_back(all_edges(picture));
    } else {
      const std::vector<Rectangle> rectangles[] = {{odd, even}, {odd}, {even}};
      expected.push_back(edges_in(picture, rectangles[i % 3]));
    }
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
  for (const Edges& edges : expected) {
    const Owned<GstBuffer> output(element.wait());
    check_output(output.get(), edges, "in flight");
  }
}

/// Measured thresholds follow from the pixels of the region.
BACKEND_TEST(thresholds_of_the_region) {
  Element element(__i__, 1);
  set_mode(element, "meta");
  Params params;
  params.threshold_mode = canny::ThresholdMode::kMedian;
  element.set_params(params);
  element.send_caps(box_layout());
  const Owned<GstBuffer> picture(picture_with(kInterests));
  canny::Result in_region, in_frame;
  const Edges edges = check::edges_in(picture.get(), box_layout(), kEverything, params, &in_region);
  check::reference_edges(picture.get(), box_layout(), params, &in_frame);
  fail_unless(in_region.high_threshold != in_frame.high_threshold);
  check_frame(element, gst_buffer_ref(picture.get()), edges, "median");
  fail_unless_equals_float(check::stats_double(element.get(), "high"), in_region.high_threshold);
}

/// The metas reach downstream, whether they count or not.
FLIGHT_TEST(metas_stay_on_the_output) {
  Element element(flight.backend, flight.frames);
  set_mode(element, "meta", "face");
  element.send_caps(box_layout());
  GstBuffer* picture = picture_with(kInterests);
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  const Owned<GstBuffer> output(element.wait());
  std::vector<std::string> types;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             output.get(), &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    types.push_back(g_quark_to_string(region->roi_type));
    const Interest& expected = kInterests[types.size() - 1];
    fail_unless(region->x == expected.x && region->y == expected.y && region->w == expected.w &&
                region->h == expected.h);
  }
  fail_unless(types == std::vector<std::string>({"face", "car", "face"}));
}

static GstPadProbeReturn add_region(GstPad*, GstPadProbeInfo* info, gpointer) {
  info->data = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  add(GST_PAD_PROBE_INFO_BUFFER(info), {"left", 0, 0, 100, 240});
  add(GST_PAD_PROBE_INFO_BUFFER(info), {"right", 160, 0, 160, 240});
  return GST_PAD_PROBE_OK;
}

/// The bytes of a gray frame of 320x240 that are not 0, left and right of column 130.
struct Sides {
  int frames = 0, left = 0, right = 0;
};

static GstPadProbeReturn count_sides(GstPad*, GstPadProbeInfo* info, gpointer data) {
  auto* sides = static_cast<Sides*>(data);
  const Edges bytes = check::read_bytes(GST_PAD_PROBE_INFO_BUFFER(info));
  for (gsize i = 0; i < bytes.size(); i++) {
    if (bytes[i] != 0) ++(i % 320 < 130 ? sides->left : sides->right);
  }
  sides->frames++;
  return GST_PAD_PROBE_OK;
}

static void probe(Pipeline& pipeline, const char* element, const char* pad,
                  GstPadProbeCallback callback, gpointer data) {
  const Owned<GstPad> found(gst_element_get_static_pad(pipeline[element], pad));
  gst_pad_add_probe(found.get(), GST_PAD_PROBE_TYPE_BUFFER, callback, data, nullptr);
}

/// Two elements share buffers, behind queues, and take different regions of them.
BACKEND_TEST(branches_of_a_tee) {
  const std::string backend = std::string(" backend=") + check::backend_in_line(__i__);
  Pipeline pipeline(
      "videotestsrc name=source num-buffers=12 ! "
      "video/x-raw,format=GRAY8,width=320,height=240 ! tee name=tee "
      "tee. ! queue ! cudacanny name=left roi-mode=meta roi-type=left" +
      backend +
      " ! video/x-raw,format=GRAY8 ! fakesink name=leftsink "
      "tee. ! queue ! cudacanny name=right roi-mode=meta roi-type=right" +
      backend + " ! video/x-raw,format=GRAY8 ! fakesink name=rightsink");
  Sides left, right;
  probe(pipeline, "source", "src", add_region, nullptr);
  probe(pipeline, "leftsink", "sink", count_sides, &left);
  probe(pipeline, "rightsink", "sink", count_sides, &right);
  fail_unless(pipeline.reach(GST_STATE_PLAYING));
  fail_if_wrong(pipeline.wait_for_end());
  fail_unless_equals_int(left.frames, 12);
  fail_unless_equals_int(right.frames, 12);
  fail_unless(left.left > 0 && left.right == 0);
  fail_unless(right.left == 0 && right.right > 0);
}

/// As gst-launch-1.0 reads it.
BACKEND_TEST(roi_in_a_launch_line) {
  for (const char* roi :
       {"roi=-10,-10,140,300", "roi=0,0,60,240;60,0,70,240", "roi=\"0,0,60,240; 60,0,70,240\""}) {
    Pipeline pipeline(
        std::string("videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=320,height=240 ! "
                    "cudacanny ") +
        roi + " backend=" + check::backend_in_line(__i__) +
        " ! video/x-raw,format=GRAY8 ! fakesink name=sink");
    Sides sides;
    probe(pipeline, "sink", "sink", count_sides, &sides);
    fail_unless(pipeline.reach(GST_STATE_PLAYING));
    fail_if_wrong(pipeline.wait_for_end());
    fail_unless_equals_int(sides.frames, 3);
    fail_unless(sides.left > 0 && sides.right == 0, "%s", roi);
  }
}

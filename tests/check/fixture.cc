// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pictures, the element under test, pipelines, and the tally of cases.
#include "fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "random.h"
#include "reference.h"

namespace check {

const Format kFormats[kFormatCount] = {
    {"RGB", canny::PixelFormat::kRgb, 3, "RGB"},
    {"BGR", canny::PixelFormat::kBgr, 3, "BGR"},
    {"RGBx", canny::PixelFormat::kRgbx, 4, "RGBx"},
    {"BGRx", canny::PixelFormat::kBgrx, 4, "BGRx"},
    {"xRGB", canny::PixelFormat::kXrgb, 4, "xRGB"},
    {"xBGR", canny::PixelFormat::kXbgr, 4, "xBGR"},
    {"RGBA", canny::PixelFormat::kRgbx, 4, "RGBA"},
    {"BGRA", canny::PixelFormat::kBgrx, 4, "BGRA"},
    {"ARGB", canny::PixelFormat::kXrgb, 4, "ARGB"},
    {"ABGR", canny::PixelFormat::kXbgr, 4, "ABGR"},
    {"GRAY8", canny::PixelFormat::kGray8, 1, "GRAY8"},
    {"NV12", canny::PixelFormat::kGray8, 1, "NV12"},
    {"NV21", canny::PixelFormat::kGray8, 1, "NV21"},
    {"I420", canny::PixelFormat::kGray8, 1, "I420"},
    {"YV12", canny::PixelFormat::kGray8, 1, "YV12"},
    {"Y42B", canny::PixelFormat::kGray8, 1, "Y42B"},
    {"Y444", canny::PixelFormat::kGray8, 1, "Y444"},
    {"YUY2", canny::PixelFormat::kYuy2, 2, "YUY2"},
    {"UYVY", canny::PixelFormat::kUyvy, 2, "UYVY"},
    {"NV16", canny::PixelFormat::kGray8, 1, "NV16"},
    {"NV61", canny::PixelFormat::kGray8, 1, "NV61"},
    {"NV24", canny::PixelFormat::kGray8, 1, "NV24"},
    {"Y41B", canny::PixelFormat::kGray8, 1, "Y41B"},
    {"YVYU", canny::PixelFormat::kYuy2, 2, "YVYU"},
    {"VYUY", canny::PixelFormat::kUyvy, 2, "VYUY"},
    {"AYUV", canny::PixelFormat::kAyuv, 4, "AYUV"},
    {"VUYA", canny::PixelFormat::kVuya, 4, "VUYA"},
    {"GBR", canny::PixelFormat::kRgbPlanes, 1, "GBR"},
    {"GBRA", canny::PixelFormat::kRgbPlanes, 1, "GBRA"},
    {"RGBP", canny::PixelFormat::kRgbPlanes, 1, "RGBP"},
    {"BGRP", canny::PixelFormat::kRgbPlanes, 1, "BGRP"},
    {"RGB16", canny::PixelFormat::kRgb16, 2, "RGB16"},
    {"BGR16", canny::PixelFormat::kBgr16, 2, "BGR16"},
    {"RGB15", canny::PixelFormat::kRgb15, 2, "RGB15"},
    {"BGR15", canny::PixelFormat::kBgr15, 2, "BGR15"},
    {"P010_10LE", canny::PixelFormat::kGray16Le, 2, "NV12"},
    {"I420_10LE", canny::PixelFormat::kGray10Le, 2, "I420"},
    {"GRAY16_LE", canny::PixelFormat::kGray16Le, 2, "GRAY8"},
    {"GRAY16_BE", canny::PixelFormat::kGray16Be, 2, "GRAY8"},
};
const Format& kRgb = kFormats[0];
const Format& kGray = kFormats[10];
const Format& kNv12 = kFormats[11];

GstVideoFormat video_format(const Format& format) {
  return gst_video_format_from_string(format.name);
}

static GstVideoInfo info_of(const Format& format, int width, int height) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, video_format(format), guint(width), guint(height)));
  return info;
}

const Format& find_format(const char* name) {
  const auto* format =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const Format& other) { return std::strcmp(other.name, name) == 0; });
  fail_unless(format != std::end(kFormats), "no format %s", name);
  return *format;
}

const Format& output_of(const Format& format) { return find_format(format.output); }

bool is_cuda_format(const Format& format) {
  static const std::set<std::string> absent = {
      "xRGB", "xBGR", "GRAY8", "GRAY16_LE", "GRAY16_BE", "NV16",  "NV61",  "NV24", "Y41B",
      "YVYU", "VYUY", "AYUV",  "VUYA",      "RGB16",     "BGR16", "RGB15", "BGR15"};
  return absent.count(format.name) == 0;
}

/// Two pixels of YUY2 and the like have their chroma in common.
int row_bytes(const Format& format, int width) {
  const bool packed =
      format.pixels == canny::PixelFormat::kYuy2 || format.pixels == canny::PixelFormat::kUyvy;
  return format.bytes * (packed ? (width + 1) / 2 * 2 : width);
}

gsize chroma_bytes(const Format& format, int width, int height) {
  const GstVideoInfo info = info_of(format, width, height);
  gsize first = info.size;
  for (guint i = 1; i < GST_VIDEO_INFO_N_PLANES(&info); i++) first = MIN(first, info.offset[i]);
  return info.size - first;
}

Layout plain_layout(const Format& format, int width, int height) {
  const GstVideoInfo info = info_of(format, width, height);
  return {&format,
          width,
          height,
          GST_VIDEO_INFO_PLANE_STRIDE(&info, 0),
          GST_VIDEO_INFO_PLANE_OFFSET(&info, 0),
          GST_VIDEO_INFO_SIZE(&info),
          GST_VIDEO_INFO_SIZE(&info) - chroma_bytes(format, width, height)};
}

GstCaps* new_caps(const Format& format, int width, int height) {
  return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format.name, "width",
                             G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                             GST_TYPE_FRACTION, 30, 1, nullptr);
}

std::uint8_t guard_byte(gsize index) { return std::uint8_t(0xa5 ^ (index * 7)); }

PlaneLayout plane_of(const Layout& layout, int plane) {
  if (plane == 0) return {layout.offset, layout.stride};
  const Format& format = *layout.format;
  const GstVideoInfo info = info_of(format, layout.width, layout.height);
  const gsize chroma = info.size - chroma_bytes(format, layout.width, layout.height);
  return {layout.chroma + (info.offset[plane] - chroma), info.stride[plane]};
}

canny::Frame frame_of(const Layout& layout, std::uint8_t* data) {
  canny::Frame frame;
  frame.width = layout.width;
  frame.height = layout.height;
  frame.format = layout.format->pixels;
  const GstVideoInfo info = info_of(*layout.format, layout.width, layout.height);
  const auto rows = [&](int component) {
    const PlaneLayout plane = plane_of(layout, GST_VIDEO_INFO_COMP_PLANE(&info, component));
    return canny::BasicPlane<std::uint8_t>{data + plane.offset, plane.stride};
  };
  frame.data = rows(0).data;
  frame.stride_bytes = rows(0).stride_bytes;
  if (canny::planes(frame.format) == 1) return frame;
  frame.green = rows(1);
  frame.blue = rows(2);
  return frame;
}

/// Cells of random colours, slanted so that edges take every direction, with a little noise.
static void paint(const Layout& layout, std::uint64_t seed, std::uint8_t* data) {
  reference::Random random(seed);
  const int cell = random.between(3, 9);
  std::vector<std::uint8_t> colours(4096);
  for (std::uint8_t& colour : colours) colour = std::uint8_t(random.between(8, 247));
  for (int plane = 0; plane < canny::planes(layout.format->pixels); plane++) {
    const PlaneLayout at = plane_of(layout, plane);
    for (int y = 0; y < layout.height; y++) {
      std::uint8_t* row = data + at.offset + gssize(y) * at.stride;
      for (int x = 0; x < layout.width; x++) {
        const int index = (x + y / 3) / cell * 31 + (y + x / 5) / cell * 97;
        for (int i = 0; i < layout.format->bytes; i++) {
          const int colour = colours[std::size_t(index * 4 + i + plane) % colours.size()];
          row[x * layout.format->bytes + i] = std::uint8_t(colour + random.between(-8, 8));
        }
      }
    }
  }
}

GstBuffer* new_picture(const Layout& layout, std::uint64_t seed) {
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, layout.size, nullptr);
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++) map.data[i] = guard_byte(i);
  paint(layout, seed, map.data);
  gst_buffer_unmap(buffer, &map);
  return buffer;
}

GstVideoMeta* add_meta(GstBuffer* buffer, const Layout& layout) {
  const Format& format = *layout.format;
  const GstVideoInfo info = info_of(format, layout.width, layout.height);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {};
  gint strides[GST_VIDEO_MAX_PLANES] = {};
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES(&info); i++) {
    const PlaneLayout plane = plane_of(layout, int(i));
    offsets[i] = plane.offset;
    strides[i] = plane.stride;
  }
  return gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, video_format(format),
                                        guint(layout.width), guint(layout.height),
                                        GST_VIDEO_INFO_N_PLANES(&info), offsets, strides);
}

std::vector<std::uint8_t> read_bytes(GstBuffer* buffer) {
  std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::uint8_t> reference_edges(GstBuffer* buffer, const Layout& layout,
                                          const canny::Params& params) {
  std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const canny::Frame at = frame_of(layout, bytes.data());
  canny::ConstFrame frame{at.data, at.stride_bytes, at.width, at.height, at.format, at.memory};
  frame.green = {at.green.data, at.green.stride_bytes};
  frame.blue = {at.blue.data, at.blue.stride_bytes};
  return reference::detect(params, frame);
}

/// What a component is in every edge map, -1 if it is not the same everywhere.
static int fixed_sample(const GstVideoInfo& info, guint component) {
  if (component == GST_VIDEO_COMP_A) return 255;
  return GST_VIDEO_INFO_IS_YUV(&info) && component > 0 ? 128 : -1;
}

/// A sample of chroma that is not 128, or of alpha that is not 255.
static std::string fixed_difference(GstBuffer* buffer, const Format& format, int width,
                                    int height) {
  const GstVideoInfo info = info_of(format, width, height);
  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (guint i = 1; i < GST_VIDEO_INFO_N_COMPONENTS(&info); i++) {
    if (fixed_sample(info, i) < 0) continue;
    const int plane = GST_VIDEO_INFO_COMP_PLANE(&info, i);
    const gssize offset = gssize(meta != nullptr ? meta->offset[plane] : info.offset[plane]);
    const gssize stride = meta != nullptr ? meta->stride[plane] : info.stride[plane];
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, i); y++) {
      for (int x = 0; x < GST_VIDEO_INFO_COMP_WIDTH(&info, i); x++) {
        const gssize at = offset + y * stride + GST_VIDEO_INFO_COMP_POFFSET(&info, i) +
                          x * GST_VIDEO_INFO_COMP_PSTRIDE(&info, i);
        const int sample = bytes.at(std::size_t(at));
        if (sample == fixed_sample(info, i)) continue;
        return std::string(format.name) + ": component " + std::to_string(i) + " (" +
               std::to_string(x) + "," + std::to_string(y) + ") is " + std::to_string(sample);
      }
    }
  }
  return "";
}

/// The first byte of a plane's rows in which `got` differs from `want`, each of them with a layout
/// of its own.
static std::string rows_difference(const Format& format, int plane, const std::uint8_t* got,
                                   PlaneLayout got_at, const std::uint8_t* want,
                                   PlaneLayout want_at, int width, int height) {
  for (int y = 0; y < height; y++) {
    const std::uint8_t* got_row = got + got_at.offset + gssize(y) * got_at.stride;
    const std::uint8_t* want_row = want + want_at.offset + gssize(y) * want_at.stride;
    for (int at = 0; at < width * format.bytes; at++) {
      if (got_row[at] == want_row[at]) continue;
      return std::string(format.name) + ": pixel (" + std::to_string(at / format.bytes) + "," +
             std::to_string(y) + ") of plane " + std::to_string(plane) + ", byte " +
             std::to_string(at % format.bytes) + " is " + std::to_string(got_row[at]) +
             ", expected " + std::to_string(want_row[at]);
    }
  }
  return "";
}

std::string difference(GstBuffer* buffer, const Format& format, int width, int height,
                       const std::vector<std::uint8_t>& edges) {
  const Layout plain = plain_layout(format, width, height);
  std::vector<std::uint8_t> expected(plain.size);
  reference::output(edges, frame_of(plain, expected.data()));

  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  for (int plane = 0; plane < canny::planes(format.pixels); plane++) {
    const PlaneLayout want_at = plane_of(plain, plane);
    const PlaneLayout got_at =
        meta != nullptr ? PlaneLayout{meta->offset[plane], meta->stride[plane]} : want_at;
    const std::string differs = rows_difference(format, plane, bytes.data(), got_at,
                                                expected.data(), want_at, width, height);
    if (!differs.empty()) return differs;
  }
  return fixed_difference(buffer, format, width, height);
}

const Format& format_of(const GstCaps* caps) {
  return find_format(gst_structure_get_string(gst_caps_get_structure(caps, 0), "format"));
}

Layout layout_of(GstBuffer* buffer, const GstCaps* caps) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  int width = 0;
  int height = 0;
  gst_structure_get(structure, "width", G_TYPE_INT, &width, "height", G_TYPE_INT, &height, nullptr);
  Layout layout = plain_layout(format_of(caps), width, height);
  if (const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer)) {
    layout.offset = meta->offset[0];
    layout.stride = meta->stride[0];
  }
  return layout;
}

std::string edge_difference(GstBuffer* in, const GstCaps* in_caps, GstBuffer* out,
                            const GstCaps* out_caps, const canny::Params& params) {
  const Layout layout = layout_of(in, in_caps);
  const Layout result = layout_of(out, out_caps);
  if (result.width != layout.width || result.height != layout.height) return "another size";
  return difference(out, *result.format, result.width, result.height,
                    reference_edges(in, layout, params));
}

std::uint64_t count_edges(const std::vector<std::uint8_t>& edges) {
  return std::uint64_t(std::count(edges.begin(), edges.end(), 255));
}

const char* backend_name(int backend) { return backend == 0 ? "cpu" : "cuda"; }

/// The debug details of the error that starting with backend=cuda gives, empty if it starts.
static std::string try_cuda() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  if (element == nullptr) return "there is no element cudacanny";
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  gst_util_set_object_arg(G_OBJECT(element), "backend", "cuda");
  std::string reason;
  if (gst_element_set_state(element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE) {
    reason = stats_string(element, "reason");
  }
  gst_element_set_state(element, GST_STATE_NULL);
  gst_element_set_bus(element, nullptr);
  gst_object_unref(element);
  gst_object_unref(bus);
  return reason;
}

const std::string& no_cuda_reason() {
  static const std::string reason = try_cuda();
  return reason;
}

static Tally the_tally;

const Tally& tally() { return the_tally; }

/// Each reason is said once.
static void count_skip(const char* test, const std::string& reason) {
  static std::set<std::string> told;
  if (told.insert(test).second) std::printf("skipped: %s %s\n", test, reason.c_str());
  the_tally.skipped++;
}

bool skip(const char* test, int backend) {
  if (backend == 0 || no_cuda_reason().empty()) {
    the_tally.cases[backend]++;
    return false;
  }
  const char* required = std::getenv("CANNY_REQUIRE_CUDA");
  fail_if(required != nullptr && std::strcmp(required, "1") == 0,
          "CANNY_REQUIRE_CUDA=1, but CUDA can't be used: %s", no_cuda_reason().c_str());
  count_skip(test, "on cuda: " + no_cuda_reason());
  return true;
}

bool skip_without(const char* test, const char* element) {
  if (!no_cuda_reason().empty()) return skip(test, 1);
  GstElementFactory* factory = gst_element_factory_find(element);
  if (factory == nullptr) {
    count_skip(test, std::string("without element ") + element);
    return true;
  }
  gst_object_unref(factory);
  return skip(test, 1);
}

bool is_slow() { return std::getenv("CANNY_TEST_SLOW") != nullptr; }

static void set_frames_in_flight(GstElement* element, int frames) {
  fail_unless(g_object_class_find_property(G_OBJECT_GET_CLASS(element), "frames-in-flight"),
              "no property frames-in-flight");
  g_object_set(element, "frames-in-flight", guint(frames), nullptr);
}

/// Elements and pipelines that are not stopped yet.
static std::set<GstElement*> running;

static void stop(GstElement* element) {
  gst_element_set_state(element, GST_STATE_NULL);
  running.erase(element);
}

void stop_leftovers() {
  while (!running.empty()) stop(*running.begin());
}

Element::Element(int backend, int frames_in_flight) {
  element_ = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(element_ != nullptr, "no element cudacanny: is GST_PLUGIN_PATH set?");
  gst_object_ref_sink(element_);
  running.insert(element_);
  gst_util_set_object_arg(G_OBJECT(element_), "backend", backend_name(backend));
  if (frames_in_flight != kDefault) set_frames_in_flight(element_, frames_in_flight);
  bus_ = gst_bus_new();
  gst_element_set_bus(element_, bus_);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
}

Element::~Element() {
  stop(element_);
  gst_harness_teardown(harness_);
  gst_element_set_bus(element_, nullptr);
  gst_object_unref(element_);
  gst_object_unref(bus_);
}

void Element::set_params(const canny::Params& params) {
  g_object_set(element_, "low-threshold", params.low_threshold, "high-threshold",
               params.high_threshold, "sigma", params.sigma, "hysteresis-passes",
               params.hysteresis_passes, nullptr);
  gst_util_set_object_arg(G_OBJECT(element_), "norm",
                          params.norm == canny::Norm::kL1 ? "l1" : "l2");
}

void Element::send_caps(GstCaps* caps) {
  gst_harness_push_event(harness_, gst_event_new_caps(caps));
  gst_caps_unref(caps);
  if (!has_segment_) {
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    send_segment(segment);
  }
}

void Element::send_caps(const Layout& layout) {
  send_caps(new_caps(*layout.format, layout.width, layout.height));
}

void Element::send_segment(const GstSegment& segment) {
  fail_unless(gst_harness_push_event(harness_, gst_event_new_segment(&segment)));
  has_segment_ = true;
}

GstFlowReturn Element::push(GstBuffer* buffer) { return gst_harness_push(harness_, buffer); }

GstBuffer* Element::pull() { return gst_harness_try_pull(harness_); }

GstBuffer* Element::wait() { return gst_harness_pull(harness_); }

GstCaps* Element::output_caps() const { return gst_pad_get_current_caps(harness_->sinkpad); }

GstMessage* Element::pop(GstMessageType type) { return gst_bus_pop_filtered(bus_, type); }

GstMessage* Element::wait(GstMessageType type) {
  return gst_bus_timed_pop_filtered(bus_, kPatience, type);
}

Pipeline::Pipeline(const std::string& line) {
  GError* error = nullptr;
  pipeline_ = gst_parse_launch(line.c_str(), &error);
  fail_unless(pipeline_ != nullptr && error == nullptr, "%s: %s", line.c_str(),
              error != nullptr ? error->message : "");
  running.insert(pipeline_);
}

Pipeline::~Pipeline() {
  stop(pipeline_);
  gst_object_unref(pipeline_);
}

GstElement* Pipeline::operator[](const char* name) const {
  GstElement* element = gst_bin_get_by_name(GST_BIN(pipeline_), name);
  fail_unless(element != nullptr, "no element %s", name);
  gst_object_unref(element);
  return element;
}

bool Pipeline::reach(GstState state) {
  gst_element_set_state(pipeline_, state);
  GstState reached = GST_STATE_NULL;
  const GstStateChangeReturn change =
      gst_element_get_state(pipeline_, &reached, nullptr, kPatience);
  return reached == state && change != GST_STATE_CHANGE_FAILURE;
}

std::string Pipeline::wait_for_end() {
  GstBus* bus = gst_element_get_bus(pipeline_);
  const Owned<GstMessage> message(gst_bus_timed_pop_filtered(
      bus, kPatience, GstMessageType(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_object_unref(bus);
  if (message == nullptr) return "the stream does not end";
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_EOS) return "";
  gchar* text = gst_structure_to_string(gst_message_get_structure(message.get()));
  const std::string copy = text;
  g_free(text);
  return copy;
}

static void push_frames(Element& element, const Layout& layout, int count, GstClockTime* time) {
  for (int i = 0; i < count; i++) {
    GstBuffer* picture = new_picture(layout, *time);
    GST_BUFFER_PTS(picture) = *time;
    *time += GST_SECOND / 30;
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  }
}

static std::vector<GstEvent*> serialized_events(GstClockTime time) {
  const auto structure = [&](const char* name) {
    return gst_structure_new(name, "time", G_TYPE_UINT64, time, nullptr);
  };
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = time;
  segment.time = 2 * time;
  segment.base = 3 * time;
  const std::string title = std::to_string(time);
  return {
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure("once")),
      gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, title.c_str(), nullptr)),
      gst_event_new_gap(time, GST_SECOND / 60),
      gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, structure("sticky")),
      gst_event_new_segment(&segment),
  };
}

std::string mixed_stream_difference(Element& element) {
  const Layout layouts[] = {plain_layout(kRgb, 41, 27), plain_layout(kNv12, 64, 36),
                            plain_layout(kGray, 33, 47)};
  Watch watch(element.get());
  GstClockTime time = 0;
  gst_harness_push_event(element.harness(), gst_event_new_stream_start("mixed"));
  for (const Layout& layout : layouts) {
    element.send_caps(layout);
    push_frames(element, layout, 2, &time);
    for (GstEvent* event : serialized_events(time)) {
      fail_unless(gst_harness_push_event(element.harness(), event));
      push_frames(element, layout, 1, &time);
    }
  }
  GstStructure* structure = gst_structure_new_empty("out-of-band");
  gst_harness_push_event(element.harness(),
                         gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, structure));
  fail_unless(gst_harness_push_event(element.harness(), gst_event_new_eos()));
  if (!watch.wait_for_event(GST_EVENT_EOS)) return "no EOS";
  if (!watch.wait_for_event(GST_EVENT_CUSTOM_DOWNSTREAM_OOB)) return "no event out of band";
  const std::string order = watch.order_difference();
  return order.empty() ? watch.difference() : order;
}

static GstStructure* get_stats(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  fail_unless(stats != nullptr);
  fail_unless_equals_string(gst_structure_get_name(stats), "application/x-cudacanny-stats");
  return stats;
}

std::string error_details(GstMessage* message) {
  gchar* debug = nullptr;
  gst_message_parse_error(message, nullptr, &debug);
  std::string details = debug != nullptr ? debug : "";
  g_free(debug);
  return details;
}

std::string stats_string(GstElement* element, const char* field) {
  GstStructure* stats = get_stats(element);
  const char* value = gst_structure_get_string(stats, field);
  fail_unless(value != nullptr, "stats have no string '%s'", field);
  const std::string text = value;
  gst_structure_free(stats);
  return text;
}

guint64 stats_number(GstElement* element, const char* field) {
  GstStructure* stats = get_stats(element);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, field, &value), "stats have no number '%s'", field);
  gst_structure_free(stats);
  return value;
}

}  // namespace check

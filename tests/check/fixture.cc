// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pictures, the element under test, and the tally of cases.
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
    {"RGB", canny::PixelFormat::kRgb, 3},    {"BGR", canny::PixelFormat::kBgr, 3},
    {"RGBx", canny::PixelFormat::kRgbx, 4},  {"BGRx", canny::PixelFormat::kBgrx, 4},
    {"xRGB", canny::PixelFormat::kXrgb, 4},  {"xBGR", canny::PixelFormat::kXbgr, 4},
    {"RGBA", canny::PixelFormat::kRgbx, 4},  {"BGRA", canny::PixelFormat::kBgrx, 4},
    {"ARGB", canny::PixelFormat::kXrgb, 4},  {"ABGR", canny::PixelFormat::kXbgr, 4},
    {"GRAY8", canny::PixelFormat::kGray8, 1}};
const Format& kRgb = kFormats[0];
const Format& kGray = kFormats[kFormatCount - 1];

GstVideoFormat video_format(const Format& format) {
  return gst_video_format_from_string(format.name);
}

Layout plain_layout(const Format& format, int width, int height) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, video_format(format), guint(width), guint(height)));
  return {
      &format, width, height, GST_VIDEO_INFO_PLANE_STRIDE(&info, 0), 0, GST_VIDEO_INFO_SIZE(&info)};
}

GstCaps* new_caps(const Format& format, int width, int height) {
  return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format.name, "width",
                             G_TYPE_INT, width, "height", G_TYPE_INT, height, "framerate",
                             GST_TYPE_FRACTION, 30, 1, nullptr);
}

std::uint8_t guard_byte(gsize index) { return std::uint8_t(0xa5 ^ (index * 7)); }

/// Cells of random colours, slanted so that edges take every direction, with a little noise.
static void paint(const Layout& layout, std::uint64_t seed, std::uint8_t* data) {
  reference::Random random(seed);
  const int cell = random.between(3, 9);
  std::vector<std::uint8_t> colours(4096);
  for (std::uint8_t& colour : colours) colour = std::uint8_t(random.between(8, 247));
  for (int y = 0; y < layout.height; y++) {
    std::uint8_t* row = data + layout.offset + gssize(y) * layout.stride;
    for (int x = 0; x < layout.width; x++) {
      const int index = (x + y / 3) / cell * 31 + (y + x / 5) / cell * 97;
      for (int i = 0; i < layout.format->bytes; i++) {
        const int colour = colours[std::size_t(index * 4 + i) % colours.size()];
        row[x * layout.format->bytes + i] = std::uint8_t(colour + random.between(-8, 8));
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
  gsize offsets[GST_VIDEO_MAX_PLANES] = {layout.offset};
  gint strides[GST_VIDEO_MAX_PLANES] = {layout.stride};
  return gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE,
                                        video_format(*layout.format), guint(layout.width),
                                        guint(layout.height), 1, offsets, strides);
}

std::vector<std::uint8_t> read_bytes(GstBuffer* buffer) {
  std::vector<std::uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

std::vector<std::uint8_t> reference_edges(GstBuffer* buffer, const Layout& layout,
                                          const canny::Params& params) {
  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  canny::ConstFrame frame;
  frame.data = bytes.data() + layout.offset;
  frame.stride_bytes = layout.stride;
  frame.width = layout.width;
  frame.height = layout.height;
  frame.format = layout.format->pixels;
  return reference::detect(params, frame);
}

std::string difference(GstBuffer* buffer, const Format& format, int width, int height,
                       const std::vector<std::uint8_t>& edges) {
  const std::size_t row = std::size_t(width) * std::size_t(format.bytes);
  std::vector<std::uint8_t> expected(row * std::size_t(height));
  canny::Frame frame{expected.data(), std::ptrdiff_t(row), width,
                     height,          format.pixels,       canny::Memory::kHost};
  reference::store(edges, frame);

  const std::vector<std::uint8_t> bytes = read_bytes(buffer);
  const Layout plain = plain_layout(format, width, height);
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  const gssize offset = gssize(meta != nullptr ? meta->offset[0] : plain.offset);
  const gssize stride = meta != nullptr ? meta->stride[0] : plain.stride;
  for (int y = 0; y < height; y++) {
    const std::uint8_t* got = bytes.data() + offset + y * stride;
    const std::uint8_t* want = expected.data() + std::size_t(y) * row;
    const std::uint8_t* end = std::mismatch(want, want + row, got).first;
    if (end == want + row) continue;
    const std::size_t at = std::size_t(end - want);
    return std::string(format.name) + ": pixel (" + std::to_string(int(at) / format.bytes) + "," +
           std::to_string(y) + ") byte " + std::to_string(int(at) % format.bytes) + " is " +
           std::to_string(got[at]) + ", expected " + std::to_string(want[at]);
  }
  return "";
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

bool skip(const char* test, int backend) {
  if (backend == 0 || no_cuda_reason().empty()) {
    the_tally.cases[backend]++;
    return false;
  }
  const char* required = std::getenv("CANNY_REQUIRE_CUDA");
  fail_if(required != nullptr && std::strcmp(required, "1") == 0,
          "CANNY_REQUIRE_CUDA=1, but CUDA can't be used: %s", no_cuda_reason().c_str());
  static std::set<std::string> told;
  if (told.insert(test).second) {
    std::printf("skipped: %s on cuda: %s\n", test, no_cuda_reason().c_str());
  }
  the_tally.skipped++;
  return true;
}

bool is_slow() { return std::getenv("CANNY_TEST_SLOW") != nullptr; }

Element::Element(int backend) {
  element_ = gst_element_factory_make("cudacanny", nullptr);
  fail_unless(element_ != nullptr, "no element cudacanny: is GST_PLUGIN_PATH set?");
  gst_object_ref_sink(element_);
  gst_util_set_object_arg(G_OBJECT(element_), "backend", backend_name(backend));
  bus_ = gst_bus_new();
  gst_element_set_bus(element_, bus_);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
}

Element::~Element() {
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

GstCaps* Element::output_caps() const { return gst_pad_get_current_caps(harness_->sinkpad); }

GstMessage* Element::pop(GstMessageType type) { return gst_bus_pop_filtered(bus_, type); }

static GstStructure* get_stats(GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  fail_unless(stats != nullptr);
  fail_unless_equals_string(gst_structure_get_name(stats), "application/x-cudacanny-stats");
  return stats;
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

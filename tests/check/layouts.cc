// SPDX-License-Identifier: LGPL-2.1-or-later
/// Rows anywhere in memory: strides, offsets, several memories, downstream's pools, and buffers
/// that don't hold what they promise.
#include <algorithm>
#include <climits>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "fixture.h"

using check::Element;
using check::Format;
using check::Layout;

static constexpr int kWidth = 37;
static constexpr int kHeight = 23;

/// A way to lay out rows of `row` bytes.
struct Shape {
  const char* name;
  int padding;   ///< bytes between two rows
  gsize offset;  ///< of the lowest row in memory
  bool bottom_up;
};

static const Shape kShapes[] = {
    {"tight rows", 0, 0, false},
    {"padded to odd strides", 5, 0, false},
    {"offset 1", 1, 1, false},
    {"offset 2", 3, 2, false},
    {"offset 3, wide stride", 64, 3, false},
    {"offset 4096", 16, 4096, false},
    {"bottom-up", 0, 0, true},
    {"bottom-up, padded, odd offset", 7, 13, true},
};

static Layout make_layout(const Shape& shape, const Format& format) {
  const int row = check::row_bytes(format, kWidth);
  const int stride = row + shape.padding;
  const gsize last = shape.offset + gsize(stride) * (kHeight - 1);
  const gsize chroma = last + gsize(row);
  const gsize size = chroma + check::chroma_bytes(format, kWidth, kHeight);
  return {&format,
          kWidth,
          kHeight,
          shape.bottom_up ? -stride : stride,
          shape.bottom_up ? last : shape.offset,
          size,
          chroma};
}

/// Cuts the memory of `buffer` (transfer full) into `parts`, without a copy.
static GstBuffer* split(GstBuffer* buffer, gsize parts) {
  GstBuffer* result = gst_buffer_new();
  const gsize size = gst_buffer_get_size(buffer);
  for (gsize i = 0; i < parts; i++) {
    const gsize begin = size * i / parts;
    GstMemory* memory = gst_buffer_get_memory(buffer, 0);
    gst_buffer_append_memory(
        result, gst_memory_share(memory, gssize(begin), gssize(size * (i + 1) / parts - begin)));
    gst_memory_unref(memory);
  }
  gst_buffer_unref(buffer);
  return result;
}

static std::string output_difference(GstBuffer* output, const Format& format,
                                     const std::vector<std::uint8_t>& edges) {
  return check::difference(output, format, kWidth, kHeight, edges);
}

GST_START_TEST(inputs_of_every_shape) {
  const int shapes = G_N_ELEMENTS(kShapes);
  const int backend = __i__ / shapes;
  if (check::skip("inputs_of_every_shape", backend)) return;
  Element element(backend);
  for (const Format& format : check::kFormats) {
    const Layout layout = make_layout(kShapes[__i__ % shapes], format);
    element.send_caps(layout);
    for (gsize memories = 1; memories <= 3; memories++) {
      GstBuffer* picture = check::new_picture(layout, memories);
      const auto edges = check::reference_edges(picture, layout, canny::Params());
      if (memories > 1) picture = split(picture, memories);
      check::add_meta(picture, layout);
      const auto before = check::read_bytes(picture);
      fail_unless_equals_int(element.push(gst_buffer_ref(picture)), GST_FLOW_OK);
      GstBuffer* output = element.pull();
      const std::string differs = output_difference(output, check::output_of(format), edges);
      fail_unless(differs.empty(), "%s, %d memories: %s", kShapes[__i__ % shapes].name,
                  int(memories), differs.c_str());
      fail_unless(before == check::read_bytes(picture), "the input was written");
      gst_buffer_unref(output);
      gst_buffer_unref(picture);
    }
  }
}
GST_END_TEST

GST_START_TEST(inputs_without_a_meta) {
  if (check::skip("inputs_without_a_meta", __i__)) return;
  Element element(__i__);
  for (const Format& format : check::kFormats) {
    Layout layout = check::plain_layout(format, kWidth, kHeight);
    element.send_caps(layout);
    for (const gsize extra : {0, 1, 1000}) {
      layout.size += extra;
      for (gsize memories = 1; memories <= 3; memories++) {
        GstBuffer* picture = check::new_picture(layout, memories);
        const auto edges = check::reference_edges(picture, layout, canny::Params());
        if (memories > 1) picture = split(picture, memories);
        fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
        GstBuffer* output = element.pull();
        const std::string differs = output_difference(output, check::output_of(format), edges);
        fail_unless(differs.empty(), "%d memories: %s", int(memories), differs.c_str());
        gst_buffer_unref(output);
      }
    }
  }
}
GST_END_TEST

/// The caps' frame is the top left of a larger one that the meta describes.
GST_START_TEST(inputs_larger_than_the_caps) {
  if (check::skip("inputs_larger_than_the_caps", __i__)) return;
  Element element(__i__);
  Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  element.send_caps(layout);
  const Layout larger = check::plain_layout(check::kRgb, kWidth + 11, kHeight + 5);
  layout.stride = larger.stride;
  GstBuffer* picture = check::new_picture(larger, 3);
  check::add_meta(picture, larger);
  const auto edges = check::reference_edges(picture, layout, canny::Params());
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  GstBuffer* output = element.pull();
  const std::string differs = output_difference(output, check::kRgb, edges);
  fail_unless(differs.empty(), "%s", differs.c_str());
  gst_buffer_unref(output);
}
GST_END_TEST

static int custom_maps;
static int custom_unmaps;

/// Maps like GstVideoMeta's own function, and counts.
static gboolean custom_map(GstVideoMeta* meta, guint plane, GstMapInfo* info, gpointer* data,
                           gint* stride, GstMapFlags flags) {
  if (!gst_buffer_map(meta->buffer, info, flags)) return FALSE;
  *data = info->data + meta->offset[plane];
  *stride = meta->stride[plane];
  custom_maps++;
  return TRUE;
}

static gboolean custom_unmap(GstVideoMeta* meta, guint, GstMapInfo* info) {
  gst_buffer_unmap(meta->buffer, info);
  custom_unmaps++;
  return TRUE;
}

/// Memory that only the meta knows how to map, as that of some decoders.
GST_START_TEST(inputs_with_a_mapping_of_their_own) {
  if (check::skip("inputs_with_a_mapping_of_their_own", __i__)) return;
  Element element(__i__);
  for (const char* name : {"RGB", "GBR"}) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    element.send_caps(layout);
    GstBuffer* picture = check::new_picture(layout, 4);
    const auto edges = check::reference_edges(picture, layout, canny::Params());
    GstVideoMeta* meta = check::add_meta(picture, layout);
    meta->map = custom_map;
    meta->unmap = custom_unmap;
    custom_maps = custom_unmaps = 0;
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    fail_unless_equals_int(custom_maps, canny::planes(format.pixels));
    fail_unless_equals_int(custom_unmaps, canny::planes(format.pixels));
    GstBuffer* output = element.pull();
    fail_unless(output_difference(output, format, edges).empty());
    gst_buffer_unref(output);
  }
}
GST_END_TEST

// A pool that lays its buffers out in a shape of the test.

struct ShapedPool {
  GstBufferPool parent;
  Layout layout;
  gboolean has_video_meta;
  guint memories;
  void (*change_meta)(GstVideoMeta* meta);  ///< or null
};

struct ShapedPoolClass {
  GstBufferPoolClass parent_class;
};

static GType shaped_pool_get_type();
G_DEFINE_TYPE(ShapedPool, shaped_pool, GST_TYPE_BUFFER_POOL)

static const gchar** shaped_pool_get_options(GstBufferPool* pool) {
  static const gchar* with_meta[] = {GST_BUFFER_POOL_OPTION_VIDEO_META, nullptr};
  static const gchar* none[] = {nullptr};
  return reinterpret_cast<ShapedPool*>(pool)->has_video_meta ? with_meta : none;
}

static GstFlowReturn shaped_pool_alloc(GstBufferPool* pool, GstBuffer** buffer,
                                       GstBufferPoolAcquireParams*) {
  auto* self = reinterpret_cast<ShapedPool*>(pool);
  *buffer = gst_buffer_new_allocate(nullptr, self->layout.size, nullptr);
  GstMapInfo map;
  gst_buffer_map(*buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++) map.data[i] = check::guard_byte(i);
  gst_buffer_unmap(*buffer, &map);
  if (self->memories > 1) *buffer = split(*buffer, self->memories);
  if (self->has_video_meta) {
    GstVideoMeta* meta = check::add_meta(*buffer, self->layout);
    meta->meta.flags = GST_META_FLAG_POOLED;
    if (self->change_meta != nullptr) self->change_meta(meta);
  }
  return GST_FLOW_OK;
}

static void shaped_pool_class_init(ShapedPoolClass* klass) {
  GST_BUFFER_POOL_CLASS(klass)->get_options = shaped_pool_get_options;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = shaped_pool_alloc;
}

static void shaped_pool_init(ShapedPool* self) {
  self->has_video_meta = TRUE;
  self->memories = 1;
}

static ShapedPool* new_pool(const Layout& layout) {
  auto* pool = static_cast<ShapedPool*>(g_object_new(shaped_pool_get_type(), nullptr));
  gst_object_ref_sink(pool);
  pool->layout = layout;
  return pool;
}

/// Offers a pool (or a size only, if null) to the element's allocation query.
static GstPadProbeReturn offer_pool(GstPad*, GstPadProbeInfo* info, gpointer pool) {
  GstQuery* query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  auto* shaped = static_cast<ShapedPool*>(pool);
  gst_query_add_allocation_pool(query, static_cast<GstBufferPool*>(pool),
                                shaped != nullptr ? guint(shaped->layout.size) : 0, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return GST_PAD_PROBE_HANDLED;
}

static void offer(Element& element, ShapedPool* pool) {
  gst_pad_add_probe(element.harness()->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_pool,
                    pool, nullptr);
}

static GstVideoInfo info_of(const Layout& layout) {
  GstVideoInfo info;
  fail_unless(gst_video_info_set_format(&info, check::video_format(*layout.format),
                                        guint(layout.width), guint(layout.height)));
  return info;
}

/// Bytes of a row of a plane, and rows. Of the first one, those of the element's frame.
static std::pair<int, int> size_of_plane(const Layout& layout, int plane) {
  if (plane == 0) return {check::row_bytes(*layout.format, layout.width), layout.height};
  const GstVideoInfo info = info_of(layout);
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, guint(plane), components);
  return {GST_VIDEO_INFO_COMP_WIDTH(&info, components[0]) *
              GST_VIDEO_INFO_COMP_PSTRIDE(&info, components[0]),
          GST_VIDEO_INFO_COMP_HEIGHT(&info, components[0])};
}

/// The first byte of `buffer` outside the rows of its planes that is not as the pool left it, -1 if
/// there is none.
static gssize written_outside(GstBuffer* buffer, const Layout& layout) {
  const GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  const auto bytes = check::read_bytes(buffer);
  std::vector<bool> inside(bytes.size());
  for (int plane = 0; plane < int(meta->n_planes); plane++) {
    const auto [row_bytes, rows] = size_of_plane(layout, plane);
    for (int y = 0; y < rows; y++) {
      for (int i = 0; i < row_bytes; i++) {
        inside.at(meta->offset[plane] + gsize(gssize(y) * meta->stride[plane] + i)) = true;
      }
    }
  }
  for (gsize i = 0; i < bytes.size(); i++) {
    if (!inside[i] && bytes[i] != check::guard_byte(i)) return gssize(i);
  }
  return -1;
}

GST_START_TEST(outputs_of_every_shape) {
  const int shapes = G_N_ELEMENTS(kShapes);
  const int backend = __i__ / shapes;
  if (check::skip("outputs_of_every_shape", backend)) return;
  const Shape& shape = kShapes[__i__ % shapes];
  for (int i = 0; i < check::kOutputFormatCount; i++) {
    const Format& format = check::kFormats[i];
    const Layout in = check::plain_layout(format, kWidth, kHeight);
    Layout layout = make_layout(shape, format);
    layout.size = MAX(layout.size, in.size);  // what a pool is asked for at least
    for (const guint memories : {1u, 2u}) {
      ShapedPool* pool = new_pool(layout);
      pool->memories = memories;
      Element element(backend);
      offer(element, pool);
      element.send_caps(in);
      for (std::uint64_t seed = 0; seed < 3; seed++) {
        GstBuffer* picture = check::new_picture(in, seed);
        const auto edges = check::reference_edges(picture, in, canny::Params());
        fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
        GstBuffer* output = element.pull();
        fail_unless(output->pool == GST_BUFFER_POOL(pool), "the pool was not used");
        const std::string differs = output_difference(output, format, edges);
        fail_unless(differs.empty(), "%s: %s", shape.name, differs.c_str());
        const gssize outside = written_outside(output, layout);
        fail_unless(outside < 0, "%s, %s, %d memories, frame %d: byte %d was written", shape.name,
                    format.name, int(memories), int(seed), int(outside));
        gst_buffer_unref(output);
      }
      gst_object_unref(pool);
    }
  }
}
GST_END_TEST

// Planes in any order, at strides of their own, one of them bottom-up.

static constexpr const char* kPlanar[] = {"GBR", "GBRA", "RGBP", "BGRP"};
static constexpr gsize kScatteredSize = 5000;

static void scatter(GstVideoMeta* meta) {
  static constexpr gsize kOffsets[] = {3001, 1003 + 45 * (kHeight - 1), 2, 3900};
  static constexpr gint kStrides[] = {38, -45, 41, 37};
  for (guint i = 0; i < meta->n_planes; i++) {
    meta->offset[i] = kOffsets[i];
    meta->stride[i] = kStrides[i];
  }
}

/// The planes of `picture` moved to where scatter() puts them.
static GstBuffer* new_scattered(GstBuffer* picture, const Layout& layout, gsize memories) {
  std::vector<std::uint8_t> bytes(kScatteredSize, 99);
  const auto plain = check::read_bytes(picture);
  GstBuffer* buffer = gst_buffer_new_allocate(nullptr, kScatteredSize, nullptr);
  GstVideoMeta* meta = check::add_meta(buffer, layout);
  scatter(meta);
  for (int plane = 0; plane < 3; plane++) {
    const check::PlaneLayout from = check::plane_of(layout, plane);
    for (int y = 0; y < kHeight; y++) {
      std::copy_n(plain.begin() + gssize(from.offset) + y * from.stride, kWidth,
                  bytes.begin() + gssize(meta->offset[plane]) + y * meta->stride[plane]);
    }
  }
  gst_buffer_fill(buffer, 0, bytes.data(), bytes.size());
  if (memories == 1) return buffer;
  GstBuffer* result = split(buffer, memories);
  scatter(check::add_meta(result, layout));
  return result;
}

GST_START_TEST(planes_anywhere) {
  if (check::skip("planes_anywhere", __i__)) return;
  for (const char* name : kPlanar) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    Layout scattered = layout;
    scattered.size = kScatteredSize;
    for (const guint memories : {1u, 2u, 3u}) {
      ShapedPool* pool = new_pool(scattered);
      pool->memories = memories;
      pool->change_meta = scatter;
      Element element(__i__);
      offer(element, pool);
      element.send_caps(layout);
      GstBuffer* picture = check::new_picture(layout, memories);
      const auto edges = check::reference_edges(picture, layout, canny::Params());
      fail_unless_equals_int(element.push(new_scattered(picture, layout, memories)), GST_FLOW_OK);
      GstBuffer* output = element.pull();
      fail_unless(output->pool == GST_BUFFER_POOL(pool), "the pool was not used");
      const std::string differs = output_difference(output, format, edges);
      fail_unless(differs.empty(), "%d memories: %s", int(memories), differs.c_str());
      const gssize outside = written_outside(output, layout);
      fail_unless(outside < 0, "%s, %d memories: byte %d was written", name, int(memories),
                  int(outside));
      gst_buffer_unref(output);
      gst_buffer_unref(picture);
      gst_object_unref(pool);
    }
  }
}
GST_END_TEST

GST_START_TEST(pools_without_video_meta) {
  const Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  ShapedPool* pool = new_pool(layout);
  pool->has_video_meta = FALSE;
  for (ShapedPool* offered : {pool, static_cast<ShapedPool*>(nullptr)}) {
    Element element(0);
    offer(element, offered);
    element.send_caps(layout);
    GstBuffer* picture = check::new_picture(layout, 1);
    const auto edges = check::reference_edges(picture, layout, canny::Params());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    GstBuffer* output = element.pull();
    fail_unless_equals_int(output->pool == GST_BUFFER_POOL(pool), offered != nullptr);
    fail_unless(output_difference(output, check::kRgb, edges).empty());
    gst_buffer_unref(output);
  }
  gst_object_unref(pool);
}
GST_END_TEST

/// The element refuses a frame: one error, nothing pushed.
static void check_refusal(Element& element, GstFlowReturn flow, GQuark domain, int code,
                          const std::string& rule) {
  fail_unless_equals_int(flow, GST_FLOW_ERROR);
  fail_unless(element.pull() == nullptr, "a frame was pushed");
  GstMessage* message = element.pop(GST_MESSAGE_ERROR);
  fail_unless(message != nullptr, "no error message");
  GError* error = nullptr;
  gchar* debug = nullptr;
  gst_message_parse_error(message, &error, &debug);
  fail_unless(g_error_matches(error, domain, code), "%s", error->message);
  fail_unless(std::string(debug).find(rule) != std::string::npos, "'%s' lacks '%s'", debug,
              rule.c_str());
  fail_unless(std::string(error->message).find("Look at") != std::string::npos);
  g_error_free(error);
  g_free(debug);
  gst_message_unref(message);
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two error messages");
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 0);
}

/// A buffer that does not hold a frame of kWidth x kHeight RGB pixels: what is wrong with it, made
/// from a whole one, and what the error says.
struct Broken {
  const char* name;
  const char* rule;
  void (*damage)(GstBuffer* buffer, GstVideoMeta* meta);  ///< meta is null if `has_meta` is false
  bool has_meta;
};

static constexpr int kRow = kWidth * 3;
static constexpr int kStride = (kRow + 3) / 4 * 4;
static constexpr int kWhole = kStride * (kHeight - 1) + kRow;  ///< bytes from first to last

static const Broken kBroken[] = {
    {"one byte short", "reach outside",
     [](GstBuffer* b, GstVideoMeta*) { gst_buffer_set_size(b, kWhole - 1); }, false},
    {"one byte short, with meta", "reach outside",
     [](GstBuffer* b, GstVideoMeta*) { gst_buffer_set_size(b, kWhole - 1); }, true},
    {"one byte only", "reach outside",
     [](GstBuffer* b, GstVideoMeta*) { gst_buffer_set_size(b, 1); }, false},
    {"no memory", "outside", [](GstBuffer* b, GstVideoMeta*) { gst_buffer_remove_all_memory(b); },
     false},
    {"no memory, with meta", "outside",
     [](GstBuffer* b, GstVideoMeta*) { gst_buffer_remove_all_memory(b); }, true},
    {"two memories, one byte short", "reach outside",
     [](GstBuffer* b, GstVideoMeta*) {
       gst_buffer_set_size(b, kWhole - 2);
       gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 1, nullptr));
     },
     true},
    {"last row outside", "reach outside",
     [](GstBuffer*, GstVideoMeta* m) { m->offset[0] = kStride - kRow + 1; }, true},
    {"offset at the end", "offset",
     [](GstBuffer* b, GstVideoMeta* m) { m->offset[0] = gst_buffer_get_size(b); }, true},
    {"offset of all ones", "offset", [](GstBuffer*, GstVideoMeta* m) { m->offset[0] = G_MAXSIZE; },
     true},
    {"offset of all ones, two memories", "reach outside",
     [](GstBuffer* b, GstVideoMeta* m) {
       gst_buffer_append_memory(b, gst_allocator_alloc(nullptr, 1, nullptr));
       m->offset[0] = G_MAXSIZE;
     },
     true},
    {"stride too long", "reach outside",
     [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = kStride + 1; }, true},
    {"longest stride", "reach outside", [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = INT_MAX; },
     true},
    {"most negative stride", "reach outside",
     [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = INT_MIN; }, true},
    {"stride shorter than a row", "shorter than a row",
     [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = kRow - 1; }, true},
    {"negative stride shorter than a row", "shorter than a row",
     [](GstBuffer*, GstVideoMeta* m) {
       m->stride[0] = 1 - kRow;
       m->offset[0] = kStride * (kHeight - 1);
     },
     true},
    {"stride 0", "shorter than a row", [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = 0; }, true},
    {"bottom-up from the first byte", "reach outside",
     [](GstBuffer*, GstVideoMeta* m) { m->stride[0] = -kStride; }, true},
    {"bottom-up, one byte too low", "reach outside",
     [](GstBuffer*, GstVideoMeta* m) {
       m->stride[0] = -kStride;
       m->offset[0] = kStride * (kHeight - 1) - 1;
     },
     true},
    {"another format", "format",
     [](GstBuffer*, GstVideoMeta* m) { m->format = GST_VIDEO_FORMAT_BGR; }, true},
    {"unknown format", "format",
     [](GstBuffer*, GstVideoMeta* m) { m->format = GST_VIDEO_FORMAT_UNKNOWN; }, true},
    {"a format that GStreamer 1.22 has no name for", "is not the caps' RGB",
     [](GstBuffer*, GstVideoMeta* m) { m->format = GstVideoFormat(127); }, true},
    {"a format outside its enum", "format number 99999 is not the caps' RGB",
     [](GstBuffer*, GstVideoMeta* m) {
       const int number = 99999;
       std::memcpy(&m->format, &number, sizeof m->format);
     },
     true},
    {"no planes", "planes", [](GstBuffer*, GstVideoMeta* m) { m->n_planes = 0; }, true},
    {"narrower than the caps", "smaller than",
     [](GstBuffer*, GstVideoMeta* m) { m->width = kWidth - 1; }, true},
    {"lower than the caps", "smaller than",
     [](GstBuffer*, GstVideoMeta* m) { m->height = kHeight - 1; }, true},
};

GST_START_TEST(broken_inputs_are_refused) {
  const int count = G_N_ELEMENTS(kBroken);
  const int backend = __i__ / count;
  if (check::skip("broken_inputs_are_refused", backend)) return;
  const Broken& broken = kBroken[__i__ % count];
  const Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  Element element(backend);
  element.send_caps(layout);
  GstBuffer* picture = check::new_picture(layout, 1);
  broken.damage(picture, broken.has_meta ? check::add_meta(picture, layout) : nullptr);
  check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                broken.rule);
  // The next whole frame is none the worse.
  picture = check::new_picture(layout, 2);
  const auto edges = check::reference_edges(picture, layout, canny::Params());
  fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
  GstBuffer* output = element.pull();
  fail_unless(output_difference(output, check::kRgb, edges).empty());
  gst_buffer_unref(output);
}
GST_END_TEST

/// What is wrong with one plane of a frame of kWidth x kHeight pixels in GBR.
struct BrokenPlane {
  const char* rule;
  void (*damage)(GstVideoMeta* meta);
};

static const BrokenPlane kBrokenPlanes[] = {
    {"plane 1: stride of 36 bytes is shorter", [](GstVideoMeta* m) { m->stride[1] = kWidth - 1; }},
    {"plane 2: stride of -36 bytes is shorter", [](GstVideoMeta* m) { m->stride[2] = 1 - kWidth; }},
    {"plane 1: 23 rows of 37 bytes, stride 2147483647",
     [](GstVideoMeta* m) { m->stride[1] = INT_MAX; }},
    {"plane 2: 23 rows of 37 bytes, stride -1840", [](GstVideoMeta* m) { m->stride[2] = -1840; }},
    {"plane 0: can't map the plane at offset", [](GstVideoMeta* m) { m->offset[0] = G_MAXSIZE; }},
    {"plane 1: can't map the plane at offset", [](GstVideoMeta* m) { m->offset[1] = G_MAXSIZE; }},
    {"plane 2: 23 rows of 37 bytes, stride 40", [](GstVideoMeta* m) { m->offset[2] += 4; }},
    {"has 2 planes, the format has 3", [](GstVideoMeta* m) { m->n_planes = 2; }},
};

GST_START_TEST(broken_planes_are_refused) {
  const int count = G_N_ELEMENTS(kBrokenPlanes);
  const int backend = __i__ / count;
  if (check::skip("broken_planes_are_refused", backend)) return;
  const BrokenPlane& broken = kBrokenPlanes[__i__ % count];
  const Layout layout = check::plain_layout(check::find_format("GBR"), kWidth, kHeight);
  {
    Element element(backend);
    element.send_caps(layout);
    GstBuffer* picture = check::new_picture(layout, 1);
    broken.damage(check::add_meta(picture, layout));
    check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                  broken.rule);
  }
  ShapedPool* pool = new_pool(layout);
  pool->change_meta = broken.damage;
  Element element(backend);
  offer(element, pool);
  element.send_caps(layout);
  check_refusal(element, element.push(check::new_picture(layout, 1)), GST_RESOURCE_ERROR,
                GST_RESOURCE_ERROR_WRITE, broken.rule);
  gst_object_unref(pool);
}
GST_END_TEST

/// Of a planar input the luma alone is read, but its meta must be one of the format.
GST_START_TEST(metas_without_chroma_are_refused) {
  if (check::skip("metas_without_chroma_are_refused", __i__)) return;
  const Layout layout = check::plain_layout(check::kNv12, kWidth, kHeight);
  Element element(__i__);
  element.send_caps(layout);
  GstBuffer* picture = check::new_picture(layout, 1);
  check::add_meta(picture, layout)->n_planes = 1;
  check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                "has 1 planes, the format has 2");
}
GST_END_TEST

GST_START_TEST(broken_outputs_are_refused) {
  if (check::skip("broken_outputs_are_refused", __i__)) return;
  const auto refuse_of = [&](const Format& format, const std::function<void(Layout*)>& damage,
                             const char* rule) {
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    Layout damaged = layout;
    damage(&damaged);
    ShapedPool* pool = new_pool(damaged);
    Element element(__i__);
    offer(element, pool);
    element.send_caps(layout);
    check_refusal(element, element.push(check::new_picture(layout, 1)), GST_RESOURCE_ERROR,
                  GST_RESOURCE_ERROR_WRITE, rule);
    gst_object_unref(pool);
  };
  const auto refuse = [&](const std::function<void(Layout*)>& damage, const char* rule) {
    refuse_of(check::kRgb, damage, rule);
  };
  // The last row of chroma, and nearly all of it, outside.
  refuse_of(
      check::kNv12, [](Layout* l) { l->size -= gsize(l->stride); }, "reach outside");
  refuse_of(
      check::kNv12, [](Layout* l) { l->chroma = l->size - 1; }, "reach outside");
  refuse([](Layout* l) { l->size = kWhole - 1; }, "reach outside");
  refuse([](Layout* l) { l->stride = kRow - 1; }, "shorter than a row");
  refuse([](Layout* l) { l->stride = -kStride; }, "reach outside");
  refuse([](Layout* l) { l->offset = G_MAXSIZE; }, "offset");
  refuse([](Layout* l) { l->format = &check::kFormats[1]; }, "format");
  refuse([](Layout* l) { l->width--; }, "smaller than");
}
GST_END_TEST

Suite* layouts_suite() {
  Suite* suite = suite_create("layouts");
  TCase* tcase = tcase_create("layouts");
  suite_add_tcase(suite, tcase);
  tcase_add_loop_test(tcase, inputs_of_every_shape, 0, G_N_ELEMENTS(kShapes) * check::kBackends);
  add_backend_test(tcase, inputs_without_a_meta);
  add_backend_test(tcase, inputs_larger_than_the_caps);
  add_backend_test(tcase, inputs_with_a_mapping_of_their_own);
  tcase_add_loop_test(tcase, outputs_of_every_shape, 0, G_N_ELEMENTS(kShapes) * check::kBackends);
  add_backend_test(tcase, planes_anywhere);
  tcase_add_test(tcase, pools_without_video_meta);
  tcase_add_loop_test(tcase, broken_inputs_are_refused, 0,
                      G_N_ELEMENTS(kBroken) * check::kBackends);
  tcase_add_loop_test(tcase, broken_planes_are_refused, 0,
                      G_N_ELEMENTS(kBrokenPlanes) * check::kBackends);
  add_backend_test(tcase, metas_without_chroma_are_refused);
  add_backend_test(tcase, broken_outputs_are_refused);
  return suite;
}

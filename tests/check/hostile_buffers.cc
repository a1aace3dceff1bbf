// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests inputs whose memory ends early, can't be written or mapped, is shared or comes in many
/// parts.
#include <algorithm>
#include <optional>
#include <string>

#include "expected.h"
#include "hostile.h"
#include "shapedpool.h"

using check::Element;
using check::Format;
using check::Layout;
using check::Owned;
using hostile::Edges;
using hostile::push_difference;
using paged::Block;

static check::Suite suite("hostile_buffers");

static constexpr int kWidth = 11;
static constexpr int kHeight = 6;

/// The bytes from the buffer's first one to the last one that the element needs for edges.
static gsize needed_bytes(const Layout& layout) {
  const GstVideoInfo info = check::info_of(layout);
  gsize needed = 0;
  for (int i = 0; i < canny::planes(layout.format->pixels); i++) {
    const check::PlaneLayout at = check::plane_of(layout, GST_VIDEO_INFO_COMP_PLANE(&info, i));
    const gsize row = gsize(canny::row_bytes(layout.format->pixels, layout.width));
    needed = std::max(needed, at.offset + gsize(at.stride) * gsize(layout.height - 1) + row);
  }
  return needed;
}

/// A buffer of the first bytes of a picture of this layout, in memory next to a page without
/// access.
static GstBuffer* new_cut(const Layout& layout, gsize size, bool has_meta) {
  GstBuffer* picture = check::new_picture(layout, size);
  gst_buffer_set_size(picture, gssize(size));
  if (size == 0) gst_buffer_remove_all_memory(picture);
  if (size > 0) picture = hostile::move_to_pages(picture, Block::At::kEnd);
  if (has_meta) check::add_meta(picture, layout);
  return picture;
}

/// Buffers of every size, from none to the whole frame: right frames from the last byte of the
/// detected planes on, errors below it.
ROW_TEST(inputs_of_every_size, check::kFormatCount) {
  const Format& format = check::kFormats[row];
  const Layout layout = check::plain_layout(format, kWidth, kHeight);
  const gsize needed = needed_bytes(layout);
  Element element(backend, layout);
  const gsize step = check::is_slow() ? 37 : 1;
  for (gsize size = 0; size <= layout.size; size += size + 3 < needed || size > needed ? step : 1) {
    for (const bool has_meta : {false, true}) {
      GstBuffer* picture = check::new_picture(layout, size);
      std::optional<Edges> edges;
      if (size >= needed) edges = check::reference_edges(picture, layout, canny::Params());
      gst_buffer_unref(picture);
      const std::string wrong =
          push_difference(element, new_cut(layout, size, has_meta), layout, edges);
      fail_unless(wrong.empty(), "%s, %d of %d bytes%s: %s", format.name, int(size),
                  int(layout.size), has_meta ? ", with meta" : "", wrong.c_str());
    }
  }
}

/// Nothing is read before the first byte or after the last one, or written.
BACKEND_TEST(inputs_between_closed_pages) {
  Element element(__i__);
  for (const Format& format : check::kFormats) {
    for (int width = 1; width <= 70; width += check::is_slow() ? 23 : 1 + width / 20 * 7) {
      const Layout layout = check::plain_layout(format, width, kHeight);
      element.send_caps(layout);
      for (const auto at : {Block::At::kStart, Block::At::kEnd}) {
        GstBuffer* picture = check::new_picture(layout, guint64(width));
        const Edges edges = check::reference_edges(picture, layout, canny::Params());
        gst_buffer_set_size(picture, gssize(needed_bytes(layout)));
        picture = hostile::move_to_pages(picture, at, GST_MEMORY_FLAG_READONLY);
        const auto before = check::read_bytes(picture);
        const std::string wrong =
            check::push_difference(element, gst_buffer_ref(picture), layout, edges);
        fail_unless(wrong.empty(), "width %d: %s", width, wrong.c_str());
        fail_unless(check::read_bytes(picture) == before);
        gst_buffer_unref(picture);
      }
    }
  }
}

/// A buffer that others hold and whose memory is in other buffers as well.
BACKEND_TEST(inputs_that_are_shared) {
  for (const canny::View view : {canny::View::kEdges, canny::View::kOverlay}) {
    canny::Params params;
    params.view = view;
    params.edge_color = check::kOverlayColor;
    Element element(__i__);
    element.set_params(params);
    const Layout layout = check::plain_layout(check::kNv12, 37, 23);
    element.send_caps(layout);
    const Owned<GstBuffer> picture(check::new_picture(layout, 1));
    const Owned<GstBuffer> copy(gst_buffer_copy(picture.get()));  // of the same memory
    const auto before = check::read_bytes(picture.get());
    const auto expected = check::expected_output(picture.get(), layout, layout, params).rows;
    const auto push = [&](const Owned<GstBuffer>& each) {
      fail_unless_equals_int(element.push(gst_buffer_ref(each.get())), GST_FLOW_OK);
      const Owned<GstBuffer> output(element.pull());
      fail_unless(output != nullptr);
      fail_unless(check::rows_in(output.get(), layout) == expected, "%s", canny::name(view));
      fail_unless(gst_buffer_get_custom_meta(output.get(), "cudacanny") != nullptr);
      fail_unless(check::read_bytes(picture.get()) == before, "the input was written");
    };
    push(picture);
    push(copy);
    push(picture);
    // Edges of a mapped input are the same.
    GstMapInfo map;
    fail_unless(gst_buffer_map(picture.get(), &map, GST_MAP_READ));
    push(copy);
    gst_buffer_unmap(picture.get(), &map);
  }
}

/// An allocator of memory that can't be mapped, like that of a device that is gone.
struct LostAllocator {
  GstAllocator parent;
};

struct LostAllocatorClass {
  GstAllocatorClass parent_class;
};

static GType lost_allocator_get_type();
G_DEFINE_TYPE(LostAllocator, lost_allocator, GST_TYPE_ALLOCATOR)

static GstMemory* lost_allocator_alloc(GstAllocator* allocator, gsize size, GstAllocationParams*) {
  auto* memory = g_new0(GstMemory, 1);
  gst_memory_init(memory, GstMemoryFlags(0), allocator, nullptr, size, 0, 0, size);
  return memory;
}

static void lost_allocator_class_init(LostAllocatorClass* klass) {
  klass->parent_class.alloc = lost_allocator_alloc;
  klass->parent_class.free = [](GstAllocator*, GstMemory* memory) { g_free(memory); };
}

static void lost_allocator_init(LostAllocator* self) {
  self->parent.mem_map = [](GstMemory*, gsize, GstMapFlags) { return gpointer{}; };
}

/// The luma is one plane, the colors three.
BACKEND_TEST(inputs_that_can_not_be_mapped) {
  g_autoptr(GstAllocator) allocator =
      GST_ALLOCATOR(gst_object_ref_sink(g_object_new(lost_allocator_get_type(), nullptr)));
  Element element(__i__);
  for (const char* name : {"NV12", "GBR"}) {
    const Layout layout = check::plain_layout(check::find_format(name), kWidth, kHeight);
    element.send_caps(layout);
    for (const bool has_meta : {false, true}) {
      GstBuffer* buffer = gst_buffer_new_allocate(allocator, layout.size, nullptr);
      if (has_meta) check::add_meta(buffer, layout);
      fail_unless_equals_int(element.push(buffer), GST_FLOW_ERROR);
      const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
      fail_unless(told.has_detail(has_meta ? "can't map the plane at" : "can't map the buffer's"),
                  "%s: '%s'", name, told.details.c_str());
    }
    fail_if_wrong(check::push_difference(element, check::new_picture(layout, 1), layout));
  }
}

/// The bytes of `buffer` (transfer full) in memories of their own, some of them empty.
static GstBuffer* scatter(GstBuffer* buffer, gsize memories) {
  const auto bytes = check::read_bytes(buffer);
  gst_buffer_unref(buffer);
  GstBuffer* result = gst_buffer_new();
  for (gsize i = 0; i < memories; i++) {
    const gsize begin = bytes.size() * i / memories, end = bytes.size() * (i + 1) / memories;
    GstBuffer* part = gst_buffer_new_allocate(nullptr, end - begin + 1, nullptr);
    gst_buffer_fill(part, 0, bytes.data() + begin, end - begin);
    gst_buffer_resize(part, 0, gssize(end - begin));
    part = hostile::move_to_pages(part, Block::At::kEnd, GST_MEMORY_FLAG_READONLY);
    gst_buffer_append_memory(result, gst_buffer_get_memory(part, 0));
    gst_buffer_unref(part);
    GstMemory* empty = gst_allocator_alloc(nullptr, 16, nullptr);
    gst_memory_resize(empty, 8, 0);
    if (i % 3 == 0) gst_buffer_append_memory(result, empty);
    if (i % 3 != 0) gst_memory_unref(empty);
  }
  return result;
}

/// GStreamer merges memories beyond the 16th.
BACKEND_TEST(inputs_in_many_memories) {
  Element element(__i__);
  for (const char* name : {"RGB", "NV12", "GBR", "I420", "v210"}) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, 37, 23);
    element.send_caps(layout);
    for (const gsize memories : {1, 2, 5, 12, 16, 17, 40}) {
      for (const bool has_meta : {false, true}) {
        GstBuffer* picture = check::new_picture(layout, memories);
        const Edges edges = check::reference_edges(picture, layout, canny::Params());
        picture = scatter(picture, memories);
        if (has_meta) check::add_meta(picture, layout);
        const std::string wrong = check::push_difference(element, picture, layout, edges);
        fail_unless(wrong.empty(), "%d memories: %s", int(memories), wrong.c_str());
      }
    }
  }
}

/// Caps of sides that are too long are refused whatever the buffer, in both directions and at once.
BACKEND_TEST(caps_that_are_too_large) {
  Element element(__i__);
  for (const auto& [width, height] : {std::pair{16385, 1},
                                      {1, 16385},
                                      {16385, 16385},
                                      {G_MAXINT, 1},
                                      {1, G_MAXINT},
                                      {0, 4},
                                      {4, 0},
                                      {-1, 4},
                                      {4, G_MININT}}) {
    const gchar* caps = "video/x-raw,format=GRAY8,framerate=30/1";
    GstCaps* sized = gst_caps_from_string(caps);
    gst_caps_set_simple(sized, "width", G_TYPE_INT, width, "height", G_TYPE_INT, height, nullptr);
    element.send_caps(sized);
    GstBuffer* buffer = gst_buffer_new();
    fail_unless_equals_int(element.push(buffer), GST_FLOW_NOT_NEGOTIATED);
    fail_unless(element.pull() == nullptr);
    const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    const std::string expected =
        "cudacanny does not accept frames of " + size + " pixels. Put videoscale before it.";
    fail_unless_equals_string(told.text.c_str(), expected.c_str());
  }
  const Layout layout = check::plain_layout(check::kGray, kWidth, kHeight);
  element.send_caps(layout);
  fail_if_wrong(check::push_difference(element, check::new_picture(layout, 1), layout));
}

/// The latency of frames in flight follows from the frame rate, which may be 0.
BACKEND_TEST(caps_of_any_frame_rate) {
  Element element(__i__, 4);
  const Layout layout = check::plain_layout(check::kGray, kWidth, kHeight);
  for (const auto& [numerator, denominator] :
       {std::pair{0, 1}, {1, G_MAXINT}, {G_MAXINT, 1}, {30, 1}, {G_MAXINT, G_MAXINT - 1}, {0, 1}}) {
    element.send_caps(check::new_caps(check::kGray, kWidth, kHeight, numerator, denominator));
    GstBuffer* picture = check::new_picture(layout, 1);
    const Edges edges = check::reference_edges(picture, layout, canny::Params());
    fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
    const Owned<GstBuffer> output(element.wait());
    const std::string wrong = check::difference(output.get(), layout, edges);
    fail_unless(wrong.empty(), "%d/%d: %s", numerator, denominator, wrong.c_str());
    const GstClockTime latency = gst_harness_query_latency(element.harness());
    fail_unless(GST_CLOCK_TIME_IS_VALID(latency) && (numerator > 0 || latency == 0),
                "%d/%d: %" GST_TIME_FORMAT, numerator, denominator, GST_TIME_ARGS(latency));
  }
}

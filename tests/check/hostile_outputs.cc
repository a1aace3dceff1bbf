// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests pools whose buffers end early, are read-only or shared, or whose planes lie in each other
/// or in the input.
#include <memory>
#include <string>
#include <vector>

#include "hostile.h"
#include "shapedpool.h"

using check::Element;
using check::Format;
using check::Layout;
using check::Owned;
using check::ShapedPool;
using hostile::Edges;
using paged::Block;

static check::Suite suite("hostile_outputs");

static constexpr int kWidth = 37;
static constexpr int kHeight = 23;

/// The element uses the pool and pushes these edges. Returns what is wrong, empty if nothing is.
static std::string output_difference(int backend, const Format& format, ShapedPool* pool,
                                     GstBuffer* input, const Edges& edges) {
  const Layout& layout = pool->layout;
  Element element(backend);
  check::offer(element, pool);
  check::want_format(element, format.name);
  element.send_caps(check::plain_layout(format, layout.width, layout.height));
  return check::push_difference(element, input, layout, edges, &format);
}

/// The first plane ends where the memory ends, and other planes begin where it begins.
static Layout tight_layout(const Format& format, int width) {
  Layout layout = check::plain_layout(format, width, kHeight);
  const gsize extent =
      gsize(layout.stride) * (kHeight - 1) + gsize(check::row_bytes(format, width));
  const gsize others = check::chroma_bytes(format, width, kHeight);
  layout.chroma = 0;
  layout.size = MAX(layout.size, others + extent);
  layout.offset = layout.size - extent;
  return layout;
}

/// Nothing is written, or read, outside the memory.
BACKEND_TEST(outputs_between_closed_pages) {
  const auto at_start = [](gsize size) { return hostile::new_paged(size, Block::At::kStart); };
  const auto at_end = [](gsize size) { return hostile::new_paged(size, Block::At::kEnd); };
  for (int i = 0; i < check::kOutputFormatCount; i++) {
    const Format& format = check::kFormats[i];
    for (const int width : {1, 2, 7, 16, 33, 64, 101}) {
      for (const bool is_at_end : {false, true}) {
        const Layout plain = check::plain_layout(format, width, kHeight);
        const check::OwnedPool pool =
            check::new_shaped_pool(is_at_end ? tight_layout(format, width) : plain);
        pool->new_memory = is_at_end ? +at_end : +at_start;
        GstBuffer* picture = check::new_picture(plain, guint64(width));
        const Edges edges = check::reference_edges(picture, plain, canny::Params());
        const std::string wrong = output_difference(__i__, format, pool.get(), picture, edges);
        fail_unless(wrong.empty(), "%s, width %d: %s", format.name, width, wrong.c_str());
      }
    }
  }
}

/// A second holder of the memory of all of a pool's buffers.
static GstBuffer* second_holder;

static void make_read_only(GstVideoMeta* meta) {
  GST_MINI_OBJECT_FLAG_SET(gst_buffer_peek_memory(meta->buffer, 0), GST_MEMORY_FLAG_READONLY);
}

static void hold_memory(GstVideoMeta* meta) {
  gst_buffer_append_memory(second_holder, gst_buffer_get_memory(meta->buffer, 0));
}

/// GStreamer gives the element a copy to write. Other holders keep their bytes.
BACKEND_TEST(outputs_that_can_not_be_written) {
  for (const char* name : {"RGB", "GBR", "GBRA", "NV12", "I420"}) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    for (const auto change : {make_read_only, hold_memory}) {
      second_holder = gst_buffer_new();
      const check::OwnedPool pool = check::new_shaped_pool(layout);
      pool->change_meta = change;
      GstBuffer* picture = check::new_picture(layout, 3);
      const Edges edges = check::reference_edges(picture, layout, canny::Params());
      const std::string wrong = output_difference(__i__, format, pool.get(), picture, edges);
      std::vector<std::uint8_t> held;
      if (change == hold_memory) held = check::read_bytes(second_holder);
      for (gsize i = 0; i < held.size(); i++) {
        fail_unless(held[i] == check::guard_byte(i % layout.size), "%s: byte %d of another holder",
                    name, int(i));
      }
      gst_buffer_unref(second_holder);
      fail_unless(wrong.empty(), "%s: %s", name, wrong.c_str());
    }
  }
}

/// Planes that share bytes. The second of the two moves onto the last row of the first.
struct Overlap {
  const char* format;
  int first, second;
};

static const Overlap kOverlaps[] = {
    {"GBR", 0, 1},  {"GBR", 1, 2},  {"GBR", 2, 0},  {"GBRA", 0, 3}, {"GBRA", 1, 3}, {"GBRA", 2, 3},
    {"RGBP", 2, 1}, {"NV12", 0, 1}, {"NV16", 0, 1}, {"I420", 0, 1}, {"I420", 1, 2}, {"Y444", 0, 2},
};

static const Overlap* overlap;

static void move_plane(GstVideoMeta* meta) {
  meta->offset[overlap->second] =
      meta->offset[overlap->first] + gsize(meta->stride[overlap->first]) * 2;
}

/// No such frame is pushed: one error instead.
static void check_refusal(Element& element, GstBuffer* input, const char* name) {
  fail_unless_equals_int(element.push(input), GST_FLOW_ERROR);
  fail_unless(element.pull() == nullptr, "%s: a frame was pushed", name);
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  fail_unless(told.has_detail("overlap"), "%s: %s", name, told.details.c_str());
  fail_unless(Owned<GstMessage>(element.pop(GST_MESSAGE_ERROR)) == nullptr, "two errors");
}

ROW_TEST(outputs_whose_planes_overlap, std::size(kOverlaps)) {
  overlap = &kOverlaps[row];
  const Format& format = check::find_format(overlap->format);
  const Layout layout = check::plain_layout(format, kWidth, kHeight);
  const check::OwnedPool pool = check::new_shaped_pool(layout);
  pool->layout.size += layout.size;  // room for a plane that moves
  pool->change_meta = move_plane;
  Element element(backend);
  check::offer(element, pool.get());
  check::want_format(element, format.name);
  element.send_caps(layout);
  check_refusal(element, check::new_picture(layout, 1), overlap->format);
}

/// The bytes of the input, which the pool's buffers have as well.
static Block* common;

static GstMemory* new_common(gsize size) {
  return gst_memory_new_wrapped(GstMemoryFlags(0), common->data(), size, 0, size, nullptr, nullptr);
}

/// The output's memory is the input's. Of GBRA, only the output's alpha is in the input.
BACKEND_TEST(outputs_in_the_input) {
  for (const char* name : {"RGB", "GRAY8", "NV12", "GBR", "YUY2", "GBRA"}) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    const bool is_alpha = std::string(name) == "GBRA";
    const auto memory = std::make_unique<Block>(2 * layout.size, Block::At::kEnd);
    common = memory.get();
    const check::OwnedPool pool = check::new_shaped_pool(layout);
    pool->layout.size *= 2;
    pool->new_memory = new_common;
    static gsize shift;
    shift = layout.size;
    if (is_alpha) {
      pool->change_meta = [](GstVideoMeta* meta) {
        for (int i = 0; i < 3; i++) meta->offset[i] += shift;
        meta->offset[3] = meta->offset[0] - shift;
      };
    }
    Element element(__i__);
    check::offer(element, pool.get());
    check::want_format(element, format.name);
    element.send_caps(layout);
    GstBuffer* input = gst_buffer_new();
    gst_buffer_append_memory(input, new_common(layout.size));
    check_refusal(element, input, name);
  }
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests buffers on either side that do not match their caps or meta.
#include <climits>
#include <cstring>
#include <functional>
#include <string>

#include "shapedpool.h"

using check::Element;
using check::Format;
using check::Layout;
using check::ShapedPool;

static check::Suite suite("layouts");

static constexpr int kWidth = 37;
static constexpr int kHeight = 23;

/// The element refuses a frame: one error, nothing pushed.
static void check_refusal(Element& element, GstFlowReturn flow, GQuark domain, int code,
                          const std::string& rule) {
  fail_unless_equals_int(flow, GST_FLOW_ERROR);
  fail_unless(element.pull() == nullptr, "a frame was pushed");
  const check::Told told = check::told_by(element.pop(GST_MESSAGE_ERROR));
  fail_unless(told.is(domain, code), "%s", told.text.c_str());
  fail_unless(told.has_detail(rule), "'%s' lacks '%s'", told.details.c_str(), rule.c_str());
  fail_unless(told.has("Check the element"));
  fail_unless(element.pop(GST_MESSAGE_ERROR) == nullptr, "two error messages");
  fail_unless_equals_uint64(check::stats_number(element.get(), "frames"), 0);
}

/// A buffer that does not hold a frame of kWidth x kHeight RGB pixels: the damage to a whole
/// buffer, and a part of the expected error.
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
    {"a format that GStreamer 1.22 has no name for", "differs from the caps' RGB",
     [](GstBuffer*, GstVideoMeta* m) { m->format = GstVideoFormat(127); }, true},
    {"a format outside its enum", "format number 99999 differs from the caps' RGB",
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

ROW_TEST(broken_inputs_are_refused, std::size(kBroken)) {
  const Broken& broken = kBroken[row];
  const Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  Element element(backend, layout);
  GstBuffer* picture = check::new_picture(layout, 1);
  broken.damage(picture, broken.has_meta ? check::add_meta(picture, layout) : nullptr);
  check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                broken.rule);
  // The next whole frame is exact.
  fail_if_wrong(check::push_difference(element, check::new_picture(layout, 2), layout));
}

/// Damage to one plane of a frame of kWidth x kHeight pixels in GBR.
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
    {"has 2 planes, but the format has 3", [](GstVideoMeta* m) { m->n_planes = 2; }},
};

ROW_TEST(broken_planes_are_refused, std::size(kBrokenPlanes)) {
  const BrokenPlane& broken = kBrokenPlanes[row];
  const Layout layout = check::plain_layout(check::find_format("GBR"), kWidth, kHeight);
  {
    Element element(backend, layout);
    GstBuffer* picture = check::new_picture(layout, 1);
    broken.damage(check::add_meta(picture, layout));
    check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                  broken.rule);
  }
  const check::OwnedPool pool = check::new_shaped_pool(layout);
  pool->change_meta = broken.damage;
  Element element(backend);
  check::offer(element, pool.get());
  element.send_caps(layout);
  check_refusal(element, element.push(check::new_picture(layout, 1)), GST_RESOURCE_ERROR,
                GST_RESOURCE_ERROR_WRITE, broken.rule);
}

/// Only the luma of a planar input is read, but its meta must match the format.
BACKEND_TEST(metas_without_chroma_are_refused) {
  const Layout layout = check::plain_layout(check::kNv12, kWidth, kHeight);
  Element element(__i__, layout);
  GstBuffer* picture = check::new_picture(layout, 1);
  check::add_meta(picture, layout)->n_planes = 1;
  check_refusal(element, element.push(picture), GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                "has 1 planes, but the format has 2");
}

BACKEND_TEST(broken_outputs_are_refused) {
  const auto refuse_of = [&](const Format& format, const std::function<void(Layout*)>& damage,
                             const char* rule) {
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    Layout damaged = layout;
    damage(&damaged);
    const check::OwnedPool pool = check::new_shaped_pool(damaged);
    Element element(__i__);
    check::offer(element, pool.get());
    element.send_caps(layout);
    check_refusal(element, element.push(check::new_picture(layout, 1)), GST_RESOURCE_ERROR,
                  GST_RESOURCE_ERROR_WRITE, rule);
  };
  const auto refuse = [&](const std::function<void(Layout*)>& damage, const char* rule) {
    refuse_of(check::kRgb, damage, rule);
  };
  // The last row of chroma, or nearly all of it, lies outside.
  refuse_of(
      check::kNv12, [](Layout* l) { l->size -= gsize(l->stride); }, "reach outside");
  refuse_of(
      check::kNv12, [](Layout* l) { l->chroma = l->size - 1; }, "reach outside");
  // Alpha, which is the last plane.
  refuse_of(
      check::find_format("GBRA"), [](Layout* l) { l->size -= gsize(l->stride); }, "plane 3: ");
  refuse([](Layout* l) { l->size = kWhole - 1; }, "reach outside");
  refuse([](Layout* l) { l->stride = kRow - 1; }, "shorter than a row");
  refuse([](Layout* l) { l->stride = -kStride; }, "reach outside");
  refuse([](Layout* l) { l->offset = G_MAXSIZE; }, "offset");
  refuse([](Layout* l) { l->format = &check::kFormats[1]; }, "format");
  refuse([](Layout* l) { l->width--; }, "smaller than");
}

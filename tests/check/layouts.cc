// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests rows anywhere in memory: strides, offsets, several memories, and downstream's pools.
#include <algorithm>
#include <string>
#include <utility>

#include "shapedpool.h"

using check::Element;
using check::Format;
using check::Layout;
using check::Owned;
using check::ShapedPool;
using check::split;

static check::Suite suite("layouts");

static constexpr int kWidth = 37;
static constexpr int kHeight = 23;

/// A way to lay out rows of `row` bytes.
struct Shape {
  const char* name;
  int padding;   ///< bytes between two rows
  gsize offset;  ///< offset of the row with the lowest address
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

ROW_TEST(inputs_of_every_shape, std::size(kShapes)) {
  Element element(backend);
  for (const Format& format : check::kFormats) {
    const Layout layout = make_layout(kShapes[row], format);
    element.send_caps(layout);
    for (gsize memories = 1; memories <= 3; memories++) {
      if (check::is_slow() && memories != 1 + gsize(&format - check::kFormats) % 3) continue;
      GstBuffer* picture = check::new_picture(layout, memories);
      const auto edges = check::reference_edges(picture, layout, canny::Params());
      if (memories > 1) picture = split(picture, memories);
      check::add_meta(picture, layout);
      const auto before = check::read_bytes(picture);
      const std::string differs =
          check::push_difference(element, gst_buffer_ref(picture), layout, edges);
      fail_unless(differs.empty(), "%s, %d memories: %s", kShapes[row].name, int(memories),
                  differs.c_str());
      fail_unless(before == check::read_bytes(picture), "the input was written");
      gst_buffer_unref(picture);
    }
  }
}

BACKEND_TEST(inputs_without_a_meta) {
  Element element(__i__);
  for (const Format& format : check::kFormats) {
    Layout layout = check::plain_layout(format, kWidth, kHeight);
    element.send_caps(layout);
    for (const gsize extra : {0, 1, 1000}) {
      layout.size += extra;
      for (gsize memories = 1; memories <= 3; memories++) {
        if (check::is_slow() && memories != 1 + gsize(&format - check::kFormats) % 3) continue;
        GstBuffer* picture = check::new_picture(layout, memories);
        const auto edges = check::reference_edges(picture, layout, canny::Params());
        if (memories > 1) picture = split(picture, memories);
        const std::string differs = check::push_difference(element, picture, layout, edges);
        fail_unless(differs.empty(), "%d memories: %s", int(memories), differs.c_str());
      }
    }
  }
}

/// The caps' frame is the top left of a larger one that the meta describes.
BACKEND_TEST(inputs_larger_than_the_caps) {
  Element element(__i__);
  Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  element.send_caps(layout);
  const Layout larger = check::plain_layout(check::kRgb, kWidth + 11, kHeight + 5);
  layout.stride = larger.stride;
  GstBuffer* picture = check::new_picture(larger, 3);
  check::add_meta(picture, larger);
  const auto edges = check::reference_edges(picture, layout, canny::Params());
  fail_if_wrong(check::push_difference(element, picture, layout, edges));
}

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

/// Memory that only the meta can map, like that of some decoders.
BACKEND_TEST(inputs_with_a_mapping_of_their_own) {
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
    fail_if_wrong(check::push_difference(element, picture, layout, edges));
    fail_unless_equals_int(custom_maps, canny::planes(format.pixels));
    fail_unless_equals_int(custom_unmaps, canny::planes(format.pixels));
  }
}

/// The bytes per row and the rows of a plane. For the first plane, those of the element's frame.
static std::pair<int, int> size_of_plane(const Layout& layout, int plane) {
  if (plane == 0) return {check::row_bytes(*layout.format, layout.width), layout.height};
  const GstVideoInfo info = check::info_of(layout);
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gst_video_format_info_component(info.finfo, guint(plane), components);
  return {GST_VIDEO_INFO_COMP_WIDTH(&info, components[0]) *
              GST_VIDEO_INFO_COMP_PSTRIDE(&info, components[0]),
          GST_VIDEO_INFO_COMP_HEIGHT(&info, components[0])};
}

/// The first byte of `buffer` outside the rows of its planes that changed since the pool filled it,
/// -1 if there is none.
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

ROW_TEST(outputs_of_every_shape, std::size(kShapes)) {
  const Shape& shape = kShapes[row];
  for (int i = 0; i < check::kOutputFormatCount; i++) {
    const Format& format = check::kFormats[i];
    const Layout in = check::plain_layout(format, kWidth, kHeight);
    Layout layout = make_layout(shape, format);
    layout.size = MAX(layout.size, in.size);  // the smallest size requested from a pool
    for (const guint memories : {1u, 2u}) {
      const check::OwnedPool pool = check::new_shaped_pool(layout);
      pool->memories = memories;
      Element element(backend);
      check::offer(element, pool.get());
      check::want_format(element, format.name);
      element.send_caps(in);
      for (std::uint64_t seed = 0; seed < 3; seed++) {
        GstBuffer* picture = check::new_picture(in, seed);
        const auto edges = check::reference_edges(picture, in, canny::Params());
        fail_unless_equals_int(element.push(picture), GST_FLOW_OK);
        const Owned<GstBuffer> output(element.pull());
        const std::string differs = check::difference(output.get(), in, edges);
        fail_unless(differs.empty(), "%s: %s", shape.name, differs.c_str());
        fail_unless(output->pool == GST_BUFFER_POOL(pool.get()), "the pool was not used");
        const gssize outside = written_outside(output.get(), layout);
        fail_unless(outside < 0, "%s, %s, %d memories, frame %d: byte %d was written", shape.name,
                    format.name, int(memories), int(seed), int(outside));
      }
    }
  }
}

// Planes in any order, each with its own stride, one of them bottom-up.

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

BACKEND_TEST(planes_anywhere) {
  for (const char* name : kPlanar) {
    const Format& format = check::find_format(name);
    const Layout layout = check::plain_layout(format, kWidth, kHeight);
    Layout scattered = layout;
    scattered.size = kScatteredSize;
    for (const guint memories : {1u, 2u, 3u}) {
      const check::OwnedPool pool = check::new_shaped_pool(scattered);
      pool->memories = memories;
      pool->change_meta = scatter;
      Element element(__i__);
      check::offer(element, pool.get());
      element.send_caps(layout);
      GstBuffer* picture = check::new_picture(layout, memories);
      const auto edges = check::reference_edges(picture, layout, canny::Params());
      fail_unless_equals_int(element.push(new_scattered(picture, layout, memories)), GST_FLOW_OK);
      const Owned<GstBuffer> output(element.pull());
      const std::string differs = check::difference(output.get(), layout, edges);
      fail_unless(differs.empty(), "%d memories: %s", int(memories), differs.c_str());
      fail_unless(output->pool == GST_BUFFER_POOL(pool.get()), "the pool was not used");
      const gssize outside = written_outside(output.get(), layout);
      fail_unless(outside < 0, "%s, %d memories: byte %d was written", name, int(memories),
                  int(outside));
      gst_buffer_unref(picture);
    }
  }
}

PLAIN_TEST(pools_without_video_meta) {
  const Layout layout = check::plain_layout(check::kRgb, kWidth, kHeight);
  const check::OwnedPool pool = check::new_shaped_pool(layout);
  pool->has_video_meta = FALSE;
  for (ShapedPool* offered : {pool.get(), static_cast<ShapedPool*>(nullptr)}) {
    Element element(0);
    check::offer(element, offered);
    element.send_caps(layout);
    const Owned<GstBuffer> output =
        check::transform(element, check::new_picture(layout, 1), layout);
    fail_unless_equals_int(output->pool == GST_BUFFER_POOL(pool.get()), offered != nullptr);
  }
}

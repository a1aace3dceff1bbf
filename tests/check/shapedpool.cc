// SPDX-License-Identifier: LGPL-2.1-or-later
/// The class of the shaped pool, and memory in parts.
#include "shapedpool.h"

namespace check {

struct ShapedPoolClass {
  GstBufferPoolClass parent_class;
};

GstBuffer* split(GstBuffer* buffer, gsize parts) {
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
  const gsize size = self->layout.size;
  *buffer = gst_buffer_new();
  gst_buffer_append_memory(*buffer, self->new_memory != nullptr
                                        ? self->new_memory(size)
                                        : gst_allocator_alloc(nullptr, size, nullptr));
  GstMapInfo map;
  gst_buffer_map(*buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++) map.data[i] = guard_byte(i);
  gst_buffer_unmap(*buffer, &map);
  if (self->memories > 1) *buffer = split(*buffer, self->memories);
  if (self->has_video_meta) {
    GstVideoMeta* meta = add_meta(*buffer, self->layout);
    meta->meta.flags = GST_META_FLAG_POOLED;
    if (self->change_meta != nullptr) self->change_meta(meta);
  }
  return GST_FLOW_OK;
}

static void shaped_pool_reset(GstBufferPool* pool, GstBuffer* buffer) {
  if (reinterpret_cast<ShapedPool*>(pool)->keeps_metas) return;
  GST_BUFFER_POOL_CLASS(shaped_pool_parent_class)->reset_buffer(pool, buffer);
}

static void shaped_pool_class_init(ShapedPoolClass* klass) {
  GST_BUFFER_POOL_CLASS(klass)->reset_buffer = shaped_pool_reset;
  GST_BUFFER_POOL_CLASS(klass)->get_options = shaped_pool_get_options;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = shaped_pool_alloc;
}

static void shaped_pool_init(ShapedPool* self) {
  self->has_video_meta = TRUE;
  self->memories = 1;
}

OwnedPool new_shaped_pool(const Layout& layout) {
  OwnedPool pool(static_cast<ShapedPool*>(g_object_new(shaped_pool_get_type(), nullptr)));
  gst_object_ref_sink(pool.get());
  pool->layout = layout;
  return pool;
}

void offer(Element& element, ShapedPool* pool) {
  on_query(element.harness()->sinkpad, GST_QUERY_ALLOCATION, [pool](GstQuery* query) {
    gst_query_add_allocation_pool(query, pool != nullptr ? &pool->parent : nullptr,
                                  pool != nullptr ? guint(pool->layout.size) : 0, 0, 0);
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
    return GST_PAD_PROBE_HANDLED;
  });
}

}  // namespace check

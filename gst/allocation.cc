// SPDX-License-Identifier: LGPL-2.1-or-later
/// Chooses pools and allocators, and configures them.
#include "allocation.h"

#include <gst/video/video.h>

#include "debug.h"

namespace {

/// Configures a pool for frames of `caps`, with a GstVideoMeta if possible, or keeps its
/// configuration if that suffices. False if neither works. `params`, null for those that the pool
/// has, are those of `allocator`, null for the default one. Sets `*size` to the size of the pool's
/// buffers.
bool configure(GstBufferPool* pool, GstCaps* caps, GstAllocator* allocator,
               const GstAllocationParams* params, guint* size, guint min, guint max) {
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, *size, min, max);
  if (params != nullptr) gst_buffer_pool_config_set_allocator(config, allocator, params);
  if (gst_buffer_pool_has_option(pool, GST_BUFFER_POOL_OPTION_VIDEO_META)) {
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  if (!gst_buffer_pool_set_config(pool, config)) {
    config = gst_buffer_pool_get_config(pool);
    const bool will_do = gst_buffer_pool_config_validate_params(config, caps, *size, min, max);
    if (!gst_buffer_pool_set_config(pool, config) || !will_do) return false;
  }
  g_autoptr(GstStructure) set = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_get_params(set, nullptr, size, nullptr, nullptr);
  return true;
}

/// Parameters of memory that begins at a multiple of `alignment` bytes, 0 = at any.
GstAllocationParams aligned(gsize alignment) {
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  params.align = alignment > 0 ? alignment - 1 : 0;
  return params;
}

/// Keeps the allocator that downstream put in the query, if there is one. Otherwise puts
/// `allocator`, or the default one if it is null, there, with downstream's alignment or a larger
/// one, and returns true.
bool offer_allocator(GstQuery* query, GstAllocator* allocator, gsize alignment) {
  g_autoptr(GstAllocator) offered = nullptr;
  GstAllocationParams params = aligned(alignment);
  if (gst_query_get_n_allocation_params(query) == 0) {
    gst_query_add_allocation_param(query, allocator, &params);
    return true;
  }
  gst_query_parse_nth_allocation_param(query, 0, &offered, &params);
  params.align |= aligned(alignment).align;
  const bool is_ours = offered == nullptr;
  if (is_ours) gst_query_set_nth_allocation_param(query, 0, allocator, &params);
  return is_ours;
}

/// Whether these are caps of the sink pad, for frames of `*info`. They may lack a framerate.
bool is_input(const GstCaps* caps, GstVideoInfo* info) {
  if (caps == nullptr || !gst_video_info_from_caps(info, caps)) return false;
  g_autoptr(GstCaps) possible = gst_cuda_canny_format_template_caps(GST_PAD_SINK);
  return gst_caps_can_intersect(caps, possible);
}

}  // namespace

/// A pool for a pad's frames in that memory (transfer full), not configured yet.
GstBufferPool* GstCudaCannyAllocation::new_pool(GstPadDirection pad, canny::Memory memory) const {
  return memory == canny::Memory::kDevice ? device->new_pool(pad) : gst_video_buffer_pool_new();
}

void GstCudaCannyAllocation::offer(GstQuery* query) const {
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  GstVideoInfo info;
  if (!has_host_memory() || !is_input(caps, &info)) return;
  const canny::Memory memory = gst_cuda_canny_format_memory(caps);
  const bool on_device = memory == canny::Memory::kDevice;
  if (on_device && device->handle() == nullptr) return;

  GstAllocator* allocator = on_device ? nullptr : page_locked;
  const GstAllocationParams params = aligned(zero_copy_alignment);
  if (!on_device) gst_query_add_allocation_param(query, allocator, &params);
  const guint min = in_flight + 1;
  guint size = GST_VIDEO_INFO_SIZE(&info);
  g_autoptr(GstBufferPool) pool = need_pool ? new_pool(GST_PAD_SINK, memory) : nullptr;
  if (pool == nullptr ||
      configure(pool, caps, allocator, on_device ? nullptr : &params, &size, min, 0)) {
    gst_query_add_allocation_pool(query, pool, size, min, 0);
  }
}

void GstCudaCannyAllocation::choose_pool(GstElement* element, const GstCudaCannyStream& out,
                                         GstQuery* query) const {
  const bool on_device = out.memory == canny::Memory::kDevice;
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  g_autoptr(GstBufferPool) pool = nullptr;
  guint size = 0;
  guint min = 0;
  guint max = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  size = MAX(size, GST_VIDEO_INFO_SIZE(&out.info));
  const bool serves = pool != nullptr && (!on_device || device->can_use(pool, out.info)) &&
                      configure(pool, caps, nullptr, nullptr, &size, min, max);
  bool is_own = false;
  if (!serves) {
    gst_clear_object(&pool);
    pool = new_pool(GST_PAD_SRC, out.memory);
    min = MAX(min, in_flight);
    max = 0;
    is_own =
        !on_device && has_host_memory() && offer_allocator(query, page_locked, zero_copy_alignment);
    configure(pool, caps, nullptr, nullptr, &size, min, max);
  }
  GST_INFO_OBJECT(element, "output buffers from %s pool, %s memory",
                  serves ? "downstream's" : "the element's",
                  !is_own                  ? gst_cuda_canny_format_memory_name(out.memory)
                  : page_locked != nullptr ? "page-locked"
                                           : "aligned");
  if (offered) {
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  } else {
    gst_query_add_allocation_pool(query, pool, size, min, max);
  }
}

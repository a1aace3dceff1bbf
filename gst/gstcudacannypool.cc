// SPDX-License-Identifier: LGPL-2.1-or-later
/// Configures pools and chooses their allocator.
#include "gstcudacannypool.h"

#include <gst/video/video.h>

bool gst_cuda_canny_pool_configure(GstBufferPool* pool, GstCaps* caps, GstAllocator* allocator,
                                   guint* size, guint min, guint max) {
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, *size, min, max);
  if (allocator != nullptr) gst_buffer_pool_config_set_allocator(config, allocator, nullptr);
  if (gst_buffer_pool_has_option(pool, GST_BUFFER_POOL_OPTION_VIDEO_META)) {
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  }
  if (!gst_buffer_pool_set_config(pool, config)) {
    config = gst_buffer_pool_get_config(pool);
    const bool will_do = gst_buffer_pool_config_validate_params(config, caps, *size, min, max);
    if (!gst_buffer_pool_set_config(pool, config) || !will_do) return false;
  }
  config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_get_params(config, nullptr, size, nullptr, nullptr);
  gst_structure_free(config);
  return true;
}

bool gst_cuda_canny_pool_offer_allocator(GstQuery* query, GstAllocator* allocator) {
  GstAllocator* offered = nullptr;
  GstAllocationParams params;
  gst_allocation_params_init(&params);
  if (gst_query_get_n_allocation_params(query) == 0) {
    gst_query_add_allocation_param(query, allocator, &params);
    return true;
  }
  gst_query_parse_nth_allocation_param(query, 0, &offered, &params);
  const bool is_ours = offered == nullptr;
  if (is_ours) gst_query_set_nth_allocation_param(query, 0, allocator, &params);
  gst_clear_object(&offered);
  return is_ours;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Fills buffers of a GstCudaBufferPool.
#include "element_cuda_memory.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include <utility>

#include "element_pictures.h"

namespace bench {
namespace {

/// Returns a context that lives as long as the program.
GstCudaContext* shared_context() {
  static GstCudaContext* const context =
      gst_cuda_load_library() ? gst_cuda_context_new(0) : nullptr;
  if (context == nullptr) throw NotRun("GStreamer has no CUDA context");
  gst_cuda_memory_init_once();
  return context;
}

/// Returns an active pool of at least `count` buffers.
Ref<GstBufferPool> new_pool(GstCaps* caps, const GstVideoInfo& info, std::size_t count) {
  Ref<GstBufferPool> pool(gst_cuda_buffer_pool_new(shared_context()));
  GstStructure* config = gst_buffer_pool_get_config(pool.get());
  gst_buffer_pool_config_set_params(config, caps, static_cast<guint>(info.size),
                                    static_cast<guint>(count), 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config(pool.get(), config) ||
      !gst_buffer_pool_set_active(pool.get(), TRUE))
    throw Failure("can't start a pool of CUDA memory");
  return pool;
}

/// Moves data that the host wrote to the device, so that no element has to.
void upload(GstBuffer* buffer) {
  GstMapInfo map;
  const auto flags = static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA);
  if (!gst_buffer_map(buffer, &map, flags)) throw Failure("can't map CUDA memory");
  gst_buffer_unmap(buffer, &map);
  wait_for_device(buffer);
}

}  // namespace

GstContext* cuda_context() {
  static GstContext* const context = gst_context_new_cuda_context(shared_context());
  return context;
}

void wait_for_device([[maybe_unused]] GstBuffer* buffer) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0)));
#endif
}

Buffers to_cuda_memory(const Buffers& pictures, GstCaps* caps) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) throw Failure("the caps are not video");
  const Ref<GstBufferPool> pool = new_pool(caps, info, pictures.size());
  Buffers buffers;
  for (const auto& picture : pictures) {
    GstBuffer* buffer = nullptr;
    if (gst_buffer_pool_acquire_buffer(pool.get(), &buffer, nullptr) != GST_FLOW_OK)
      throw Failure("the pool of CUDA memory has no buffer");
    buffers.emplace_back(buffer);
    if (!copy_frame(picture.get(), buffer, info)) throw Failure("can't write CUDA memory");
    upload(buffer);
  }
  gst_buffer_pool_set_active(pool.get(), FALSE);
  return buffers;
}

}  // namespace bench

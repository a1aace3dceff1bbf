// SPDX-License-Identifier: LGPL-2.1-or-later
// Fills buffers of a GstCudaBufferPool, and reads others.
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

/// Copies a plane of a mapped frame in the current context.
bool download(const GstVideoFrame& from, guint plane, const GstVideoFrame& to, CUstream stream) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(GST_VIDEO_FRAME_PLANE_DATA(&from, plane));
  copy.srcPitch = static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&from, plane));
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = GST_VIDEO_FRAME_PLANE_DATA(&to, plane);
  copy.dstPitch = static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&to, plane));
  copy.WidthInBytes = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&from, plane) *
                                               GST_VIDEO_FRAME_COMP_PSTRIDE(&from, plane));
  copy.Height = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_HEIGHT(&from, plane));
  return CuMemcpy2DAsync(&copy, stream) == CUDA_SUCCESS &&
         CuStreamSynchronize(stream) == CUDA_SUCCESS;
}

/// A stream that waits for no other, or null, the default stream.
CUstream new_stream() {
  CUstream stream = nullptr;
  return CuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS ? stream : nullptr;
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

Ref<GstBuffer> to_system_memory(GstBuffer* buffer, const GstVideoInfo& info) {
  if (!gst_is_cuda_memory(gst_buffer_peek_memory(buffer, 0)))
    return Ref<GstBuffer>(gst_buffer_ref(buffer));
  wait_for_device(buffer);
  Ref<GstBuffer> copy(gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr));
  GstVideoFrame from, to;
  const auto flags = static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_CUDA);
  if (!gst_video_frame_map(&from, &info, buffer, flags)) return nullptr;
  if (!gst_video_frame_map(&to, &info, copy.get(), GST_MAP_WRITE)) {
    gst_video_frame_unmap(&from);
    return nullptr;
  }
  bool is_copied = gst_cuda_context_push(shared_context());
  if (is_copied) {
    static const CUstream stream = new_stream();
    for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES(&from); ++plane)
      is_copied = is_copied && download(from, plane, to, stream);
    gst_cuda_context_pop(nullptr);
  }
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
  return is_copied ? std::move(copy) : nullptr;
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

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Wraps GstCudaContext, GstCudaMemory and, from GStreamer 1.24 on, GstCudaStream.
#include "device.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include "gstcudacannypool.h"

namespace {

using Lock = std::lock_guard<std::mutex>;

/// The buffer's memory, null if it is not CUDA memory.
GstCudaMemory* memory_of(GstBuffer* buffer) {
  GstMemory* memory =
      gst_buffer_n_memory(buffer) == 1 ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  return gst_is_cuda_memory(memory) ? GST_CUDA_MEMORY_CAST(memory) : nullptr;
}

/// The context of the buffer's memory, null if it is not CUDA memory.
GstCudaContext* context_of(GstBuffer* buffer) {
  GstCudaMemory* memory = memory_of(buffer);
  return memory != nullptr ? memory->context : nullptr;
}

guint device_of(GstCudaContext* context) {
  guint id = 0;
  g_object_get(context, "cuda-device-id", &id, nullptr);
  return id;
}

}  // namespace

bool gst_cuda_canny_device_is_built() { return true; }

GstMapFlags gst_cuda_canny_device_map_flags(GstMapFlags flags) {
  return static_cast<GstMapFlags>(flags | GST_MAP_CUDA);
}

void* gst_cuda_canny_device_default_stream() { return CU_STREAM_LEGACY; }

#if GST_CHECK_VERSION(1, 24, 0)

bool gst_cuda_canny_device_has_streams() { return true; }

void* gst_cuda_canny_device_stream(GstBuffer* buffer) {
  GstCudaMemory* memory = memory_of(buffer);
  GstCudaStream* stream = memory != nullptr ? gst_cuda_memory_get_stream(memory) : nullptr;
  if (stream == nullptr) return nullptr;
  if (stream->context == memory->context) return gst_cuda_stream_get_handle(stream);
  gst_cuda_memory_sync(memory);
  return nullptr;
}

/// Sets the flag that makes others wait, without relying on the mapping, which sets it too.
bool GstCudaCannyDevice::mark_unfinished(GstBuffer* buffer) const {
  if (gst_cuda_canny_device_stream(buffer) == nullptr) return false;
  GST_MINI_OBJECT_FLAG_SET(memory_of(buffer), GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
  return true;
}

GstBufferPool* GstCudaCannyDevice::new_pool(GstPadDirection pad) const {
  const Lock lock(mutex_);
  gst_cuda_memory_init_once();
  return gst_cuda_canny_pool_new(context_, pad);
}

static bool holds_all_rows(GstBufferPool* pool, const GstVideoInfo& info) {
  return gst_cuda_canny_pool_holds_all_rows(pool, info);
}

#else

bool gst_cuda_canny_device_has_streams() { return false; }
void* gst_cuda_canny_device_stream(GstBuffer*) { return nullptr; }
bool GstCudaCannyDevice::mark_unfinished(GstBuffer*) const { return false; }

GstBufferPool* GstCudaCannyDevice::new_pool(GstPadDirection) const {
  const Lock lock(mutex_);
  gst_cuda_memory_init_once();
  return gst_cuda_buffer_pool_new(context_);
}

static bool holds_all_rows(GstBufferPool*, const GstVideoInfo&) { return true; }

#endif

void GstCudaCannyDevice::set_context(GstElement* element, GstContext* context, gint device_id) {
  const Lock lock(mutex_);
  gst_cuda_handle_set_context(element, context, device_id, &context_);
}

bool GstCudaCannyDevice::answer(GstElement* element, GstQuery* query) {
  const Lock lock(mutex_);
  return gst_cuda_handle_context_query(element, query, context_);
}

/// Does not lock the mutex: meanwhile set_context() may be called, and neighbors may ask the
/// element for a context while it asks them.
bool GstCudaCannyDevice::ensure(GstElement* element, gint device_id) {
  return gst_cuda_load_library() && gst_cuda_ensure_element_context(element, device_id, &context_);
}

bool GstCudaCannyDevice::is_elsewhere(GstBuffer* buffer, gint device_id) const {
  GstCudaContext* context = context_of(buffer);
  const Lock lock(mutex_);
  if (context == nullptr || context == context_) return false;
  return device_id < 0 || device_of(context) == guint(device_id);
}

void GstCudaCannyDevice::follow(GstBuffer* buffer) {
  const Lock lock(mutex_);
  gst_object_replace(reinterpret_cast<GstObject**>(&context_), GST_OBJECT(context_of(buffer)));
}

void GstCudaCannyDevice::release() {
  const Lock lock(mutex_);
  gst_clear_object(&context_);
}

void* GstCudaCannyDevice::handle() const {
  const Lock lock(mutex_);
  return context_ != nullptr ? gst_cuda_context_get_handle(context_) : nullptr;
}

bool GstCudaCannyDevice::holds(GstBuffer* buffer, std::string* problem) const {
  GstCudaContext* context = context_of(buffer);
  const Lock lock(mutex_);
  if (context == nullptr) {
    *problem = "the buffer is not in CUDA memory";
  } else if (context != context_) {
    *problem = "the buffer is in a CUDA context of device " + std::to_string(device_of(context)) +
               " that is not the element's";
  }
  return problem->empty();
}

bool GstCudaCannyDevice::can_use(GstBufferPool* pool, const GstVideoInfo& info) const {
  const Lock lock(mutex_);
  return GST_IS_CUDA_BUFFER_POOL(pool) && GST_CUDA_BUFFER_POOL(pool)->context == context_ &&
         holds_all_rows(pool, info);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// A GstCudaBufferPool that distributes its streams among its buffers, and keeps a buffer from
/// being written while a stream still reads it.
#include "gstcudacannypool.h"

#if GST_CHECK_VERSION(1, 24, 0)

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudastream.h>
#include <gst/video/video.h>

#include "canny/canny.h"
#include "device.h"

namespace {

constexpr guint kMaxStreams = canny::kMaxFramesInFlight;  // usually one for each buffer

}  // namespace

struct GstCudaCannyPool {
  GstCudaBufferPool parent;

  guint n_streams;
  GstCudaStream* own[kMaxStreams];
  CUevent released;  // recorded in the default stream by any thread that releases a buffer
  // Set by the configuration.
  GstVideoInfo info;
  GstCudaStream* configured;  // null if buffers use `own`
  gint next;                  // atomic
};

struct GstCudaCannyPoolClass {
  GstCudaBufferPoolClass parent_class;
};

G_DEFINE_TYPE(GstCudaCannyPool, gst_cuda_canny_pool, GST_TYPE_CUDA_BUFFER_POOL)

static GstCudaCannyPool* cast(gpointer pool) { return static_cast<GstCudaCannyPool*>(pool); }

/// The frame to allocate for frames of `info`. GStreamer (1.24 to 1.28) omits the last row of
/// NV21's chroma if the height is odd.
static GstVideoInfo allocated_info(const GstVideoInfo& info) {
  GstVideoInfo allocated = info;
  if (GST_VIDEO_INFO_FORMAT(&info) == GST_VIDEO_FORMAT_NV21) {
    GST_VIDEO_INFO_HEIGHT(&allocated) = GST_ROUND_UP_2(GST_VIDEO_INFO_HEIGHT(&info));
  }
  return allocated;
}

/// Sets the caps from which the base class derives the size of a buffer.
static void set_allocated_caps(const GstVideoInfo& info, GstStructure* config) {
  GstCaps* caps = nullptr;
  guint size, min, max;
  gst_buffer_pool_config_get_params(config, &caps, &size, &min, &max);
  GstVideoInfo allocated = allocated_info(info);
  if (GST_VIDEO_INFO_HEIGHT(&allocated) == GST_VIDEO_INFO_HEIGHT(&info)) return;
  caps = gst_caps_copy(caps);
  gst_caps_set_simple(caps, "height", G_TYPE_INT, GST_VIDEO_INFO_HEIGHT(&allocated), nullptr);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_caps_unref(caps);
}

static gboolean gst_cuda_canny_pool_set_config(GstBufferPool* pool, GstStructure* config) noexcept {
  GstCudaCannyPool* self = cast(pool);
  GstCaps* caps = nullptr;
  if (!gst_buffer_pool_config_get_params(config, &caps, nullptr, nullptr, nullptr) ||
      caps == nullptr || !gst_video_info_from_caps(&self->info, caps)) {
    return FALSE;
  }
  gst_clear_cuda_stream(&self->configured);
  self->configured = gst_buffer_pool_config_get_cuda_stream(config);
  if (self->configured == self->own[0]) gst_clear_cuda_stream(&self->configured);
  if (self->configured == nullptr && self->own[0] != nullptr) {
    gst_buffer_pool_config_set_cuda_stream(config, self->own[0]);
  }
  set_allocated_caps(self->info, config);
  return GST_BUFFER_POOL_CLASS(gst_cuda_canny_pool_parent_class)->set_config(pool, config);
}

static GstFlowReturn gst_cuda_canny_pool_alloc(GstBufferPool* pool, GstBuffer** buffer,
                                               GstBufferPoolAcquireParams*) noexcept {
  GstCudaCannyPool* self = cast(pool);
  GstCudaStream* stream =
      self->configured != nullptr
          ? self->configured
          : self->own[guint(g_atomic_int_add(&self->next, 1)) % self->n_streams];
  const GstVideoInfo allocated = allocated_info(self->info);
  GstMemory* memory = gst_cuda_allocator_alloc(nullptr, self->parent.context, stream, &allocated);
  if (memory == nullptr) return GST_FLOW_ERROR;
  GstVideoInfo& placed = GST_CUDA_MEMORY_CAST(memory)->info;
  GST_VIDEO_INFO_HEIGHT(&placed) = GST_VIDEO_INFO_HEIGHT(&self->info);
  *buffer = gst_buffer_new();
  gst_buffer_append_memory(*buffer, memory);
  gst_buffer_add_video_meta_full(
      *buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&self->info),
      guint(GST_VIDEO_INFO_WIDTH(&self->info)), guint(GST_VIDEO_INFO_HEIGHT(&self->info)),
      GST_VIDEO_INFO_N_PLANES(&placed), placed.offset, placed.stride);
  return GST_FLOW_OK;
}

/// Allocates the configured minimum of buffers at once. GStreamer 1.26's GstCudaBufferPool
/// allocates them on demand: a buffer that comes back before the next frame would be the only one,
/// and each frame would wait for the frame before it.
static gboolean gst_cuda_canny_pool_start(GstBufferPool* pool) noexcept {
  return GST_BUFFER_POOL_CLASS(g_type_class_peek(GST_TYPE_BUFFER_POOL))->start(pool);
}

/// An element that reads in a stream of its own calls gst_cuda_memory_sync(), which clears the
/// flag, and may release the buffer while its stream still reads. Work that is queued later in the
/// memory's stream then begins after that: GStreamer's streams and the default one wait for each
/// other.
static void gst_cuda_canny_pool_release(GstBufferPool* pool, GstBuffer* buffer) noexcept {
  GstCudaCannyPool* self = cast(pool);
  const bool may_be_read = gst_buffer_n_memory(buffer) == 1 &&
                           !GST_MEMORY_FLAG_IS_SET(gst_buffer_peek_memory(buffer, 0),
                                                   GST_CUDA_MEMORY_TRANSFER_NEED_SYNC);
  if (may_be_read && gst_cuda_context_push(self->parent.context)) {
    const auto stream = static_cast<CUstream>(gst_cuda_canny_device_default_stream());
    if (CuEventRecord(self->released, stream) != CUDA_SUCCESS) CuStreamSynchronize(stream);
    gst_cuda_context_pop(nullptr);
  }
  GST_BUFFER_POOL_CLASS(gst_cuda_canny_pool_parent_class)->release_buffer(pool, buffer);
}

static void gst_cuda_canny_pool_finalize(GObject* object) noexcept {
  GstCudaCannyPool* self = cast(object);
  if (self->released != nullptr && gst_cuda_context_push(self->own[0]->context)) {
    CuEventDestroy(self->released);  // the entry point before CUDA 4.0, which waits for the event
    gst_cuda_context_pop(nullptr);
  }
  gst_clear_cuda_stream(&self->configured);
  for (GstCudaStream*& stream : self->own) gst_clear_cuda_stream(&stream);
  G_OBJECT_CLASS(gst_cuda_canny_pool_parent_class)->finalize(object);
}

static void gst_cuda_canny_pool_class_init(GstCudaCannyPoolClass* klass) {
  G_OBJECT_CLASS(klass)->finalize = gst_cuda_canny_pool_finalize;
  GST_BUFFER_POOL_CLASS(klass)->set_config = gst_cuda_canny_pool_set_config;
  GST_BUFFER_POOL_CLASS(klass)->start = gst_cuda_canny_pool_start;
  GST_BUFFER_POOL_CLASS(klass)->alloc_buffer = gst_cuda_canny_pool_alloc;
  GST_BUFFER_POOL_CLASS(klass)->release_buffer = gst_cuda_canny_pool_release;
}

static void gst_cuda_canny_pool_init(GstCudaCannyPool*) {}

bool gst_cuda_canny_pool_holds_all_rows(GstBufferPool* pool, const GstVideoInfo& info) {
  const GstVideoInfo allocated = allocated_info(info);
  return G_TYPE_CHECK_INSTANCE_TYPE(pool, gst_cuda_canny_pool_get_type()) ||
         GST_VIDEO_INFO_HEIGHT(&info) == GST_VIDEO_INFO_HEIGHT(&allocated);
}

GstBufferPool* gst_cuda_canny_pool_new(GstCudaContext* context, GstPadDirection pad) {
  GstCudaCannyPool* self = cast(g_object_new(gst_cuda_canny_pool_get_type(), nullptr));
  gst_object_ref_sink(self);
  self->parent.context = GST_CUDA_CONTEXT(gst_object_ref(context));
  self->n_streams = pad == GST_PAD_SRC ? kMaxStreams : 1;
  for (guint i = 0; i < self->n_streams; i++) self->own[i] = gst_cuda_stream_new(context);
  if (self->own[0] != nullptr && gst_cuda_context_push(context)) {
    CuEventCreate(&self->released, CU_EVENT_DISABLE_TIMING);
    gst_cuda_context_pop(nullptr);
  }
  return GST_BUFFER_POOL_CAST(self);
}

#endif

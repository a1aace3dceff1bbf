// SPDX-License-Identifier: LGPL-2.1-or-later
/// Fills and reads buffers of GStreamer's CUDA memory.
#include "cudapictures.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include <string>

#include "worker.h"

namespace check {

static GstCudaContext* new_context() {
  fail_unless(gst_cuda_load_library(), "GStreamer finds no CUDA driver");
  gst_cuda_memory_init_once();
  GstCudaContext* context = gst_cuda_context_new(0);
  fail_unless(context != nullptr, "GStreamer has no CUDA context");
  return context;
}

GstCudaContext* cuda_context(int number) {
  static GstCudaContext* const contexts[kCudaContexts] = {new_context(), new_context()};
  return contexts[number];
}

Owned<GstContext> new_shared_context(GstCudaContext* context) {
  return Owned<GstContext>(gst_context_new_cuda_context(context));
}

GstCudaContext* context_in(GstContext* shared) {
  GstCudaContext* context = nullptr;
  const GstStructure* structure = gst_context_get_structure(shared);
  if (gst_structure_get(structure, GST_CUDA_CONTEXT_TYPE, GST_TYPE_CUDA_CONTEXT, &context,
                        nullptr)) {
    gst_object_unref(context);
  }
  return context;
}

GstCaps* new_cuda_caps(const Format& format, int width, int height) {
  GstCaps* caps = new_caps(format, width, height);
  gst_caps_set_features_simple(caps,
                               gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  return caps;
}

GstBuffer* new_pool_buffer(GstCaps* caps, GstCudaContext* context,
                           const std::function<void(GstStructure*)>& configure) {
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBufferPool* pool = gst_cuda_buffer_pool_new(context);
  GstStructure* config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, guint(info.size), 1, 0);
  gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (configure) configure(config);
  fail_unless(gst_buffer_pool_set_config(pool, config), "the pool of CUDA memory is not set up");
  fail_unless(gst_buffer_pool_set_active(pool, TRUE), "the pool of CUDA memory does not start");
  GstBuffer* buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  return buffer;
}

/// GStreamer from 1.24 on omits the last row of NV21's chroma if the height is odd.
static int allocated_height(const Layout& layout) {
  const bool is_nv21 = video_format(*layout.format) == GST_VIDEO_FORMAT_NV21;
  return is_nv21 ? GST_ROUND_UP_2(layout.height) : layout.height;
}

GstBuffer* new_cuda_buffer(const Layout& layout, GstCudaContext* context) {
  const Owned<GstCaps> caps(new_cuda_caps(*layout.format, layout.width, allocated_height(layout)));
  GstBuffer* buffer = new_pool_buffer(caps.get(), context);
  gst_buffer_get_video_meta(buffer)->height = guint(layout.height);
  return buffer;
}

GstCudaContext* context_of(GstBuffer* buffer) {
  GstMemory* memory =
      gst_buffer_n_memory(buffer) == 1 ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  return gst_is_cuda_memory(memory) ? GST_CUDA_MEMORY_CAST(memory)->context : nullptr;
}

/// Copies `rows` rows without gaps between them.
static void download(GstCudaContext* context, const guint8* from, guint8* to, gsize row,
                     gsize rows) {
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = CUdeviceptr(from);
  copy.srcPitch = row;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to;
  copy.dstPitch = row;
  copy.WidthInBytes = row;
  copy.Height = rows;
  fail_unless(gst_cuda_context_push(context), "can't push the CUDA context");
  const CUresult result = CuMemcpy2D(&copy);
  gst_cuda_context_pop(nullptr);
  fail_unless_equals_int(result, CUDA_SUCCESS);
}

/// Waits for pending work on the buffer's memory.
static void wait_for_device([[maybe_unused]] GstBuffer* buffer) {
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0)));
#endif
}

Owned<GstBuffer> device_bytes(GstBuffer* buffer) {
  wait_for_device(buffer);
  GstVideoMeta* meta = gst_buffer_get_video_meta(buffer);
  fail_unless(meta != nullptr, "a buffer in CUDA memory has no GstVideoMeta");
  Owned<GstBuffer> bytes(gst_buffer_new_allocate(nullptr, gst_buffer_get_size(buffer), nullptr));
  GstMapInfo from, to;
  fail_unless(gst_buffer_map(buffer, &from, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)),
              "can't map CUDA memory for the device");
  fail_unless(gst_buffer_map(bytes.get(), &to, GST_MAP_WRITE));
  const gsize row = gsize(meta->stride[0]);
  fail_unless_equals_uint64(from.size % row, 0);
  download(context_of(buffer), from.data, to.data, row, from.size / row);
  gst_buffer_unmap(bytes.get(), &to);
  gst_buffer_unmap(buffer, &from);
  gst_buffer_add_video_meta_full(bytes.get(), meta->flags, meta->format, meta->width, meta->height,
                                 meta->n_planes, meta->offset, meta->stride);
  return bytes;
}

GstCudaContext* told_context(GstElement* element, const char* pad) {
  const Owned<GstQuery> query(gst_query_new_context(GST_CUDA_CONTEXT_TYPE));
  GstPad* asked = gst_element_get_static_pad(element, pad);
  const bool answered = gst_pad_query(asked, query.get());
  gst_object_unref(asked);
  GstContext* shared = nullptr;
  if (answered) gst_query_parse_context(query.get(), &shared);
  return shared != nullptr ? context_in(shared) : nullptr;
}

void want_cuda(const Element& element, const Format* format) {
  std::string caps = "video/x-raw(" GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY ")";
  if (format != nullptr) caps += std::string(",format=") + format->name;
  gst_harness_set_sink_caps_str(element.harness(), caps.c_str());
}

void wait_for_count(GstElement* element, guint64 frames) {
  wait_until([&] { return stats_number(element, "frames") >= frames; });
}

/// GStreamer moves these bytes to the device when the CUDA memory is mapped there.
static void copy_frame(GstBuffer* buffer, GstBuffer* picture, const Layout& layout) {
  const GstVideoInfo info = info_of(layout);
  GstVideoFrame from, to;
  fail_unless(gst_video_frame_map(&from, &info, picture, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&to, &info, buffer, GST_MAP_WRITE), "can't map CUDA memory");
  fail_unless(gst_video_frame_copy(&to, &from));
  gst_video_frame_unmap(&to);
  gst_video_frame_unmap(&from);
}

void fill_cuda_buffer(GstBuffer* buffer, GstBuffer* picture, const Layout& layout) {
  copy_frame(buffer, picture, layout);
  GstMapInfo map;
  fail_unless(gst_buffer_map(buffer, &map, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
  gst_buffer_unmap(buffer, &map);
  wait_for_device(buffer);
}

void Pictures::set_layout(const Layout& layout, bool in_cuda) {
  layout_ = layout;
  element_.send_caps(in_cuda ? new_cuda_caps(*layout.format, layout.width, layout.height)
                             : new_caps(*layout.format, layout.width, layout.height));
}

std::string Pictures::describe(const Sent& sent) const {
  return name_ + (name_.empty() ? "" : ": ") + sent.layout.format->name + " " +
         std::to_string(sent.layout.width) + "x" + std::to_string(sent.layout.height) + " at " +
         std::to_string(sent.time) + " ns";
}

void Pictures::push(GstCudaContext* context) {
  push_in(context != nullptr ? new_cuda_buffer(layout_, context)
                             : gst_buffer_new_allocate(nullptr, layout_.size, nullptr));
}

void Pictures::push_in(GstBuffer* buffer) {
  const Owned<GstBuffer> picture(new_picture(layout_, time_));
  sent_.push_back({time_, layout_, reference_edges(picture.get(), layout_, canny::Params())});
  if (context_of(buffer) != nullptr) {
    fill_cuda_buffer(buffer, picture.get(), layout_);
  } else {
    copy_frame(buffer, picture.get(), layout_);
  }
  GST_BUFFER_PTS(buffer) = time_;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 30;
  time_ += GST_SECOND / 30;
  const GstFlowReturn flow = element_.push(buffer);
  fail_unless(flow == GST_FLOW_OK, "%s: push gave %s", describe(sent_.back()).c_str(),
              gst_flow_get_name(flow));
}

void Pictures::push(int count, GstCudaContext* context) {
  for (int i = 0; i < count; i++) push(context);
}

/// Compares the buffer with its expected contents. If the device and a map give the same bytes,
/// both must be right.
static std::string output_difference(GstBuffer* out, GstCudaContext* context, const Format& format,
                                     const Layout& layout, const std::vector<std::uint8_t>& edges) {
  GstCudaContext* got = context_of(out);
  if (got != context) {
    if (got == nullptr) return "not in CUDA memory";
    return context == nullptr ? "not in system memory" : "in another CUDA context";
  }
  std::string differs;
  if (context != nullptr) {
    const Owned<GstBuffer> bytes = device_bytes(out);
    differs = difference(bytes.get(), format, layout.width, layout.height, edges);
    if (!differs.empty() || layout.height % 2 != 0) return differs;
  }
  differs = difference(out, format, layout.width, layout.height, edges);
  return context != nullptr && !differs.empty() ? "after a download, " + differs : differs;
}

Owned<GstBuffer> Pictures::check(GstCudaContext* context, const Format* format) {
  fail_if(sent_.empty());
  const Sent sent = sent_.front();
  sent_.pop_front();
  const std::string name = describe(sent);
  Owned<GstBuffer> out(element_.wait());
  fail_unless(out != nullptr, "%s: no frame", name.c_str());
  fail_unless(GST_BUFFER_PTS(out.get()) == sent.time, "%s: got the frame at %" G_GUINT64_FORMAT,
              name.c_str(), GST_BUFFER_PTS(out.get()));
  const Format& result = format != nullptr ? *format : output_of(*sent.layout.format);
  const std::string differs =
      output_difference(out.get(), context, result, sent.layout, sent.edges);
  fail_unless(differs.empty(), "%s: %s", name.c_str(), differs.c_str());
  return out;
}

void Pictures::check(int count, GstCudaContext* context, const Format* format) {
  for (int i = 0; i < count; i++) check(context, format);
}

void Pictures::forget() {
  while (const Owned<GstBuffer> out{element_.pull()}) continue;
  sent_.clear();
}

}  // namespace check

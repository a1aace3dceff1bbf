// SPDX-License-Identifier: LGPL-2.1-or-later
/// Queues work in a CUDA stream behind a gate.
#include "cudaunfinished.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>

#include <string>
#include <vector>

using check::Element;
using check::Layout;
using check::Owned;

namespace streams {

Layout layout_of_tests() { return check::plain_layout(check::kNv12, 321, 243); }

#if GST_CHECK_VERSION(1, 24, 0)

Stream new_stream() {
  return Stream(gst_cuda_stream_new(check::cuda_context(0)), gst_cuda_stream_unref);
}

Owned<GstBuffer> new_buffer_of(GstMemory* memory, const Layout& layout) {
  fail_unless(memory != nullptr, "no CUDA memory");
  const GstVideoInfo& info = GST_CUDA_MEMORY_CAST(memory)->info;
  Owned<GstBuffer> buffer(gst_buffer_new());
  gst_buffer_append_memory(buffer.get(), memory);
  gst_buffer_add_video_meta_full(
      buffer.get(), GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), guint(layout.width),
      guint(layout.height), GST_VIDEO_INFO_N_PLANES(&info), info.offset, info.stride);
  return buffer;
}

Owned<GstBuffer> new_buffer(const Layout& layout, GstCudaStream* stream) {
  GstCudaContext* context = check::cuda_context(0);
  const GstVideoInfo info = check::info_of(layout);
  return new_buffer_of(gst_cuda_allocator_alloc(nullptr, context, stream, &info), layout);
}

static CUstream handle_of(GstCudaStream* stream) { return gst_cuda_stream_get_handle(stream); }

#else

Owned<GstBuffer> new_buffer(const Layout& layout, GstCudaStream*) {
  return Owned<GstBuffer>(check::new_cuda_buffer(layout, check::cuda_context(0)));
}

static CUstream handle_of(GstCudaStream*) { return nullptr; }

#endif

/// Finds a function of the driver that GStreamer does not load.
template <typename Function>
static Function driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  fail_unless(driver != nullptr, "no libcuda.so.1");
  auto* function = reinterpret_cast<Function>(dlsym(driver, name));
  fail_unless(function != nullptr, "the driver has no %s", name);
  return function;
}

Gate::Gate(GstCudaStream* stream) : stream_(handle_of(stream)) {
  const auto launch =
      driver_function<CUresult (*)(CUstream, void (*)(void*), void*)>("cuLaunchHostFunc");
  gst_cuda_context_push(check::cuda_context(0));
  const CUresult result = launch(stream_, wait, this);
  gst_cuda_context_pop(nullptr);
  fail_unless_equals_int(result, CUDA_SUCCESS);
}

Gate::~Gate() {
  open();
  gst_cuda_context_push(check::cuda_context(0));
  CuStreamSynchronize(stream_);
  gst_cuda_context_pop(nullptr);
}

void Gate::open() {
  if (!is_open_) opened_.set_value();
  is_open_ = true;
}

void Gate::wait(void* gate) { static_cast<Gate*>(gate)->opened_.get_future().wait(); }

void queue_copy(GstBuffer* from, GstBuffer* to, GstCudaStream* stream) {
  GstMapInfo in, out;
  fail_unless(gst_buffer_map(from, &in, GstMapFlags(GST_MAP_READ | GST_MAP_CUDA)));
  fail_unless(gst_buffer_map(to, &out, GstMapFlags(GST_MAP_WRITE | GST_MAP_CUDA)));
  fail_unless_equals_uint64(in.size, out.size);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = CUdeviceptr(in.data);
  copy.dstDevice = CUdeviceptr(out.data);
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes =
      gsize(gst_buffer_get_video_meta(from)->stride[0]);
  copy.Height = in.size / copy.WidthInBytes;
  gst_cuda_context_push(check::cuda_context(0));
  const CUresult result = CuMemcpy2DAsync(&copy, handle_of(stream));
  gst_cuda_context_pop(nullptr);
  gst_buffer_unmap(to, &out);
  gst_buffer_unmap(from, &in);
  fail_unless_equals_int(result, CUDA_SUCCESS);
}

Owned<GstBuffer> new_picture(GstClockTime time) {
  Owned<GstBuffer> picture(check::new_picture(layout_of_tests(), time));
  GST_BUFFER_PTS(picture.get()) = time;
  return picture;
}

Owned<GstBuffer> new_input(GstClockTime time) {
  Owned<GstBuffer> buffer = new_buffer(layout_of_tests(), nullptr);
  check::fill_cuda_buffer(buffer.get(), new_picture(time).get(), layout_of_tests());
  GST_BUFFER_PTS(buffer.get()) = time;
  return buffer;
}

void UnfinishedInputs::prepare(GstClockTime time) {
  source_ = new_input(time);
  buffer_ = new_buffer(layout_of_tests(), stream_);
  GST_BUFFER_PTS(buffer_.get()) = time;
}

GstBuffer* UnfinishedInputs::finish_later() {
  queue_copy(source_.get(), buffer_.get(), stream_);
  return buffer_.release();
}

void judge(GstBuffer* out, GstClockTime time, const char* what) {
  const Layout layout = layout_of_tests();
  const std::vector<std::uint8_t> edges =
      check::reference_edges(new_picture(time).get(), layout, canny::Params());
  const bool in_cuda = check::context_of(out) != nullptr;
  const Owned<GstBuffer> bytes(in_cuda ? check::device_bytes(out).release() : gst_buffer_ref(out));
  const std::string differs = check::difference(bytes.get(), layout, edges);
  fail_unless(differs.empty(), "%s: %s", what, differs.c_str());
}

void set_up(Element& element, bool to_cuda) {
  gst_element_set_context(element.get(), check::new_shared_context(check::cuda_context(0)).get());
  if (to_cuda) check::want_cuda(element, nullptr);
  if (!to_cuda) gst_harness_set_sink_caps_str(element.harness(), "video/x-raw,format=NV12");
  const Layout layout = layout_of_tests();
  element.send_caps(check::new_cuda_caps(*layout.format, layout.width, layout.height));
  fail_unless_equals_int(element.push(new_input(0).release()), GST_FLOW_OK);
  fail_unless(Owned<GstBuffer>(element.wait()) != nullptr);
  check::wait_for_count(element.get(), 1);
}

}  // namespace streams

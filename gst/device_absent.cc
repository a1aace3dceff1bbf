// SPDX-License-Identifier: LGPL-2.1-or-later
/// Stands in for device.cc without GStreamer's CUDA library.
#include "device.h"

bool gst_cuda_canny_device_is_built() { return false; }

bool gst_cuda_canny_device_has_streams() { return false; }

void* gst_cuda_canny_device_stream(GstBuffer*) { return nullptr; }

void* gst_cuda_canny_device_default_stream() { return nullptr; }

GstMapFlags gst_cuda_canny_device_map_flags(GstMapFlags flags) { return flags; }

void GstCudaCannyDevice::set_context(GstElement*, GstContext*, gint) {}
bool GstCudaCannyDevice::answer(GstElement*, GstQuery*) { return false; }
bool GstCudaCannyDevice::ensure(GstElement*, gint) { return false; }
bool GstCudaCannyDevice::is_elsewhere(GstBuffer*, gint) const { return false; }
void GstCudaCannyDevice::follow(GstBuffer*) {}
void GstCudaCannyDevice::release() {}
void* GstCudaCannyDevice::handle() const { return nullptr; }
bool GstCudaCannyDevice::holds(GstBuffer*, std::string* problem) const {
  *problem = "the plugin was built without cuda-memory";
  return false;
}
bool GstCudaCannyDevice::mark_unfinished(GstBuffer*) const { return false; }
GstBufferPool* GstCudaCannyDevice::new_pool(GstPadDirection) const { return nullptr; }
bool GstCudaCannyDevice::can_use(GstBufferPool*, const GstVideoInfo&) const { return false; }

// SPDX-License-Identifier: LGPL-2.1-or-later
/// CUDA memory of GStreamer, and the context that the elements of a pipeline share.
#pragma once

#include <gst/gst.h>

#include <string>

/// Whether the plugin was built with GStreamer's CUDA library. Without it no function below
/// succeeds.
bool gst_cuda_canny_device_is_built();

/// To map CUDA memory for the device.
GstMapFlags gst_cuda_canny_device_map_flags(GstMapFlags flags);

/// The GstCudaContext of an element, null at first. Any thread may offer one and ask for it; all
/// else is for the streaming thread.
class GstCudaCannyDevice {
 public:
  GstCudaCannyDevice();
  ~GstCudaCannyDevice();
  GstCudaCannyDevice(const GstCudaCannyDevice&) = delete;
  GstCudaCannyDevice& operator=(const GstCudaCannyDevice&) = delete;

  /// Takes the context that the element is offered, if it has none and it is one of device
  /// `device_id` (-1 = any).
  void set_context(GstElement* element, GstContext* context, gint device_id);
  /// Answers a context query with the context, if that is asked for and there is one.
  bool answer(GstElement* element, GstQuery* query);
  /// Finds a context among the element's neighbours and in the application, or creates one. False
  /// if there is none.
  bool ensure(GstElement* element, gint device_id);
  /// Whether the buffer is in another context, to which the element may go (-1 = of any device).
  bool is_elsewhere(GstBuffer* buffer, gint device_id) const;
  /// Has the context become that of the buffer.
  void follow(GstBuffer* buffer);
  /// To be called at the end of the stream.
  void release();

  void* handle() const;  ///< the CUcontext, null if there is none
  /// Whether the buffer is in memory of this context. If not, `*problem` says why.
  bool holds(GstBuffer* buffer, std::string* problem) const;
  GstBufferPool* new_pool() const;              ///< of such buffers (transfer full)
  bool is_own_pool(GstBufferPool* pool) const;  ///< whether a pool has them

 private:
  gpointer context_ = nullptr;  // GstCudaContext
  mutable GMutex mutex_;
};

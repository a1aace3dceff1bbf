// SPDX-License-Identifier: LGPL-2.1-or-later
/// CUDA memory of GStreamer, and the context that the elements of a pipeline share.
#pragma once

#include <gst/gst.h>

#include <string>

/// Whether the plugin was built with GStreamer's CUDA library. Without it no function below
/// succeeds.
bool gst_cuda_canny_device_is_built();

/// Whether GStreamer's CUDA library (1.24 or later) has streams, with which memory is passed on
/// while it is still being written.
bool gst_cuda_canny_device_has_streams();

/// To map CUDA memory for the device.
GstMapFlags gst_cuda_canny_device_map_flags(GstMapFlags flags);

/// The CUstream that a mapped buffer in CUDA memory is written and read in, null if it has none:
/// then nothing is under way that uses it. Waits for work in a stream of another context.
void* gst_cuda_canny_device_stream(GstBuffer* buffer);

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
  /// Tells downstream that the device still writes the buffer, in its memory's stream. False if the
  /// memory has none.
  bool mark_unfinished(GstBuffer* buffer) const;
  /// A pool of such buffers, to offer upstream or for the source pad (transfer full).
  GstBufferPool* new_pool(GstPadDirection pad) const;
  bool is_own_pool(GstBufferPool* pool) const;  ///< whether a pool has them

 private:
  gpointer context_ = nullptr;  // GstCudaContext
  mutable GMutex mutex_;
};

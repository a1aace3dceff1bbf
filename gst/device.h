// SPDX-License-Identifier: LGPL-2.1-or-later
/// GStreamer's CUDA memory, and the context that the elements of a pipeline share.
#pragma once

#include <gst/video/video.h>

#include <mutex>
#include <string>

// GStreamer's CUDA library, which need not be there, defines it.
typedef struct _GstCudaContext GstCudaContext;  // NOLINT(bugprone-reserved-identifier)

/// Whether the plugin was built with GStreamer's CUDA library. Otherwise every function below
/// fails.
bool gst_cuda_canny_device_is_built();

/// Whether GStreamer's CUDA library has streams (1.24 or later), which let an element push memory
/// that is still being written.
bool gst_cuda_canny_device_has_streams();

/// Adds the flag that maps CUDA memory for the device.
GstMapFlags gst_cuda_canny_device_map_flags(GstMapFlags flags);

/// The CUstream in which a mapped buffer in CUDA memory is written and read. Null if it has none;
/// then work on it can be pending in the default stream. Waits for work in a stream of another
/// context.
void* gst_cuda_canny_device_stream(GstBuffer* buffer);

/// The default stream: that of memory without a GstCudaStream. With GStreamer 1.22, a copy of any
/// CUDA memory can be pending there when a buffer moves on or goes back to its pool. It and
/// GStreamer's own streams wait for each other; the detector's do not wait for it.
void* gst_cuda_canny_device_default_stream();

/// The GstCudaContext of an element, null at first. Any thread may call set_context() and answer();
/// the other functions are for the streaming thread.
class GstCudaCannyDevice {
 public:
  GstCudaCannyDevice() = default;
  ~GstCudaCannyDevice() { release(); }
  GstCudaCannyDevice(const GstCudaCannyDevice&) = delete;
  GstCudaCannyDevice& operator=(const GstCudaCannyDevice&) = delete;

  /// Accepts an offered context of device `device_id` (-1 = any), if the element has none.
  void set_context(GstElement* element, GstContext* context, gint device_id);
  /// Answers a query for the context, if there is one.
  bool answer(GstElement* element, GstQuery* query);
  /// Asks the neighbors and the application for a context, or creates one. False if that fails.
  bool ensure(GstElement* element, gint device_id);
  /// Whether the buffer is in another context that the element may use (-1 = of any device).
  bool is_elsewhere(GstBuffer* buffer, gint device_id) const;
  /// Switches to the buffer's context.
  void follow(GstBuffer* buffer);
  /// Releases the context. Call at a stop.
  void release();

  void* handle() const;  ///< the CUcontext, null if there is none
  /// Whether the buffer is in memory of this context. If not, sets `*problem`.
  bool holds(GstBuffer* buffer, std::string* problem) const;
  /// Marks the buffer as still being written in its memory's stream. False if the memory has no
  /// stream.
  bool mark_unfinished(GstBuffer* buffer) const;
  /// A pool of buffers in this context, for upstream or for the source pad (transfer full).
  GstBufferPool* new_pool(GstPadDirection pad) const;
  /// Whether the pool's buffers are in this context and hold whole frames of `info`.
  bool can_use(GstBufferPool* pool, const GstVideoInfo& info) const;

 private:
  GstCudaContext* context_ = nullptr;
  mutable std::mutex mutex_;
};

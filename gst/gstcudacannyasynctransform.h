// SPDX-License-Identifier: LGPL-2.1-or-later
/// A base class for filters that process several frames at a time.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <memory>

#include "frame_queue.h"

/// How frames leave the element.
enum class GstCudaCannyExit {
  kAlone,       ///< one at a time, pushed by the streaming thread when done
  kDone,        ///< pushed by the task when done, while others are in progress
  kUnfinished,  ///< pushed by the streaming thread as soon as the work has begun; their memory
                ///< tells downstream when it is done
};

#define GST_TYPE_CUDA_CANNY_ASYNC_TRANSFORM (gst_cuda_canny_async_transform_get_type())
G_DECLARE_DERIVABLE_TYPE(GstCudaCannyAsyncTransform, gst_cuda_canny_async_transform, GST,
                         CUDA_CANNY_ASYNC_TRANSFORM, GstBaseTransform)

/// Subclasses implement all of these, in place of GstBaseTransform's start, stop, set_caps,
/// decide_allocation and transform. `GstCudaCannyFrameQueue` says which thread calls what.
///
/// Callbacks are noexcept: out of memory, the only exception there could be, ends the process, as
/// it does in GLib.
struct _GstCudaCannyAsyncTransformClass {
  GstBaseTransformClass parent_class;

  /// Creates the resources that frames need. False, after an error message, if that fails.
  bool (*start_work)(GstCudaCannyAsyncTransform* self);
  /// Destroys them. No frame is in flight.
  void (*stop_work)(GstCudaCannyAsyncTransform* self);

  /// Stores the caps of the next frames, null for a pad that has none: after start_work(), and
  /// after the first caps are refused.
  bool (*take_caps)(GstCudaCannyAsyncTransform* self, GstCaps* incaps, GstCaps* outcaps);
  /// Prepares for frames of these caps and calls gst_cuda_canny_async_transform_set_exit(). No
  /// frame is in flight. False, after an error message, if that fails.
  bool (*configure)(GstCudaCannyAsyncTransform* self);
  /// Puts the pool for outputs into the allocation query.
  void (*choose_pool)(GstCudaCannyAsyncTransform* self, GstQuery* query);

  std::unique_ptr<GstCudaCannyWork> (*new_work)();
  /// Maps both buffers and begins the work on them. If that fails, unmaps them, posts an error
  /// message and returns false.
  bool (*begin)(GstCudaCannyAsyncTransform* self, GstCudaCannyWork* work, GstBuffer* input,
                GstBuffer* output);
  /// Unmaps the output, which is about to be pushed, and marks it as unfinished. False if its
  /// memory can't tell downstream when it is done.
  bool (*release_output)(GstCudaCannyAsyncTransform* self, GstCudaCannyWork* work,
                         GstBuffer* output);
  /// Waits until the work on the oldest frame is done, and unmaps its buffers. Posts no message.
  void (*wait)(GstCudaCannyAsyncTransform* self, GstCudaCannyWork* work);
  /// Ends the oldest frame's work without an output, and unmaps its buffers. Posts no message.
  void (*discard)(GstCudaCannyAsyncTransform* self, GstCudaCannyWork* work);
  /// Counts the frame after wait() and completes the metas of the output, which is null if it has
  /// been pushed already; or posts why the frame failed and returns false. Any thread may call it.
  bool (*report)(GstCudaCannyAsyncTransform* self, GstCudaCannyWork* work, GstBuffer* input,
                 GstBuffer* output);
};

/// Sets how frames leave, and how many may be in flight. Their latency follows from the framerate
/// (0/1 = unknown). For configure().
void gst_cuda_canny_async_transform_set_exit(GstCudaCannyAsyncTransform* self,
                                             GstCudaCannyExit exit, guint in_flight, gint fps_n,
                                             gint fps_d);

/// How many frames may be in flight.
guint gst_cuda_canny_async_transform_in_flight(GstCudaCannyAsyncTransform* self);

/// Waits until no frame is in flight, and calls configure() before the next one, for the same caps.
/// False if frames remain, as in a flush, and also before a start and after a stop.
bool gst_cuda_canny_async_transform_configure_again(GstCudaCannyAsyncTransform* self);

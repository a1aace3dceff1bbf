// SPDX-License-Identifier: LGPL-2.1-or-later
/// A base class of filters that work on several frames at a time.
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

#include <memory>

#include "flights.h"

/// How frames leave the element.
enum class GstAsyncExit {
  kAlone,       ///< one at a time, pushed by the streaming thread when it is done
  kDone,        ///< pushed by the task when they are done, while others are worked on
  kUnfinished,  ///< pushed by the streaming thread as soon as the work has begun; their memory
                ///< tells downstream when it is done
};

#define GST_TYPE_CUDA_CANNY_ASYNC_TRANSFORM (gst_cuda_canny_async_transform_get_type())
G_DECLARE_DERIVABLE_TYPE(GstCudaCannyAsyncTransform, gst_cuda_canny_async_transform, GST,
                         CUDA_CANNY_ASYNC_TRANSFORM, GstBaseTransform)

/// Subclasses implement all of these, in place of GstBaseTransform's start, stop, set_caps,
/// decide_allocation and transform. `Flights` says which thread calls what.
///
/// Callbacks are noexcept: out of memory, the only exception there could be, ends the process, as
/// it does in GLib.
struct _GstCudaCannyAsyncTransformClass {
  GstBaseTransformClass parent_class;

  /// Creates what frames are worked on with. False, after an error message, if that fails.
  bool (*start_work)(GstCudaCannyAsyncTransform* self);
  /// Destroys it. No frame is in flight.
  void (*stop_work)(GstCudaCannyAsyncTransform* self);

  /// Notes the caps of the frames to come. Both are null after start_work(), and after a refusal of
  /// the first ones.
  bool (*take_caps)(GstCudaCannyAsyncTransform* self, GstCaps* incaps, GstCaps* outcaps);
  /// Gets ready for frames of these caps and calls gst_cuda_canny_async_transform_set_exit(). No
  /// frame is in flight. False, after an error message, if that fails.
  bool (*configure)(GstCudaCannyAsyncTransform* self);
  /// Puts the pool for outputs into the allocation query.
  void (*choose_pool)(GstCudaCannyAsyncTransform* self, GstQuery* query);

  std::unique_ptr<GstAsyncWork> (*new_work)();
  /// Maps both buffers and begins the work on them. False, with nothing mapped and after an error
  /// message, if that fails.
  bool (*begin)(GstCudaCannyAsyncTransform* self, GstAsyncWork* work, GstBuffer* input,
                GstBuffer* output);
  /// Unmaps the output, which is about to be pushed unfinished, and marks it so. False if its
  /// memory can't tell downstream when it is done.
  bool (*release_output)(GstCudaCannyAsyncTransform* self, GstAsyncWork* work, GstBuffer* output);
  /// Waits until the work on the oldest frame is done, and unmaps its buffers. Posts no message.
  void (*wait)(GstCudaCannyAsyncTransform* self, GstAsyncWork* work);
  /// Ends the oldest frame's work without an output, and unmaps its buffers. Posts no message.
  void (*discard)(GstCudaCannyAsyncTransform* self, GstAsyncWork* work);
  /// After wait(): counts the frame, or posts why it failed, which is false. From any thread.
  bool (*report)(GstCudaCannyAsyncTransform* self, GstAsyncWork* work, GstBuffer* input);
};

/// Sets how frames leave, and how many are in flight. The framerate (0/1 = unknown) gives the
/// latency of those. For configure().
void gst_cuda_canny_async_transform_set_exit(GstCudaCannyAsyncTransform* self, GstAsyncExit exit,
                                             guint in_flight, gint fps_n, gint fps_d);

/// How many frames may be in flight.
guint gst_cuda_canny_async_transform_in_flight(GstCudaCannyAsyncTransform* self);

/// Waits until no frame is in flight. False if some stay, as in a flush; and before a start and
/// after a stop.
bool gst_cuda_canny_async_transform_drain(GstCudaCannyAsyncTransform* self);

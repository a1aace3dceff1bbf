// SPDX-License-Identifier: LGPL-2.1-or-later
/// Buffer pools of CUDA memory with streams of the element's own, for GStreamer 1.24 and later.
#pragma once

#include <gst/cuda/gstcudacontext.h>
#include <gst/gst.h>

#if GST_CHECK_VERSION(1, 24, 0)

/// A GstCudaBufferPool (transfer full). Its memory has the stream that the pool's configuration
/// names, or else streams of the pool's own: one for the sink pad, where frames are written by an
/// element that works in one stream; several, in turn, for the source pad, where a frame that waits
/// for all that is queued in its memory's stream must not wait for the frames before it.
GstBufferPool* gst_cuda_canny_pool_new(GstCudaContext* context, GstPadDirection pad);

#endif

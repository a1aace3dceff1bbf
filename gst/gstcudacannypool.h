// SPDX-License-Identifier: LGPL-2.1-or-later
/// Buffer pools of CUDA memory with the element's own streams, for GStreamer 1.24 and later.
#pragma once

#include <gst/cuda/gstcudacontext.h>
#include <gst/video/video.h>

#if GST_CHECK_VERSION(1, 24, 0)

/// A GstCudaBufferPool (transfer full). Its memory uses the stream that the configuration names, or
/// the pool's own streams. The sink pad needs one, since an upstream element works in one stream.
/// The source pad uses several in turn: a frame waits for all work queued in its memory's stream,
/// and must not wait for the frames before it.
GstBufferPool* gst_cuda_canny_pool_new(GstCudaContext* context, GstPadDirection pad);

/// Whether this GstCudaBufferPool's buffers hold all rows of frames of `info`: some of GStreamer's
/// own do not.
bool gst_cuda_canny_pool_holds_all_rows(GstBufferPool* pool, const GstVideoInfo& info);

#endif

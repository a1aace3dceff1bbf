// SPDX-License-Identifier: LGPL-2.1-or-later
/// What buffer pools are set to.
#pragma once

#include <gst/gst.h>

/// Configures a pool for frames of `caps`, with a GstVideoMeta if it can have one, or leaves it as
/// it is if that will do. False if it does neither. `allocator` may be null; `*size` becomes that
/// of its buffers.
bool gst_cuda_canny_pool_configure(GstBufferPool* pool, GstCaps* caps, GstAllocator* allocator,
                                   guint* size, guint min, guint max);

/// Has the base class take the allocator that downstream put in the query, if there is one, or
/// `allocator` with downstream's alignment. Whether it is the latter.
bool gst_cuda_canny_pool_offer_allocator(GstQuery* query, GstAllocator* allocator);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// A pool that lays out its buffers as the test wants.
#pragma once

#include "fixture.h"

namespace check {

struct ShapedPool {
  GstBufferPool parent;
  Layout layout;
  gboolean has_video_meta;
  guint memories;
  gboolean keeps_metas;                     ///< of all kinds, for the buffers' next user
  void (*change_meta)(GstVideoMeta* meta);  ///< or null
  GstMemory* (*new_memory)(gsize size);     ///< or null, for ordinary memory
};

struct UnrefPool {
  void operator()(ShapedPool* pool) const { gst_object_unref(pool); }
};
using OwnedPool = std::unique_ptr<ShapedPool, UnrefPool>;

OwnedPool new_shaped_pool(const Layout& layout);

/// Offers the pool (or a size only, if null) to the element's allocation query.
void offer(Element& element, ShapedPool* pool);

/// Cuts the memory of `buffer` (transfer full) into `parts`, without a copy.
GstBuffer* split(GstBuffer* buffer, gsize parts);

}  // namespace check

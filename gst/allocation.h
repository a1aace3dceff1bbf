// SPDX-License-Identifier: LGPL-2.1-or-later
/// The buffers that the element offers upstream, and those that it fills.
#pragma once

#include <gst/gst.h>

#include "device.h"
#include "format.h"

/// The sources of buffers.
struct GstCudaCannyAllocation {
  const GstCudaCannyDevice* device;
  GstAllocator* page_locked;  ///< null without CUDA
  gsize zero_copy_alignment;  ///< of system memory, bytes; 0 = no alignment
  guint in_flight;            ///< frames

  /// Offers buffers upstream from which the device reads frames directly, if it does so.
  void offer(GstQuery* query) const;

  /// Puts a pool for frames of `out` into the query: downstream's, or one of our own whose buffers
  /// the device writes directly. Its buffers have a GstVideoMeta if possible.
  void choose_pool(GstElement* element, const GstCudaCannyStream& out, GstQuery* query) const;

 private:
  bool has_host_memory() const { return page_locked != nullptr || zero_copy_alignment > 0; }
  GstBufferPool* new_pool(GstPadDirection pad, canny::Memory memory) const;
};

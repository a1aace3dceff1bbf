// SPDX-License-Identifier: LGPL-2.1-or-later
/// The buffers that the element offers upstream, and those that it fills.
#pragma once

#include <gst/gst.h>

#include "device.h"
#include "format.h"

/// The sources of buffers.
struct GstCudaCannyAllocation {
  const GstCudaCannyDevice* device;
  GstAllocator* page_locked;  ///< null on the CPU
  guint in_flight;            ///< frames

  /// Offers buffers upstream from which the device reads frames directly.
  void offer(GstQuery* query) const;

  /// Puts a pool for frames of `out` into the query: downstream's, or one of our own whose buffers
  /// the device writes directly. Its buffers have a GstVideoMeta if possible.
  void choose_pool(GstElement* element, const GstCudaCannyStream& out, GstQuery* query) const;

 private:
  GstBufferPool* new_pool(GstPadDirection pad, canny::Memory memory) const;
};

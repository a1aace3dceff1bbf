// SPDX-License-Identifier: LGPL-2.1-or-later
/// The buffers that the element offers upstream, and those that it writes.
#pragma once

#include <gst/gst.h>

#include "device.h"
#include "format.h"

/// Where buffers come from.
struct GstCudaCannyAllocation {
  const GstCudaCannyDevice* device;
  GstAllocator* page_locked;  ///< null on the CPU
  guint in_flight;            ///< frames

  /// Offers upstream buffers that the device takes frames from at once.
  void offer(GstQuery* query) const;

  /// Puts into the query downstream's pool for frames of `out`, or one of our own that the device
  /// writes them to at once, and makes it put a GstVideoMeta on its buffers if it can.
  void choose_pool(GstElement* element, const GstCudaCannyStream& out, GstQuery* query) const;

 private:
  GstBufferPool* new_pool(GstPadDirection pad, canny::Memory memory) const;
};

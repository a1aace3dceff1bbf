// SPDX-License-Identifier: LGPL-2.1-or-later
/// The members of the element, for the files that it is written in.
#pragma once

#include <gst/gst.h>

#include <atomic>

#include "canny/canny.h"
#include "device.h"
#include "format.h"
#include "gstcudacanny.h"
#include "properties.h"
#include "stats.h"

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_canny_debug);

struct _GstCudaCanny {
  GstCudaCannyAsyncTransform parent;

  GstCudaCannySettings settings;  // under the object lock
  GstCudaCannyStats stats;

  // Of the streaming thread, or of start_work() and stop_work() while there is none; Flights says
  // what of the detector the task of the source pad and threads that flush may use.
  canny::Detector detector;
  canny::Options options;    // the detector's
  guint wanted_in_flight;    // frames, 0 = auto
  std::atomic<bool> on_cpu;  // any thread
  GstCudaCannyStream in, out;
  GstCudaCannyDevice device;
  GstAllocator* allocator;  // of page-locked memory, null on the CPU
};

/// Whether the detector runs on the CPU since the last report_fallback(), as `*info` then says.
bool gst_cuda_canny_has_fallen_back(GstCudaCanny* self, canny::Info* info);
void gst_cuda_canny_report_fallback(GstCudaCanny* self, const canny::Info& info);

/// The virtual functions for frames.
void gst_cuda_canny_recipe_install(GstCudaCannyAsyncTransformClass* klass);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The members of the element, shared by its source files.
#pragma once

#include <gst/gst.h>

#include <atomic>

#include "canny/canny.h"
#include "debug.h"
#include "device.h"
#include "format.h"
#include "gstcudacanny.h"
#include "properties.h"
#include "stats.h"

/// What the element's init constructs, and its finalize destroys. The start settings are those of
/// the last start, and the detector's options.
struct GstCudaCannyMembers : GstCudaCannyStartSettings {
  GstCudaCannySettings settings;  // under the object lock
  GstCudaCannyStats stats;

  // For the streaming thread, or start_work() and stop_work() while there is none.
  // GstCudaCannyFrameQueue states which of the detector's functions other threads may call.
  GstCudaCannyDevice device;  // the detector works in its context, and is destroyed first
  canny::Detector detector;
  std::atomic<canny::Backend> backend{canny::Backend::kAuto};  // the detector's, kAuto while
                                                               // stopped; for any thread
  GstCudaCannyStream in, out;
  GstAllocator* allocator = nullptr;  // of page-locked memory, null without CUDA
  gsize zero_copy_alignment = 0;      // as in canny::Info, 0 = none
};

struct _GstCudaCanny : GstCudaCannyAsyncTransform, GstCudaCannyMembers {};

/// Whether frames may be in CUDA memory: the detector runs on CUDA, or its backend is open.
inline bool gst_cuda_canny_may_use_cuda_memory(const GstCudaCanny* self) {
  const canny::Backend backend = self->backend;
  return backend == canny::Backend::kAuto || backend == canny::Backend::kCuda;
}

/// Whether the detector has fallen back to the CPU since the last report_fallback(). If so, sets
/// `*info`.
bool gst_cuda_canny_has_fallen_back(GstCudaCanny* self, canny::Info* info);
void gst_cuda_canny_report_fallback(GstCudaCanny* self, const canny::Info& info);

/// Sets the class's functions that process frames.
void gst_cuda_canny_recipe_install(GstCudaCannyAsyncTransformClass* klass);

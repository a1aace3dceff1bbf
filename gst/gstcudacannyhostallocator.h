// SPDX-License-Identifier: LGPL-2.1-or-later
/// Page-locked system memory for GstBuffers.
#pragma once

#include <gst/gst.h>

/// An allocator of system memory that is page-locked for this CUDA device, or pageable if that
/// fails (transfer full). Any thread may use it at any time.
GstAllocator* gst_cuda_canny_host_allocator_new(gint cuda_device);

/// Whether the memory is from such an allocator, and page-locked.
bool gst_cuda_canny_host_memory_is_page_locked(GstMemory* memory);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The category of the element's log messages.
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN(gst_cuda_canny_debug);
#define GST_CAT_DEFAULT gst_cuda_canny_debug

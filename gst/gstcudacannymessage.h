// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element posts when the detector can't do its work.
#pragma once

#include <gst/gst.h>

#include "canny.h"

/// Posts an error: what the user can do about `status`, and its message as the debug details.
void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status, bool on_cpu);

/// Posts a warning: the device has failed, for this reason, and the CPU goes on.
void gst_cuda_canny_post_fallback(GstElement* element, const char* reason);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// What the element posts when the detector can't do its work.
#pragma once

#include <gst/gst.h>

#include "canny.h"

/// Posts an error: what the user can do about `status`, and as the debug details its message, with
/// the time of the frame that it is of, if that is known.
void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status, bool on_cpu,
                               GstClockTime pts);

/// Posts a warning: the device has failed, for this reason, and the CPU goes on.
void gst_cuda_canny_post_fallback(GstElement* element, const char* reason);

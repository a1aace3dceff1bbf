// SPDX-License-Identifier: LGPL-2.1-or-later
/// The error that the element posts when the detector can't do its work.
#pragma once

#include <gst/gst.h>

#include "canny/canny.h"

/// Posts an error with advice about `status` of the detector on a backend. The debug details hold
/// its message and, if known, the frame's time.
void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status,
                               canny::Backend backend, GstClockTime pts = GST_CLOCK_TIME_NONE);

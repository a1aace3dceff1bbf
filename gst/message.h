// SPDX-License-Identifier: LGPL-2.1-or-later
/// The messages that the element posts when it can't do its work.
#pragma once

#include <gst/gst.h>

#include "canny/canny.h"

/// Posts an error with advice about `status` of the detector on a backend. The debug details hold
/// its message and, if known, the frame's time.
void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status,
                               canny::Backend backend, GstClockTime pts = GST_CLOCK_TIME_NONE);

/// Posts an error: an input buffer, or an output buffer, has this problem.
void gst_cuda_canny_post_broken_input(GstElement* element, const char* problem);
void gst_cuda_canny_post_broken_output(GstElement* element, const char* problem);

/// Posts an error: an input buffer is not in memory of the element's CUDA context.
void gst_cuda_canny_post_foreign_input(GstElement* element, const char* problem);

/// Posts an error: the input is in CUDA memory, but there is no context of this device (-1 = any).
void gst_cuda_canny_post_no_context(GstElement* element, gint device_id);

/// Posts an error: frames are in CUDA memory, but the detector does not run on CUDA, for this
/// reason.
void gst_cuda_canny_post_no_device(GstElement* element, const char* reason);

/// Posts a warning, or logs one while the element has no bus: a property keeps its value, because
/// the new one has this problem.
void gst_cuda_canny_report_refused(GstElement* element, const char* property, const char* problem);

/// Posts a warning: the low threshold is above the high one, so the two are swapped.
void gst_cuda_canny_post_swap(GstElement* element, double low, double high);

/// Posts a warning: a frame has more edge pixels than contours can have points.
void gst_cuda_canny_post_full(GstElement* element);

/// Likewise: a frame has more components than canny::Components holds.
void gst_cuda_canny_post_many(GstElement* element);

/// Posts a warning: the device of a backend failed, for this reason, and the CPU took over.
void gst_cuda_canny_post_fallback(GstElement* element, canny::Backend failed, const char* reason);

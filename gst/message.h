// SPDX-License-Identifier: LGPL-2.1-or-later
/// The messages that the element posts when it can't do its work.
#pragma once

#include <gst/gst.h>

#include "canny/canny.h"

/// Posts an error: what the user can do about `status`, and as the debug details its message, with
/// the time of the frame that it is of, if that is known.
void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status, bool on_cpu,
                               GstClockTime pts = GST_CLOCK_TIME_NONE);

/// Posts an error: what is wrong with a buffer of the input, or of the output.
void gst_cuda_canny_post_broken_input(GstElement* element, const char* problem);
void gst_cuda_canny_post_broken_output(GstElement* element, const char* problem);

/// Posts an error: an input buffer is not in memory of the element's CUDA context.
void gst_cuda_canny_post_foreign_input(GstElement* element, const char* problem);

/// Posts an error: frames in CUDA memory come, but there is no context of this device (-1 = any).
void gst_cuda_canny_post_no_context(GstElement* element, gint device_id);

/// Posts an error: frames in CUDA memory come, but the detector runs on the CPU, for this reason.
void gst_cuda_canny_post_no_device(GstElement* element, const char* reason);

/// Posts a warning: the device has failed, for this reason, and the CPU goes on.
void gst_cuda_canny_post_fallback(GstElement* element, const char* reason);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The pixel formats of the element, and the caps that follow from them.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "canny.h"

/// The detector's format for frames of `format`, which must be one of the pad templates'.
canny::PixelFormat gst_cuda_canny_format_pixels(GstVideoFormat format);

/// The caps of both pad templates (transfer full).
GstCaps* gst_cuda_canny_format_template_caps();

/// What one pad can do when `caps`, a subset of the pad templates', are on the other: their own
/// formats first, then all others (transfer full).
GstCaps* gst_cuda_canny_format_transform_caps(const GstCaps* caps);

/// The best output for the fixed caps `input` among `outputs` (transfer full, both ways).
GstCaps* gst_cuda_canny_format_fixate_caps(const GstCaps* input, GstCaps* outputs);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The pixel formats of the element, and the caps that follow from them.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "canny/canny.h"

/// The detector's format for frames of `format`, which must be one of the pad templates': of all
/// colors, or of the first plane, which has the luma.
canny::PixelFormat gst_cuda_canny_format_pixels(GstVideoFormat format);

/// The caps of a pad's template (transfer full).
GstCaps* gst_cuda_canny_format_template_caps(GstPadDirection pad);

/// What the other pad can do when `caps`, a subset of its template's, are on the pad of this
/// direction: their own formats and memory first, then all others (transfer full). Caps in CUDA
/// memory count for nothing unless `with_device`.
GstCaps* gst_cuda_canny_format_transform_caps(GstPadDirection direction, const GstCaps* caps,
                                              bool with_device);

/// Where frames of these caps are.
canny::Memory gst_cuda_canny_format_memory(const GstCaps* caps);

const char* gst_cuda_canny_format_memory_name(canny::Memory memory);

/// The frames of a pad.
struct GstCudaCannyStream {
  GstVideoInfo info;
  canny::Memory memory = canny::Memory::kHost;

  GstCudaCannyStream() { gst_video_info_init(&info); }
  bool set(const GstCaps* caps);  ///< null for none. False if the caps are invalid
};

/// The best output for the fixed caps `input` among `outputs` (transfer full, both ways).
GstCaps* gst_cuda_canny_format_fixate_caps(const GstCaps* input, GstCaps* outputs);

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The pixel formats of the element, and the caps made from them.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "canny/canny.h"

/// The caps feature of CUDA memory, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY of GStreamer's CUDA
/// library, which need not be there.
inline constexpr char kCudaMemory[] = "memory:CUDAMemory";

/// The detector's format for frames of `format`, one of those that it has. It describes all colors,
/// or the first plane, which has the luma.
canny::PixelFormat gst_cuda_canny_format_pixels(GstVideoFormat format);

/// The format in which the detector reads, or writes, a pad's frames of `video`, which its template
/// must contain: the same or, for those that GStreamer unpacks or packs, another one.
GstVideoFormat gst_cuda_canny_format_of_detector(GstVideoFormat video, GstPadDirection pad);

/// The caps of a pad's template (transfer full), without deep formats if `keeps_format`.
GstCaps* gst_cuda_canny_format_template_caps(GstPadDirection pad, bool keeps_format = false);

/// The possible caps of the other pad when the pad of this direction has `caps`, a subset of its
/// template's: first those of the same format and memory, then all others (transfer full). Caps in
/// CUDA memory are ignored unless `with_device`. If `keeps_format`, the other pad has the same
/// format, which is not deep, and colorimetry.
GstCaps* gst_cuda_canny_format_transform_caps(GstPadDirection direction, const GstCaps* caps,
                                              bool with_device, bool keeps_format);

/// Whether the output can show the input: frames have the same format, which is not deep.
bool gst_cuda_canny_format_can_keep(GstVideoFormat input, GstVideoFormat output);

/// The memory of frames of these caps.
canny::Memory gst_cuda_canny_format_memory(const GstCaps* caps);

/// The format, width or height that fixed caps lack, null if they have all of them.
const char* gst_cuda_canny_format_missing_field(const GstCaps* caps);

const char* gst_cuda_canny_format_memory_name(canny::Memory memory);

/// Describes the frames of a pad.
struct GstCudaCannyStream {
  GstVideoInfo info;
  canny::Memory memory = canny::Memory::kHost;

  GstCudaCannyStream() { gst_video_info_init(&info); }
  bool set(const GstCaps* caps);  ///< null for none. False if the caps are invalid
};

/// Chooses the best of `outputs` for the fixed caps `input` (transfer full, both ways). Empty caps
/// stay empty.
GstCaps* gst_cuda_canny_format_fixate_caps(const GstCaps* input, GstCaps* outputs);

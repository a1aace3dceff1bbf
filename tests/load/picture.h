// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures to push, and the checksums of what has to come out.
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <vector>

#include "canny/canny.h"
#include "check/owned.h"

namespace load {

using check::Owned;

/// Formats of the pictures. Downstream leaves the choice of the output's format to the element.
struct Format {
  const char* name;
  canny::PixelFormat pixels;  ///< of the first plane, the only one that counts
  const char* output;
  canny::PixelFormat output_pixels;
};
extern const Format kRgb, kBgrx, kBgra, kGray, kNv12, kI420, kYuy2, kUyvy, kP010;

struct Picture {
  const Format* format;
  GstVideoInfo input, output;
  Owned<GstCaps> caps;
  Owned<GstBuffer> buffer;
  std::vector<std::uint64_t> right;  ///< checksums of the output, ascending
};

/// A picture of many edges, whose output is right if it is the reference's for one of the settings.
Picture new_picture(const Format& format, int width, int height, std::uint64_t seed,
                    const std::vector<canny::Params>& settings = {canny::Params()});

/// The checksum of the reference's output for one setting.
std::uint64_t expected_checksum(const Picture& picture, const canny::Params& params);

/// Of the pixels of a frame in any layout. 0 if it can't be mapped.
std::uint64_t checksum(GstBuffer* buffer, const GstVideoInfo& info);

}  // namespace load

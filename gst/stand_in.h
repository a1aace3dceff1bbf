// SPDX-License-Identifier: LGPL-2.1-or-later
/// A frame that stands in for a picture in a format that the detector does not have.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "canny/canny.h"

/// The bytes of a plane.
struct GstCudaCannyExtent {
  int row_bytes, rows;
  bool is_block = false;  ///< not in rows, but in tiles, or a palette: all bytes count as one row
};

/// A plane of a picture in memory.
struct GstCudaCannyPlane {
  canny::BasicPlane<std::uint8_t> rows;
  GstCudaCannyExtent extent;
};

/// A frame in one of the detector's formats, with GStreamer's functions to unpack the rows of a
/// picture into it, or to pack it. They read and write up to a few bytes beyond some rows, and
/// beyond some pictures in tiles, so they work on copies.
class GstCudaCannyStandIn {
 public:
  /// Gets a frame of `format`, in place of a picture of `info` in these planes, whose number is
  /// that of the info. Allocates memory if it needs more than for earlier frames, and throws
  /// std::bad_alloc if there is none.
  canny::Frame begin(const GstVideoInfo& info, const GstCudaCannyPlane* planes,
                     GstVideoFormat format);

  void unpack();  ///< fills the frame
  void pack();    ///< fills the picture
  bool is_used() const { return frame_.data != nullptr; }
  void end() { frame_ = {}; }

 private:
  void reserve(std::size_t size);
  void copy_rows(int y, bool is_input);
  void copy_blocks(bool is_input);

  std::unique_ptr<std::uint8_t, decltype(&g_free)> memory_{nullptr, g_free};
  std::size_t size_ = 0;  ///< of `memory_`
  canny::Frame frame_;
  const GstVideoFormatInfo* own_ = nullptr;  ///< of the frame
  std::uint8_t* row_ = nullptr;              ///< a row in the format that pictures unpack to
  GstVideoInfo info_;
  GstCudaCannyPlane planes_[GST_VIDEO_MAX_PLANES];
  gpointer copies_[GST_VIDEO_MAX_PLANES] = {};  ///< of a row or of a block
  gint strides_[GST_VIDEO_MAX_PLANES] = {};     ///< 0 for rows
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/// A mapped GstBuffer as a frame of the detector.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "canny/canny.h"
#include "device.h"
#include "format.h"

/// The pixels of a buffer, mapped from a successful map() until unmap() or the end of this object's
/// life.
class GstCudaCannyFrame {
 public:
  GstCudaCannyFrame() = default;
  ~GstCudaCannyFrame() { unmap(); }
  GstCudaCannyFrame(const GstCudaCannyFrame&) = delete;
  GstCudaCannyFrame& operator=(const GstCudaCannyFrame&) = delete;

  /// Maps the planes of color, or the first one, that of luma, of the stream's frame in `buffer`,
  /// laid out by the buffer's GstVideoMeta or, without one, by the stream's GstVideoInfo. False,
  /// with the broken rule and its values in `*problem`, if the buffer can't be mapped or if a byte
  /// of a row would lie outside its memory. For the device it must be CUDA memory.
  bool map(GstBuffer* buffer, const GstCudaCannyStream& stream, GstMapFlags flags,
           std::string* problem);

  /// Maps the buffer as the output of the detector's next frame, of which it has `detector` set
  /// what that does not write: chroma to 128, and a plane of alpha to 255. kInvalidFrame where
  /// `device` or map() refuses the buffer, else what the detector says.
  canny::Status map_output(GstBuffer* buffer, const GstCudaCannyStream& stream,
                           const GstCudaCannyDevice& device, canny::Detector* detector);

  /// As map(), any plane for its bytes: a frame of gray pixels, one for each byte of a row, and
  /// those of a packed format that the last pixel of an odd width shares with none.
  bool map_bytes(GstBuffer* buffer, const GstCudaCannyStream& stream, guint plane,
                 GstMapFlags flags, std::string* problem);

  void unmap();

  canny::ConstFrame input() const;  ///< to read
  canny::Frame output() const;      ///< to write, if mapped with GST_MAP_WRITE

 private:
  using Rows = canny::BasicPlane<std::uint8_t>;

  /// Memory of the buffer: all of it, or what a meta mapped of a plane.
  struct Mapping {
    GstVideoMeta* meta;  ///< null unless it made the mapping
    guint plane;         ///< of that
    GstMapInfo map;
  };

  bool map_rows(GstBuffer* buffer, const GstVideoInfo& info, guint plane, GstMapFlags flags,
                Rows* rows, std::string* problem);
  const Mapping* map_plane(GstVideoMeta* meta, guint plane, GstMapFlags flags, Rows* rows,
                           std::string* problem);
  const Mapping* map_buffer(GstBuffer* buffer, GstMapFlags flags, std::string* problem);

  GstBuffer* buffer_ = nullptr;  ///< what `mappings_` are of
  Mapping mappings_[3];          ///< of which there are `mapped_`
  int mapped_ = 0;
  canny::Frame frame_;
};

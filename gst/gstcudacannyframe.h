// SPDX-License-Identifier: LGPL-2.1-or-later
/// A mapped GstBuffer as a frame of the detector.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "canny.h"

/// The pixels of a buffer, mapped from a successful map() until unmap() or the end of this object's
/// life.
class GstCudaCannyFrame {
 public:
  GstCudaCannyFrame() = default;
  ~GstCudaCannyFrame() { unmap(); }
  GstCudaCannyFrame(const GstCudaCannyFrame&) = delete;
  GstCudaCannyFrame& operator=(const GstCudaCannyFrame&) = delete;

  /// Maps the planes of color, or the first one, that of luma, of the frame of `info` in `buffer`,
  /// laid out by the buffer's GstVideoMeta or, without one, by `info`. `memory` is where it is to
  /// be mapped, which for the device must be CUDA memory. False, with the broken rule and its
  /// values in
  /// `*problem`, if the buffer can't be mapped or if a byte of a row would lie outside its memory.
  bool map(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags flags, canny::Memory memory,
           std::string* problem);

  /// Likewise, any plane for its bytes: a frame of gray pixels, one for each byte of a row, and
  /// those of a packed format that the last pixel of an odd width shares with none.
  bool map_bytes(GstBuffer* buffer, const GstVideoInfo& info, guint plane, GstMapFlags flags,
                 canny::Memory memory, std::string* problem);

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

/// Has `detector` set what its next frame does not write of the frame of `info` in `buffer`: chroma
/// to 128, and a plane of alpha to 255. kInvalidFrame where map() fails, else what the detector
/// says.
canny::Status gst_cuda_canny_frame_fill_chroma(GstBuffer* buffer, const GstVideoInfo& info,
                                               canny::Memory memory, canny::Detector* detector);

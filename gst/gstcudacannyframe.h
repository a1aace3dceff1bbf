// SPDX-License-Identifier: LGPL-2.1-or-later
/// A plane of a mapped GstBuffer as a frame of the detector.
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

  /// Maps the first plane, that of RGB or luma, of the frame of `info` in `buffer`, laid out by the
  /// buffer's GstVideoMeta or, without one, by `info`. `memory` is where it is to be mapped, which
  /// for the device must be CUDA memory. False, with the broken rule and its values in `*problem`,
  /// if the buffer can't be mapped or if a byte of a row would lie outside its memory.
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
  bool map_rows(GstBuffer* buffer, const GstVideoInfo& info, guint plane, GstMapFlags flags,
                std::string* problem);
  bool map_plane(GstVideoMeta* meta, guint plane, GstMapFlags flags, std::size_t* offset,
                 std::string* problem);
  bool map_buffer(GstBuffer* buffer, const GstVideoMeta* meta, const GstVideoInfo& info,
                  guint plane, GstMapFlags flags, std::size_t* offset, std::string* problem);

  GstBuffer* buffer_ = nullptr;   ///< null unless mapped
  GstVideoMeta* meta_ = nullptr;  ///< null unless it made the mapping
  guint plane_ = 0;               ///< of that
  GstMapInfo map_ = GST_MAP_INFO_INIT;
  canny::Frame frame_;
};

/// Has `detector` set chroma to 128 wherever the frame of `info` in `buffer` has some that its next
/// frame does not write. kInvalidFrame where map() fails, else what the detector says.
canny::Status gst_cuda_canny_frame_fill_chroma(GstBuffer* buffer, const GstVideoInfo& info,
                                               canny::Memory memory, canny::Detector* detector);

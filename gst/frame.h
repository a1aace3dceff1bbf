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
#include "stand_in.h"

/// The pixels of a buffer, mapped from map() until unmap() or destruction. A map() that fails also
/// needs unmap().
class GstCudaCannyFrame {
 public:
  GstCudaCannyFrame() = default;
  ~GstCudaCannyFrame() { unmap(); }
  GstCudaCannyFrame(const GstCudaCannyFrame&) = delete;
  GstCudaCannyFrame& operator=(const GstCudaCannyFrame&) = delete;

  /// Maps the planes of the stream's frame in `buffer` that the detector reads for edges: all
  /// colors, or the luma; if `with_chroma`, also the others. The layout comes from the buffer's
  /// GstVideoMeta or, without one, from the stream's GstVideoInfo. If the buffer can't be mapped,
  /// or a byte of a row would lie outside its memory, returns false, with the broken rule and its
  /// values in problem(). Frames of the device must be in CUDA memory. Unpacks an input in a format
  /// that the detector does not have.
  bool map(GstBuffer* buffer, const GstCudaCannyStream& stream, GstMapFlags flags,
           bool with_chroma);

  /// Likewise, the buffer as the output of the detector's next frame, with the fills that it has
  /// beside its pixels: an alpha plane, of 255, and the chroma of a packed pixel beyond an odd
  /// width, of 128. Refuses a buffer that is not in the memory of `device`.
  bool map_output(GstBuffer* buffer, const GstCudaCannyStream& stream,
                  const GstCudaCannyDevice& device);

  const char* problem() const { return problem_.c_str(); }

  /// Ends the work on an output, which the detector has written: packs it if it is in a format that
  /// the detector does not have.
  void finish();

  void unmap();

  canny::ConstFrame input() const;  ///< to read
  canny::Frame output() const;      ///< to write, if mapped with GST_MAP_WRITE

 private:
  using Rows = canny::BasicPlane<std::uint8_t>;

  /// A mapping of the whole buffer, or of a plane by its meta.
  struct Mapping {
    GstVideoMeta* meta;  ///< null for the whole buffer
    guint plane;         ///< of the meta
    GstMapInfo map;
  };

  using Extent = GstCudaCannyExtent;  ///< the part of a plane that is mapped
  Extent whole(guint plane) const;

  bool map_stand_in(GstVideoFormat format);
  bool map_chroma();
  bool map_rows(guint plane, Extent extent, Rows* rows);
  bool map_whole(guint plane, Rows* rows);
  const Mapping* map_plane(GstVideoMeta* meta, guint plane, Rows* rows);
  const Mapping* map_buffer();

  // The buffer, its layout without a meta, how it is mapped, and why it can't be.
  GstBuffer* buffer_ = nullptr;
  GstVideoInfo info_;
  GstMapFlags flags_ = GST_MAP_READ;
  std::string problem_;
  Mapping mappings_[GST_VIDEO_MAX_PLANES];  ///< the first `mapped_` are in use
  int mapped_ = 0;
  GstCudaCannyPlane planes_[GST_VIDEO_MAX_PLANES];  ///< that are mapped
  int plane_count_ = 0;
  canny::Frame frame_;
  canny::Fill fills_[2];  ///< beside the pixels of an output
  std::size_t fill_count_ = 0;
  GstCudaCannyStandIn stand_in_;  ///< for formats that the detector does not have
};

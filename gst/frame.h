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

/// The planes of a frame that are mapped.
enum class GstCudaCannyPlanes {
  kDetected,  ///< those that the detector reads for edges: all colors, or the luma
  kAll,       ///< also those of chroma
};

/// The pixels of a buffer, mapped from a successful map() until unmap() or destruction.
class GstCudaCannyFrame {
 public:
  GstCudaCannyFrame() = default;
  ~GstCudaCannyFrame() { unmap(); }
  GstCudaCannyFrame(const GstCudaCannyFrame&) = delete;
  GstCudaCannyFrame& operator=(const GstCudaCannyFrame&) = delete;

  /// Maps these planes of the stream's frame in `buffer`. The layout
  /// comes from the buffer's GstVideoMeta or, without one, from the stream's GstVideoInfo. If the
  /// buffer can't be mapped, or a byte of a row would lie outside its memory, returns false, with
  /// the broken rule and its values in `*problem`. Frames of the device must be in CUDA memory.
  /// Unpacks an input in a format that the detector does not have.
  bool map(GstBuffer* buffer, const GstCudaCannyStream& stream, GstMapFlags flags,
           GstCudaCannyPlanes planes, std::string* problem);

  /// Maps the buffer, with its chroma, as the output of the detector's next frame, which reads
  /// `input`. Makes `detector` fill what that frame does not write: an alpha plane with 255, and
  /// the chroma of a packed pixel beyond an odd width with 128. Returns kInvalidFrame if `device`
  /// or map() refuses the buffer, or if what is filled overlaps another plane, otherwise the
  /// detector's status.
  canny::Status map_output(GstBuffer* buffer, const GstCudaCannyStream& stream,
                           const GstCudaCannyDevice& device, const GstCudaCannyFrame& input,
                           canny::Detector* detector);

  /// Like map(), but for the bytes of any plane, as gray pixels. A row includes the bytes of the
  /// pixel beyond an odd width in a packed format.
  bool map_bytes(GstBuffer* buffer, const GstCudaCannyStream& stream, guint plane,
                 GstMapFlags flags, std::string* problem);

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
  static Extent extent_of(const GstVideoInfo& info, guint plane);

  using Plane = GstCudaCannyPlane;
  static bool overlap(const Plane& one, const Plane& other);
  bool overlaps(const Plane& other) const;

  canny::Status fill_plane(GstBuffer* buffer, const GstCudaCannyStream& stream, guint plane,
                           const GstCudaCannyFrame& input, canny::Detector* detector) const;
  canny::Status fill_last_chroma(GstBuffer* buffer, const GstCudaCannyStream& stream,
                                 const GstCudaCannyFrame& input, canny::Detector* detector) const;

  bool map_stand_in(GstBuffer* buffer, const GstVideoInfo& info, GstVideoFormat format,
                    GstMapFlags flags, std::string* problem);
  bool map_chroma(GstBuffer* buffer, const GstVideoInfo& info, GstMapFlags flags,
                  std::string* problem);
  bool map_rows(GstBuffer* buffer, const GstVideoInfo& info, guint plane, Extent extent,
                GstMapFlags flags, Rows* rows, std::string* problem);
  const Mapping* map_plane(GstVideoMeta* meta, guint plane, GstMapFlags flags, Rows* rows,
                           std::string* problem);
  const Mapping* map_buffer(GstBuffer* buffer, GstMapFlags flags, std::string* problem);

  GstBuffer* buffer_ = nullptr;             ///< the buffer of `mappings_`
  Mapping mappings_[GST_VIDEO_MAX_PLANES];  ///< the first `mapped_` are in use
  int mapped_ = 0;
  Plane planes_[GST_VIDEO_MAX_PLANES];  ///< that are mapped
  int plane_count_ = 0;
  canny::Frame frame_;
  GstCudaCannyStandIn stand_in_;  ///< for formats that the detector does not have
};

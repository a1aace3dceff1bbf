// SPDX-License-Identifier: LGPL-2.1-or-later
/// The regions of interest of a buffer.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"

/// The source of the region in which edges may lie.
enum class GstCudaCannyRoiMode {
  kNone,  ///< none besides GstCudaCannyRoi
  kMeta,  ///< each buffer's GstVideoRegionOfInterestMeta and GstAnalyticsODMtd
};

/// A setting that is a text.
struct GstCudaCannyText {
  std::shared_ptr<const std::string> written;  ///< as it was set, not empty; null = none

  const gchar* text() const { return written != nullptr ? written->c_str() : nullptr; }
  bool operator!=(const GstCudaCannyText& other) const {
    return g_strcmp0(text(), other.text()) != 0;
  }
};

/// A type of regions of interest, or the label of detections; none = every type. It has no quark of
/// its own: quarks stay for ever.
struct GstCudaCannyRoiType : GstCudaCannyText {};

/// Regions of interest that all frames have.
struct GstCudaCannyRoi : GstCudaCannyText {
  std::shared_ptr<const std::vector<canny::Rectangle>> rectangles;  ///< null = no regions
};

/// What each box of a meta gains on each of its sides.
struct GstCudaCannyRoiMargin : GstCudaCannyText {
  gint number = 0;  ///< pixels, or per cent of the width at the left and right and of the
                    ///< height at the top and bottom, rounded up
  bool is_percent = false;
};

/// The settings of regions of interest.
struct GstCudaCannyRoiSettings {
  GstCudaCannyRoiMode mode = GstCudaCannyRoiMode::kNone;
  GstCudaCannyRoiType type;
  gdouble min_confidence = 0;  ///< of detections, compared as a gfloat
  GstCudaCannyRoiMargin margin;
  GstCudaCannyRoi roi;
};

/// Reads what a text that is not empty says: at most 65536 rectangles "x,y,w,h" with ";" in
/// between; a number from 0 to 16384, with "%" after it for per cent. Returns why it is refused, or
/// empty.
std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoi* roi);
std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoiMargin* margin);
inline std::string gst_cuda_canny_roi_parse(const gchar*, GstCudaCannyRoiType*) { return {}; }

/// Sets `*region` to the rectangles of the settings' roi and, with kMeta, the boxes of the buffer's
/// metas that count. They stay in the roi or, if there are metas, in `*rectangles`. In a
/// GstVideoRegionOfInterestMeta, columns and rows above G_MAXINT are negative numbers of a writer
/// that put them into a guint. False if edges may lie anywhere.
bool gst_cuda_canny_region_read(GstBuffer* buffer, const GstCudaCannyRoiSettings& settings,
                                std::vector<canny::Rectangle>* rectangles, canny::Region* region);

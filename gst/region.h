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

/// A type of regions of interest, or the label of detections. It has no quark of its own: quarks
/// stay for ever.
struct GstCudaCannyRoiType {
  std::shared_ptr<const std::string> name;  ///< null = every type

  const gchar* text() const { return name != nullptr ? name->c_str() : nullptr; }
  bool operator!=(const GstCudaCannyRoiType& other) const {
    if (name == nullptr || other.name == nullptr) return name != other.name;
    return *name != *other.name;
  }
};

/// Regions of interest that all frames have.
struct GstCudaCannyRoi {
  struct Content {
    std::string text;  ///< as it was set
    std::vector<canny::Rectangle> rectangles;
  };
  std::shared_ptr<const Content> content;  ///< null = no regions

  const gchar* text() const { return content != nullptr ? content->text.c_str() : nullptr; }
  bool operator!=(const GstCudaCannyRoi& other) const {
    return g_strcmp0(text(), other.text()) != 0;
  }
};

/// What each box of a meta gains on each of its sides.
struct GstCudaCannyRoiMargin {
  gint number = 0;  ///< pixels, or per cent of the width at the left and right and of the
                    ///< height at the top and bottom, rounded up
  bool is_percent = false;
  std::shared_ptr<const std::string> written;  ///< as it was set; null = no margin

  const gchar* text() const { return written != nullptr ? written->c_str() : nullptr; }
  bool operator!=(const GstCudaCannyRoiMargin& other) const {
    return g_strcmp0(text(), other.text()) != 0;
  }
};

/// The settings of regions of interest.
struct GstCudaCannyRoiSettings {
  GstCudaCannyRoiMode mode = GstCudaCannyRoiMode::kNone;
  GstCudaCannyRoiType type;
  gdouble min_confidence = 0;  ///< of detections, compared as a gfloat
  GstCudaCannyRoiMargin margin;
  GstCudaCannyRoi roi;
};

/// Reads at most 65536 rectangles "x,y,w,h" with ";" in between; a null or empty text has none.
/// Returns why the text is refused, or empty.
std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoi* roi);

/// Reads a number from 0 to 16384, with "%" after it for per cent; a null or empty text is 0.
/// Returns why the text is refused, or empty.
std::string gst_cuda_canny_roi_margin_parse(const gchar* text, GstCudaCannyRoiMargin* margin);

/// Sets `*region` to the rectangles of the settings' roi and, with kMeta, the boxes of the buffer's
/// metas that count. They stay in the roi or, if there are metas, in `*rectangles`. In a
/// GstVideoRegionOfInterestMeta, columns and rows above G_MAXINT are negative numbers of a writer
/// that put them into a guint. False if edges may lie anywhere.
bool gst_cuda_canny_region_read(GstBuffer* buffer, const GstCudaCannyRoiSettings& settings,
                                std::vector<canny::Rectangle>* rectangles, canny::Region* region);

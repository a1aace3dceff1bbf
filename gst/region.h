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
  kMeta,  ///< each buffer's GstVideoRegionOfInterestMeta
};

/// A type of regions of interest. It has no quark of its own: quarks stay for ever.
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

/// Reads at most 65536 rectangles "x,y,w,h" with ";" in between; a null or empty text has none.
/// Returns why the text is refused, or empty.
std::string gst_cuda_canny_roi_parse(const gchar* text, GstCudaCannyRoi* roi);

/// Sets `*region` to the rectangles of `roi` and, with kMeta, those of the buffer's metas of the
/// type. They stay in `roi` or, if there are metas, in `*rectangles`. Columns and rows above
/// G_MAXINT are negative numbers of a writer that put them into a guint. False if edges may lie
/// anywhere.
bool gst_cuda_canny_region_read(GstBuffer* buffer, GstCudaCannyRoiMode mode,
                                const GstCudaCannyRoiType& type, const GstCudaCannyRoi& roi,
                                std::vector<canny::Rectangle>* rectangles, canny::Region* region);

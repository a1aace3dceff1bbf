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
  kNone,  ///< none: the whole frame
  kMeta,  ///< each buffer's GstVideoRegionOfInterestMeta
};

/// A type of regions of interest. It has no quark of its own: quarks stay for ever.
struct GstCudaCannyRoiType {
  std::shared_ptr<const std::string> name;  ///< null = every type

  bool operator!=(const GstCudaCannyRoiType& other) const {
    if (name == nullptr || other.name == nullptr) return name != other.name;
    return *name != *other.name;
  }
};

/// Sets `*rectangles` to those of the buffer's metas of the type. Columns and rows above G_MAXINT
/// are negative numbers of a writer that put them into a guint.
void gst_cuda_canny_region_read(GstBuffer* buffer, const GstCudaCannyRoiType& type,
                                std::vector<canny::Rectangle>* rectangles);

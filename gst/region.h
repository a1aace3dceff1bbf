// SPDX-License-Identifier: LGPL-2.1-or-later
/// The regions of interest of a buffer.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "canny/canny.h"

/// The source of the region in which edges may lie.
enum class GstCudaCannyRoiMode {
  kNone,  ///< none: the whole frame
  kMeta,  ///< each buffer's GstVideoRegionOfInterestMeta
};

/// A type of regions of interest.
struct GstCudaCannyRoiType {
  GQuark quark = 0;  ///< of its name, 0 = every type

  bool operator!=(const GstCudaCannyRoiType& other) const { return quark != other.quark; }
};

/// Sets `*rectangles` to those of the buffer's metas of the type.
void gst_cuda_canny_region_read(GstBuffer* buffer, GstCudaCannyRoiType type,
                                std::vector<canny::Rectangle>* rectangles);

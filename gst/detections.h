// SPDX-License-Identifier: LGPL-2.1-or-later
/// The object detections of a buffer: GstAnalyticsODMtd in its GstAnalyticsRelationMeta.
#pragma once

#include <gst/gst.h>

#include <vector>

#include "canny/canny.h"
#include "canny/components.h"

/// Adds the boxes of a buffer's detections to `*boxes`: those with this label, 0 = any, and at
/// least this confidence; none in a build without GStreamer's analytics library. It gives the
/// bounding rectangle of a rotated box.
void gst_cuda_canny_detections_read(GstBuffer* buffer, GQuark label, gfloat min_confidence,
                                    std::vector<canny::Rectangle>* boxes);

/// Adds a detection with the label "edge" for each of the first 1024 components, whose confidence
/// is the share of strong pixels; none in a build without GStreamer's analytics library. The buffer
/// must be writable.
void gst_cuda_canny_detections_add(GstBuffer* buffer, const canny::Components& components);

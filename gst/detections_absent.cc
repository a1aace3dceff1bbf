// SPDX-License-Identifier: LGPL-2.1-or-later
/// Stands in for detections.cc without GStreamer's analytics library.
#include "detections.h"

void gst_cuda_canny_detections_read(GstBuffer*, GQuark, gfloat, std::vector<canny::Rectangle>*) {}

void gst_cuda_canny_detections_add(GstBuffer*, const canny::Components&) {}

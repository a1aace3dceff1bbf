// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

/// The caps of both pads, null if there are none.
struct GstCudaCannyBothCaps {
  GstCaps* in = nullptr;
  GstCaps* out = nullptr;

  GstCudaCannyBothCaps() = default;
  ~GstCudaCannyBothCaps() { set(nullptr, nullptr); }
  GstCudaCannyBothCaps(const GstCudaCannyBothCaps&) = delete;
  GstCudaCannyBothCaps& operator=(const GstCudaCannyBothCaps&) = delete;

  void set(GstCaps* incaps, GstCaps* outcaps) {
    gst_caps_replace(&in, incaps);
    gst_caps_replace(&out, outcaps);
  }
};

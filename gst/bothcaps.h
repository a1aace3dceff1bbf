// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

/// The caps of both pads, null if there are none.
struct BothCaps {
  GstCaps* in = nullptr;
  GstCaps* out = nullptr;

  BothCaps() = default;
  ~BothCaps() { set(nullptr, nullptr); }
  BothCaps(const BothCaps&) = delete;
  BothCaps& operator=(const BothCaps&) = delete;

  void set(GstCaps* incaps, GstCaps* outcaps) {
    gst_caps_replace(&in, incaps);
    gst_caps_replace(&out, outcaps);
  }
};

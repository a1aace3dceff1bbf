// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

/// The latency that an element adds to upstream's. Any thread may call it: the element's object
/// lock guards it.
class GstCudaCannyLatency {
 public:
  /// Sets it to 0 without a message.
  void reset(GstElement* element);
  /// Sets it, and announces it if it changed.
  void set(GstElement* element, GstClockTime latency);
  /// Adds it to upstream's answer to a latency query.
  void add_to(GstElement* element, GstQuery* query) const;

 private:
  GstClockTime own_ = 0;
};

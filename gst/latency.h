// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

/// The sum of two valid times, or the longest valid time if that is shorter.
inline GstClockTime gst_cuda_canny_add_times(GstClockTime a, GstClockTime b) {
  constexpr GstClockTime kLongest = GST_CLOCK_TIME_NONE - 1;
  return MIN(a, kLongest - b) + b;
}

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

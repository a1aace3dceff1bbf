// SPDX-License-Identifier: LGPL-2.1-or-later
/// Announces the latency of an element.
#include "latency.h"

#include <utility>

#include "debug.h"

void GstCudaCannyLatency::reset(GstElement* element) {
  GST_OBJECT_LOCK(element);
  own_ = 0;
  GST_OBJECT_UNLOCK(element);
}

void GstCudaCannyLatency::set(GstElement* element, GstClockTime latency) {
  GST_OBJECT_LOCK(element);
  const GstClockTime before = std::exchange(own_, latency);
  GST_OBJECT_UNLOCK(element);
  if (before != latency)
    gst_element_post_message(element, gst_message_new_latency(GST_OBJECT(element)));
}

void GstCudaCannyLatency::add_to(GstElement* element, GstQuery* query) const {
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = 0;
  gst_query_parse_latency(query, &live, &min, &max);
  GST_OBJECT_LOCK(element);
  const GstClockTime own = own_;
  GST_OBJECT_UNLOCK(element);
  GST_DEBUG_OBJECT(element, "own latency %" GST_TIME_FORMAT, GST_TIME_ARGS(own));
  if (max != GST_CLOCK_TIME_NONE) max = gst_cuda_canny_add_times(max, own);
  gst_query_set_latency(query, live, gst_cuda_canny_add_times(min, own), max);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Owning pointers to GStreamer's objects.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace check {

struct Unref {
  void operator()(GstElement* element) const { gst_object_unref(element); }
  void operator()(GstBus* bus) const { gst_object_unref(bus); }
  void operator()(GstPad* pad) const { gst_object_unref(pad); }
  void operator()(gpointer mini_object) const {
    gst_mini_object_unref(static_cast<GstMiniObject*>(mini_object));
  }
};

/// A reference to an element, a bus, a pad, a buffer, caps, a message or a sample.
template <typename T>
using Owned = std::unique_ptr<T, Unref>;

}  // namespace check

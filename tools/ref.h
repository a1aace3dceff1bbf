// SPDX-License-Identifier: LGPL-2.1-or-later
/// Owners of GStreamer's objects, and GLib's texts and signals.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <string>

namespace tuner {

struct Unref {
  void operator()(GstElement* element) const { gst_object_unref(element); }
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
};
using ElementRef = std::unique_ptr<GstElement, Unref>;
using SampleRef = std::unique_ptr<GstSample, Unref>;

/// Takes over a text of GLib. Null becomes an empty text.
inline std::string take(gchar* text) {
  std::string copy = text != nullptr ? text : "";
  g_free(text);
  return copy;
}

/// Calls a member of an object for each signal of an instance, whose arguments are dropped.
template <auto kMember, class Object>
void connect_signal(gpointer instance, const char* signal, Object* object) {
  const auto call = +[](Object* self) noexcept { (self->*kMember)(); };
  g_signal_connect_swapped(instance, signal, G_CALLBACK(call), object);
}

}  // namespace tuner

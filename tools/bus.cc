// SPDX-License-Identifier: LGPL-2.1-or-later
/// Turns messages into calls, and errors into texts.
#include "tools/bus.h"

namespace tuner {

void BusWatch::start(GstElement* pipeline) {
  stop();
  missing_.clear();
  bus_ = gst_element_get_bus(pipeline);
  const auto on_message = +[](GstBus*, GstMessage* message, gpointer self) noexcept -> gboolean {
    static_cast<BusWatch*>(self)->handle(message);
    return G_SOURCE_CONTINUE;
  };
  gst_bus_add_watch(bus_, on_message, this);
}

void BusWatch::stop() {
  if (bus_ == nullptr) return;
  gst_bus_remove_watch(bus_);
  gst_clear_object(&bus_);
}

void BusWatch::handle(GstMessage* message) {
  gboolean is_last = FALSE;
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ERROR: {
      g_autoptr(GError) error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      std::string text = error->message;
      if (text.empty() || text.back() != '.') text += '.';
      if (!missing_.empty()) text += " Missing: " + missing_ + ". Install gstreamer1.0-libav.";
      if (on_error) on_error(text);
      break;
    }
    case GST_MESSAGE_ELEMENT: {
      const GstStructure* structure = gst_message_get_structure(message);
      if (!gst_structure_has_name(structure, "missing-plugin")) break;
      if (const gchar* name = gst_structure_get_string(structure, "name")) missing_ = name;
      break;
    }
    case GST_MESSAGE_EOS:
      if (on_end) on_end();
      break;
    case GST_MESSAGE_STEP_DONE:
      gst_message_parse_step_done(message, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  &is_last);
      if (on_step) on_step(is_last);
      break;
    default:
      break;
  }
}

}  // namespace tuner

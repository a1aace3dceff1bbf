// SPDX-License-Identifier: LGPL-2.1-or-later
/// Files that the tests play, and the sessions that play them.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "check.h"
#include "tools/session.h"

namespace check {

/// Runs a pipeline to its end.
inline bool run_pipeline(const std::string& description) {
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(description.c_str(), &error);
  if (error != nullptr) g_error("%s", error->message);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, 60 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  const bool is_good = message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS;
  if (message != nullptr) gst_message_unref(message);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return is_good;
}

/// Writes a video of a moving ball with this number of frames.
inline std::string write_video(const std::string& folder, int frames) {
  const std::string path = folder + "/ball.avi";
  expect(run_pipeline("videotestsrc pattern=ball num-buffers=" + std::to_string(frames) +
                      " ! video/x-raw,width=160,height=120,framerate=25/1 ! jpegenc ! avimux "
                      "! filesink location=\"" +
                      path + "\""),
         "write " + path);
  return path;
}

inline std::string write_still(const std::string& folder) {
  const std::string path = folder + "/still.jpg";
  expect(run_pipeline("videotestsrc num-buffers=1 ! video/x-raw,width=160,height=120 ! jpegenc "
                      "! filesink location=\"" +
                      path + "\""),
         "write " + path);
  return path;
}

inline const tuner::Property& find(const tuner::Session& session, const char* name) {
  for (const tuner::Property& property : session.properties()) {
    if (property.name == name) return property;
  }
  g_error("no property %s", name);
}

/// Sets a number as its control does.
inline void set_number(tuner::Session* session, const char* name, double value) {
  const tuner::Property& property = find(*session, name);
  tuner::edit_number(session->element(), property, value);
  session->apply(property);
}

/// Waits for a pair after this one, until no frame waits for its output, and until the pair is
/// announced.
inline bool wait_for_pair(tuner::Session* session, std::uint64_t number) {
  const auto is_there = [=] { return session->latest().number > number && !session->is_busy(); };
  if (!wait_for(is_there)) return false;
  // The session has asked the main loop to announce the pair. The loop keeps the order of requests.
  bool is_announced = false;
  const auto note = +[](gpointer data) -> gboolean {
    *static_cast<bool*>(data) = true;
    return G_SOURCE_REMOVE;
  };
  const guint request = g_idle_add(note, &is_announced);
  if (wait_for([&] { return is_announced; })) return true;
  g_source_remove(request);
  return false;
}

/// The name of a frame's format.
inline std::string format_of(GstSample* sample) {
  const GstStructure* caps = gst_caps_get_structure(gst_sample_get_caps(sample), 0);
  return gst_structure_get_string(caps, "format");
}

/// All bytes of a frame.
inline std::vector<guint8> bytes(GstSample* sample) {
  GstMapInfo map;
  gst_buffer_map(gst_sample_get_buffer(sample), &map, GST_MAP_READ);
  std::vector<guint8> all(map.data, map.data + map.size);
  gst_buffer_unmap(gst_sample_get_buffer(sample), &map);
  return all;
}

}  // namespace check

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Plays, pauses, steps and repeats a source.
#include "tools/player.h"

#include <gst/app/gstappsink.h>

namespace tuner {

namespace {

/// The formats in system memory that the element takes, or one of them.
GstCaps* accepted_caps(const std::string& format) {
  if (!format.empty()) {
    return gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, format.c_str(), nullptr);
  }
  const ElementRef element(gst_element_factory_make("cudacanny", nullptr));
  g_autoptr(GstPad) pad = gst_element_get_static_pad(element.get(), "sink");
  g_autoptr(GstCaps) all = gst_pad_get_pad_template_caps(pad);
  g_autoptr(GstCaps) in_system_memory = gst_caps_new_empty_simple("video/x-raw");
  return gst_caps_intersect(all, in_system_memory);
}

/// Posts an error if a decoder has found no video.
void on_no_more_pads(GstElement* decoder, gpointer pipeline) noexcept {
  const ElementRef converter(gst_bin_get_by_name(GST_BIN(pipeline), "converter"));
  g_autoptr(GstPad) pad = gst_element_get_static_pad(converter.get(), "sink");
  if (!gst_pad_is_linked(pad)) {
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("It contains no video."), (nullptr));
  }
}

}  // namespace

Player::Player() {
  bus_.on_error = [this](const std::string& text) { fail(text); };
  bus_.on_end = [this] { end(); };
  bus_.on_step = [this](bool is_last) { end_step(is_last); };
}

Player::~Player() { close(); }

void Player::open(const Source& source, const std::string& format) {
  close();
  source_ = source;
  if (!create_pipeline(format)) return;
  apply_state();
  if (on_state) on_state();
}

void Player::close() {
  bus_.stop();
  if (pipeline_ != nullptr) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  sink_.reset();
  pipeline_.reset();
  has_ended_ = false;
  frames_ = 0;
  live_steps_ = -1;
}

bool Player::create_pipeline(const std::string& format) {
  g_autoptr(GError) error = nullptr;
  const std::string description =
      source_elements(source_) +
      " ! videoconvert name=converter ! appsink name=frames max-buffers=1";
  GstElement* pipeline =
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (pipeline == nullptr) {
    fail(std::string(error->message) + ".");
    return false;
  }
  pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(pipeline)));
  sink_.reset(gst_bin_get_by_name(GST_BIN(pipeline), "frames"));
  g_autoptr(GstCaps) caps = accepted_caps(format);
  gst_app_sink_set_caps(GST_APP_SINK(sink_.get()), caps);
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = [](GstAppSink* sink, gpointer self) noexcept {
    ++static_cast<Player*>(self)->frames_;
    static_cast<Player*>(self)->hand_out(SampleRef(gst_app_sink_pull_sample(sink)));
    return GST_FLOW_OK;
  };
  callbacks.new_preroll = [](GstAppSink* sink, gpointer self) noexcept {
    static_cast<Player*>(self)->hand_out(SampleRef(gst_app_sink_pull_preroll(sink)));
    return GST_FLOW_OK;
  };
  gst_app_sink_set_callbacks(GST_APP_SINK(sink_.get()), &callbacks, this, nullptr);
  for (GList* child = GST_BIN_CHILDREN(pipeline); child != nullptr; child = child->next) {
    g_signal_connect(child->data, "no-more-pads", G_CALLBACK(on_no_more_pads), pipeline);
  }
  bus_.start(pipeline);
  return true;
}

void Player::apply_state() {
  if (pipeline_ == nullptr) return;
  const GstState state = wants_to_play_ ? GST_STATE_PLAYING : GST_STATE_PAUSED;
  const auto result = gst_element_set_state(pipeline_.get(), state);
  if (result == GST_STATE_CHANGE_NO_PREROLL) is_live_ = true;
  if (result == GST_STATE_CHANGE_ASYNC || result == GST_STATE_CHANGE_FAILURE) is_live_ = false;
}

void Player::hand_out(SampleRef frame) {
  const int steps = live_steps_;
  if (frame == nullptr || steps == 0) return;
  if (steps > 0) live_steps_ = steps - 1;
  if (on_frame) on_frame(std::move(frame));
}

void Player::set_playing(bool is_playing) {
  live_steps_ = -1;
  if (is_playing && has_ended_) rewind();
  wants_to_play_ = is_playing;
  apply_state();
  if (on_state) on_state();
}

void Player::step() {
  if (pipeline_ == nullptr) return;
  set_playing(false);
  if (is_live_) {  // such a source gives frames only while it plays
    live_steps_ = 1;
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    return;
  }
  if (has_ended_) return rewind();
  gst_element_get_state(pipeline_.get(), nullptr, nullptr, GST_SECOND);
  gst_element_send_event(sink_.get(), gst_event_new_step(GST_FORMAT_BUFFERS, 1, 1.0, TRUE, FALSE));
}

void Player::rewind() {
  has_ended_ = false;
  frames_ = 0;
  const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT);
  if (gst_element_seek_simple(pipeline_.get(), GST_FORMAT_TIME, flags, 0)) return;
  gst_element_set_state(pipeline_.get(), GST_STATE_READY);
  apply_state();
}

/// A picture is not repeated: it stays.
void Player::end() {
  if (is_looping_ && frames_ > 1) return rewind();
  has_ended_ = true;
  if (on_state) on_state();
}

void Player::end_step(bool is_last) {
  if (!is_last) {
    ++frames_;
    return;
  }
  if (is_looping_) return rewind();
  has_ended_ = true;
}

void Player::fail(const std::string& text) {
  close();
  if (on_error) on_error(text + " " + source_advice(source_));
  if (on_state) on_state();
}

}  // namespace tuner

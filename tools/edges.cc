// SPDX-License-Identifier: LGPL-2.1-or-later
/// Pushes frames into the element and matches its outputs with them.
#include "tools/edges.h"

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <chrono>
#include <utility>

#include "tools/property.h"

namespace tuner {

namespace {

/// As many frames as the element has in flight at most, so that it never idles.
constexpr std::size_t kMostWaiting = 8;

/// How long a frame waits for room. An element that takes longer has failed, and the main thread
/// may not know yet: it closes the player, which waits for the frame.
constexpr std::chrono::seconds kLongestWait(3);

GstClockTime time_of(const SampleRef& sample) {
  return GST_BUFFER_PTS(gst_sample_get_buffer(sample.get()));
}

/// The same pixels under another timestamp.
SampleRef at_time(const SampleRef& sample, GstClockTime time) {
  g_autoptr(GstBuffer) buffer = gst_buffer_copy(gst_sample_get_buffer(sample.get()));
  GST_BUFFER_PTS(buffer) = time;
  GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
  return SampleRef(gst_sample_new(buffer, gst_sample_get_caps(sample.get()), nullptr, nullptr));
}

SampleRef another(const SampleRef& sample) {
  return SampleRef(sample != nullptr ? gst_sample_ref(sample.get()) : nullptr);
}

}  // namespace

Edges::Edges() {
  GstElement* pipeline = gst_parse_launch_full(
      "appsrc name=source format=time ! cudacanny name=detector "
      "! appsink name=sink sync=false caps=video/x-raw",
      nullptr, GST_PARSE_FLAG_FATAL_ERRORS, nullptr);
  if (pipeline == nullptr) return;
  pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(pipeline)));
  source_.reset(gst_bin_get_by_name(GST_BIN(pipeline), "source"));
  element_.reset(gst_bin_get_by_name(GST_BIN(pipeline), "detector"));
  // Neither threshold follows the other. edit_number() lets both follow the operator.
  for (const Property& property : writable_properties(element_.get())) {
    if (is_threshold(property))
      set_number(element_.get(), property, get_number(element_.get(), property));
  }
  const ElementRef sink(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
  GstAppSinkCallbacks callbacks = {};
  callbacks.new_sample = [](GstAppSink* from, gpointer self) noexcept {
    SampleRef output(gst_app_sink_pull_sample(from));
    if (output != nullptr) static_cast<Edges*>(self)->finish(std::move(output));
    return GST_FLOW_OK;
  };
  gst_app_sink_set_callbacks(GST_APP_SINK(sink.get()), &callbacks, this, nullptr);
  bus_.on_error = [this](const std::string& text) {
    stop();
    if (on_error) on_error(text);
  };
  start();
}

Edges::~Edges() {
  if (!is_valid()) return;
  stop();
  if (idle_ != 0) g_source_remove(idle_);
}

void Edges::start() {
  if (is_started_) return;  // no other thread writes it
  bus_.start(pipeline_.get());
  gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  const std::lock_guard<std::mutex> lock(mutex_);
  is_started_ = true;  // from now on the source takes frames
}

void Edges::stop() {
  bus_.stop();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_started_ = false;
  }
  has_room_.notify_all();
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_.clear();
}

void Edges::restart() {
  stop();
  refresh();
}

void Edges::add(SampleRef input) {
  std::unique_lock<std::mutex> lock(mutex_);
  last_input_ = another(input);
  const auto may_go_on = [this] { return !is_started_ || waiting_.size() < kMostWaiting; };
  if (has_room_.wait_for(lock, kLongestWait, may_go_on) && is_started_) push(input);
}

void Edges::refresh() {
  start();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (last_input_ == nullptr) return;
  is_stale_ = !waiting_.empty();
  if (!is_stale_) push(last_input_);
}

/// Frames enter the element in the order of their timestamps. The caller holds the lock.
void Edges::push(const SampleRef& input) {
  SampleRef timed = at_time(input, next_time_++);
  gst_app_src_push_sample(GST_APP_SRC(source_.get()), timed.get());
  waiting_.push_back(std::move(timed));
}

void Edges::finish(SampleRef output) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!waiting_.empty() && time_of(waiting_.front()) < time_of(output)) waiting_.pop_front();
  if (waiting_.empty() || time_of(waiting_.front()) != time_of(output)) return;
  latest_.input = std::move(waiting_.front());
  latest_.output = std::move(output);
  ++latest_.number;
  waiting_.pop_front();
  if (waiting_.empty() && std::exchange(is_stale_, false)) push(last_input_);
  announce();
  lock.unlock();
  has_room_.notify_all();
}

/// Calls on_pair in the main thread, unless a call is on its way. What GTK has to draw goes first.
void Edges::announce() {
  if (idle_ == 0) idle_ = g_idle_add(on_idle, this);
}

gboolean Edges::on_idle(gpointer self) noexcept {
  auto* edges = static_cast<Edges*>(self);
  {
    const std::lock_guard<std::mutex> lock(edges->mutex_);
    edges->idle_ = 0;
  }
  if (edges->on_pair) edges->on_pair();
  return G_SOURCE_REMOVE;
}

bool Edges::is_busy() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !waiting_.empty();
}

Pair Edges::latest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {another(latest_.input), another(latest_.output), latest_.number};
}

}  // namespace tuner

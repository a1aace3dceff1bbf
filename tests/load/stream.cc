// SPDX-License-Identifier: LGPL-2.1-or-later
// Feeds appsrc from its own streaming thread, and compares in the thread that reaches appsink.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace load {
namespace {

constexpr GstClockTime kFrame = GST_SECOND / 30;

GstElement* parse(const std::string& line) {
  GError* error = nullptr;
  GstElement* pipeline =
      gst_parse_launch_full(line.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (pipeline != nullptr) return pipeline;
  const std::string text = error->message;
  g_error_free(error);
  throw std::runtime_error(text);
}

std::string text_of(GstMessage* error) {
  gchar* details = nullptr;
  gst_message_parse_error(error, nullptr, &details);
  const std::string text = details != nullptr ? details : "an error without details";
  g_free(details);
  return text;
}

Owned<GstElement> find(const Owned<GstElement>& pipeline, const char* name) {
  return Owned<GstElement>(gst_bin_get_by_name(GST_BIN(pipeline.get()), name));
}

}  // namespace

Stream::Stream(const std::string& settings, const std::vector<Picture>& pictures, Score* score)
    : pictures_(pictures), score_(score) {
  pipeline_ = Owned<GstElement>(parse("appsrc name=source format=time ! cudacanny name=element " +
                                      settings +
                                      " ! appsink name=sink sync=false enable-last-sample=false"));
  bus_.reset(gst_element_get_bus(pipeline_.get()));
  source_ = find(pipeline_, "source");
  element_ = find(pipeline_, "element");
  sink_ = find(pipeline_, "sink");
  GstAppSrcCallbacks feeding = {};
  feeding.need_data = [](GstAppSrc*, guint, gpointer self) { static_cast<Stream*>(self)->feed(); };
  gst_app_src_set_callbacks(GST_APP_SRC(source_.get()), &feeding, this, nullptr);
  GstAppSinkCallbacks taking = {};
  taking.new_sample = [](GstAppSink* sink, gpointer self) {
    const Owned<GstSample> sample(gst_app_sink_pull_sample(sink));
    if (sample != nullptr) static_cast<Stream*>(self)->take(sample.get());
    return GST_FLOW_OK;
  };
  gst_app_sink_set_callbacks(GST_APP_SINK(sink_.get()), &taking, this, nullptr);
}

Stream::~Stream() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

void Stream::set_state(GstState state) {
  if (gst_element_set_state(pipeline_.get(), state) != GST_STATE_CHANGE_FAILURE) return;
  read_messages();
  throw std::runtime_error("a change of state failed");
}

/// The steps 7 and 8 make every picture follow every other one in time.
const Picture& Stream::picture(std::uint64_t frame) const {
  const std::uint64_t count = pictures_.size();
  return pictures_[(frame * 7 + frame / count) % count];
}

void Stream::push(std::uint64_t frames) {
  {
    const std::lock_guard<std::mutex> lock(feeding_);
    limit_ = frames == kEndless ? kEndless : pushed_ + frames;
  }
  feed();  // appsrc asks again only after it has got a frame
}

void Stream::stop() {
  const std::lock_guard<std::mutex> lock(feeding_);
  limit_ = pushed_;
}

void Stream::feed() {
  const std::lock_guard<std::mutex> lock(feeding_);
  if (pushed_ >= limit_) return;
  const Picture& picture = this->picture(pushed_);
  const Owned<GstBuffer> buffer(gst_buffer_copy(picture.buffer.get()));
  GST_BUFFER_PTS(buffer.get()) = pushed_ * kFrame;
  const Owned<GstSample> sample(gst_sample_new(buffer.get(), picture.caps.get(), nullptr, nullptr));
  ++pushed_;
  ++score_->pushed;
  gst_app_src_push_sample(GST_APP_SRC(source_.get()), sample.get());
}

bool Stream::is_right(GstSample* sample, std::uint64_t frame) {
  const GstVideoInfo& output = picture(frame).output;
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) || info.width != output.width ||
      info.height != output.height ||
      GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_INFO_FORMAT(&output))
    return false;
  const std::uint64_t sum = checksum(gst_sample_get_buffer(sample), info);
  seen_.insert(sum);
  const auto& right = picture(frame).right;
  return std::binary_search(right.begin(), right.end(), sum);
}

void Stream::take(GstSample* sample) {
  const std::uint64_t frame = GST_BUFFER_PTS(gst_sample_get_buffer(sample)) / kFrame;
  const std::lock_guard<std::mutex> lock(taking_);
  const bool is_in_order = frame >= next_;
  if (!is_in_order || !is_right(sample, frame)) ++score_->wrong;
  ++score_->frames;
  if (is_in_order) next_ = frame + 1;
  taken_.notify_all();
}

/// Empties the bus, which would grow otherwise.
void Stream::read_messages() {
  while (const Owned<GstMessage> message{gst_bus_pop(bus_.get())})
    if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR)
      throw std::runtime_error(text_of(message.get()));
}

void Stream::wait() {
  std::uint64_t last = 0;
  {
    const std::lock_guard<std::mutex> lock(feeding_);
    last = limit_;
  }
  bool is_done = false;
  while (!is_done) {
    std::unique_lock<std::mutex> lock(taking_);
    is_done = taken_.wait_for(lock, std::chrono::seconds(1), [&] { return next_ >= last; });
    lock.unlock();
    read_messages();
  }
}

}  // namespace load

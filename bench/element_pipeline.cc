// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds, runs and times pipelines.
#include "element_pipeline.h"

#include <chrono>
#include <utility>

#include "element_pictures.h"

namespace bench {
namespace {

/// The messages that end a run.
constexpr auto kEnd =
    static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_APPLICATION);

Failure failure(GstMessage* message) {
  g_autoptr(GError) error = nullptr;
  g_autofree gchar* details = nullptr;
  gst_message_parse_error(message, &error, &details);
  return Failure(std::string(error->message) + (details != nullptr ? " " : "") +
                 (details != nullptr ? details : ""));
}

GstElement* parse(const std::string& description) {
  g_autoptr(GError) error = nullptr;
  GstElement* pipeline =
      gst_parse_launch_full(description.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (pipeline == nullptr) throw Failure(error->message);
  gst_object_ref_sink(pipeline);
  return pipeline;
}

GstPadProbeReturn pass_on(GstPad*, GstPadProbeInfo* info, gpointer data) {
  (*static_cast<Pipeline::OnBuffer*>(data))(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

}  // namespace

Pipeline::Pipeline(const std::string& description) : pipeline_(parse(description)) {}

Pipeline::Pipeline(GstElement* source, const std::string& output_caps)
    : Pipeline("cudacanny name=canny ! capsfilter name=out caps=" + output_caps +
               " ! fakesink name=sink sync=false enable-last-sample=false") {
  add_source(source, "canny");
}

Pipeline::~Pipeline() { gst_element_set_state(get(), GST_STATE_NULL); }

void Pipeline::add_source(GstElement* source, const char* element) {
  gst_object_set_name(GST_OBJECT(source), "source");
  gst_bin_add(GST_BIN(get()), source);
  if (!gst_element_link(source, named(element).get())) throw Failure("can't link the source");
}

Ref<GstElement> Pipeline::named(const char* element) const {
  Ref<GstElement> found(gst_bin_get_by_name(GST_BIN(get()), element));
  if (!found) throw Failure(std::string("the pipeline has no element ") + element);
  return found;
}

void Pipeline::set(const ElementSettings& settings) {
  const Ref<GstElement> canny = named("canny");
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(canny.get()), "frames-in-flight") == nullptr)
    throw Failure("the element has no property frames-in-flight");
  const canny::Params params = element_params();
  gst_util_set_object_arg(G_OBJECT(canny.get()), "backend", settings.backend);
  g_object_set(canny.get(), "low-threshold", params.low_threshold, "high-threshold",
               params.high_threshold, "sigma", params.sigma, "n-threads", settings.threads,
               "frames-in-flight", settings.frames_in_flight, "cuda-device-id", settings.device,
               nullptr);
}

void Pipeline::on_buffer(const char* element, const char* pad, OnBuffer on_buffer) {
  const Ref<GstPad> probed(gst_element_get_static_pad(named(element).get(), pad));
  gst_pad_add_probe(probed.get(), GST_PAD_PROBE_TYPE_BUFFER, pass_on,
                    new OnBuffer(std::move(on_buffer)),
                    [](gpointer data) { delete static_cast<OnBuffer*>(data); });
}

Ref<GstCaps> Pipeline::caps(const char* element, const char* pad) const {
  const Ref<GstPad> asked(gst_element_get_static_pad(named(element).get(), pad));
  Ref<GstCaps> caps(gst_pad_get_current_caps(asked.get()));
  if (!caps) throw Failure("a pad has no caps");
  return caps;
}

GstVideoInfo Pipeline::info(const char* element, const char* pad) const {
  const Ref<GstCaps> caps = this->caps(element, pad);
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps.get()))
    throw Failure("the caps of a pad are not video");
  return info;
}

void Pipeline::run(double limit_seconds) {
  const Ref<GstBus> bus(gst_element_get_bus(get()));
  const bool failed = gst_element_set_state(get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE;
  const auto limit = failed ? 0 : static_cast<GstClockTime>(limit_seconds * GST_SECOND);
  const Ref<GstMessage> message(gst_bus_timed_pop_filtered(bus.get(), limit, kEnd));
  gst_element_set_state(get(), GST_STATE_NULL);
  if (!message) throw Failure(failed ? "the pipeline does not start" : "the pipeline stalls");
  if (GST_MESSAGE_TYPE(message.get()) == GST_MESSAGE_ERROR) throw failure(message.get());
}

void Pipeline::stop() {
  gst_element_post_message(
      get(), gst_message_new_application(GST_OBJECT(get()), gst_structure_new_empty("stop")));
}

guint64 Pipeline::stat(const char* field) const {
  g_autoptr(GstStructure) stats = nullptr;
  g_object_get(named("canny").get(), "stats", &stats, nullptr);
  guint64 value = 0;
  if (!gst_structure_get_uint64(stats, field, &value))
    throw Failure(std::string("the element's stats have no ") + field);
  return value;
}

std::string Pipeline::stat_text(const char* field) const {
  g_autoptr(GstStructure) stats = nullptr;
  g_object_get(named("canny").get(), "stats", &stats, nullptr);
  const char* text = gst_structure_get_string(stats, field);
  return text != nullptr ? text : "";
}

std::string describe_source(const std::string& file) {
  g_autofree gchar* quoted = g_strescape(file.c_str(), nullptr);
  return std::string("filesrc location=\"") + quoted + "\"";
}

void Meter::frame() {
  const double now = watch_.microseconds();
  if (done_) return;
  if (seen_++ == 0) first_ = now;
  if (frames_ >= 0) {
    ++frames_;
    end_ = now;
    done_ = end_ - begin_ >= seconds_ * 1e6;
    if (done_) stop_();
  } else if (seen_ >= kWarmUp && now - first_ >= warm_up_seconds_ * 1e6) {
    frames_ = 0;
    begin_ = now;
  }
}

double Meter::microseconds() const {
  if (frames_ <= 0) throw Failure("too few frames to time");
  return (end_ - begin_) / frames_;
}

void Gate::enter() {
  constexpr std::chrono::seconds kLost(10);  // a frame that takes longer is lost
  std::unique_lock<std::mutex> lock(mutex_);
  left_.wait_for(lock, kLost, [&] { return !is_taken_; });
  is_taken_ = true;
}

void Gate::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_taken_ = false;
  left_.notify_one();
}

}  // namespace bench

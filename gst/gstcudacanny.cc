// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element "cudacanny": negotiates, maps its buffers, hands them to the detector and pushes.

/**
 * SECTION:element-cudacanny
 * @title: cudacanny
 * @short_description: Canny edge detection
 *
 * Detects the edges of video frames with Canny's algorithm: Gaussian blur, Sobel gradient,
 * non-maximum suppression, double threshold, hysteresis. Edges are white on black in any of the
 * element's formats, and neutral in colour: 255 in luma, 128 in chroma. Of YUV input only the luma
 * is looked at, of deep input its 8 most significant bits. CUDA and the CPU give the same bytes.
 *
 * Without a usable CUDA device the element runs on the CPU, and it goes on there when the device
 * fails; #GstCudaCanny:stats tells which of the two and why. Frames in CUDA memory
 * (`memory:CUDAMemory`) stay on the device. For frames in system memory the element offers
 * page-locked buffers, and has several of them in flight (#GstCudaCanny:frames-in-flight).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc ! cudacanny ! autovideosink
 * ]| Shows the edges of the test pattern.
 * |[
 * gst-launch-1.0 filesrc location=video.avi ! decodebin ! cudacanny sigma=2 low-threshold=20
 * high-threshold=60 ! autovideosink
 * ]| Shows the edges of a video file, with more blur and more sensitive than the defaults.
 * |[
 * gst-launch-1.0 filesrc location=video.mp4 ! qtdemux ! h264parse ! nvh264dec ! cudacanny !
 * cudadownload ! autovideosink
 * ]| Decodes a video and finds its edges without a frame leaving the GPU in between.
 *
 * Since: 0.1
 */

#include "gstcudacanny.h"

#include <gst/video/video.h>

#include <atomic>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "canny.h"
#include "config.h"
#include "gstcudacannydevice.h"
#include "gstcudacannyflights.h"
#include "gstcudacannyformat.h"
#include "gstcudacannyframe.h"
#include "gstcudacannyhostmemory.h"
#include "gstcudacannymessage.h"
#include "gstcudacannypool.h"
#include "gstcudacannyrefusal.h"
#include "gstcudacannystats.h"
#include "properties.h"

GST_DEBUG_CATEGORY_STATIC(gst_cuda_canny_debug);
#define GST_CAT_DEFAULT gst_cuda_canny_debug

namespace {

constexpr guint kAutoFramesInFlight = 3;    ///< an upload, kernels and a download
constexpr guint kAutoFramesUnfinished = 6;  ///< as many again as run side by side, for no delay

/// GST_FLOW_ERROR that the element has told the bus itself.
constexpr GstFlowReturn kPostedError = GST_FLOW_CUSTOM_ERROR_2;

/// How frames leave the element.
enum class Exit {
  kAlone,       ///< one at a time, pushed by the streaming thread when it is done
  kDone,        ///< pushed by the task when they are done, while others are worked on
  kUnfinished,  ///< pushed by the streaming thread as soon as the device has its work; the CUDA
                ///< stream of their memory tells downstream when it is done
};

/// A pad's frames.
struct Stream {
  GstVideoInfo info;
  canny::Memory memory = canny::Memory::kHost;

  Stream() { gst_video_info_init(&info); }
  bool set(const GstCaps* caps) {
    memory = gst_cuda_canny_format_memory(caps);
    return gst_video_info_from_caps(&info, caps);
  }
};

}  // namespace

struct _GstCudaCanny {
  GstBaseTransform parent;
  GstPadActivateModeFunction activate_src;  // the base class's

  // Under the object lock.
  GstCudaCannySettings settings;
  GstCudaCannyStats stats;
  GstClockTime latency;
  guint64 pushed;  // frames since the last start or flush, if the source pad's task pushes them

  // Of the streaming thread, or of start() and stop() while there is none; GstCudaCannyFlights says
  // what of the detector the task of the source pad and threads that flush may use.
  canny::Detector detector;
  canny::Options options;    // the detector's
  guint wanted_in_flight;    // frames, 0 = auto
  std::atomic<bool> on_cpu;  // any thread
  Stream in, out;
  Stream in_before, out_before;  // set_caps()
  guint n_set_caps;
  bool has_dropped;        // a frame for QoS since the last output
  std::atomic<Exit> exit;  // written by the streaming thread; any thread may start the task
  GstCudaCannyFlights flights;
  GstCudaCannyDevice device;
  GstAllocator* allocator;  // of page-locked memory, null on the CPU
};

#define gst_cuda_canny_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE(GstCudaCanny, gst_cuda_canny, GST_TYPE_BASE_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(gst_cuda_canny_debug, "cudacanny", 0,
                                                "Canny edge detector"))
GST_ELEMENT_REGISTER_DEFINE(cudacanny, "cudacanny", GST_RANK_NONE, GST_TYPE_CUDA_CANNY)

namespace {

/// `pts` is the time of the frame that the status is of, if it is of one.
void post_error(GstCudaCanny* self, const canny::Status& status,
                GstClockTime pts = GST_CLOCK_TIME_NONE) {
  gst_cuda_canny_post_error(GST_ELEMENT(self), status, self->on_cpu, pts);
}

}  // namespace

// Callbacks are noexcept: out of memory, the only exception there could be, ends the process, as
// it does in GLib.

static void gst_cuda_canny_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* pspec) noexcept;
static void gst_cuda_canny_get_property(GObject* object, guint id, GValue* value,
                                        GParamSpec* pspec) noexcept;
static void gst_cuda_canny_finalize(GObject* object) noexcept;
static void gst_cuda_canny_set_context(GstElement* element, GstContext* context) noexcept;
static gboolean gst_cuda_canny_post_message(GstElement* element, GstMessage* message) noexcept;
static gboolean gst_cuda_canny_activate_src(GstPad* pad, GstObject* parent, GstPadMode mode,
                                            gboolean active) noexcept;
static gboolean gst_cuda_canny_start(GstBaseTransform* trans) noexcept;
static gboolean gst_cuda_canny_stop(GstBaseTransform* trans) noexcept;
static GstCaps* gst_cuda_canny_transform_caps(GstBaseTransform* trans, GstPadDirection direction,
                                              GstCaps* caps, GstCaps* filter) noexcept;
static GstCaps* gst_cuda_canny_fixate_caps(GstBaseTransform* trans, GstPadDirection direction,
                                           GstCaps* caps, GstCaps* othercaps) noexcept;
static gboolean gst_cuda_canny_set_caps(GstBaseTransform* trans, GstCaps* incaps,
                                        GstCaps* outcaps) noexcept;
static gboolean gst_cuda_canny_transform_size(GstBaseTransform* trans, GstPadDirection direction,
                                              GstCaps* caps, gsize size, GstCaps* othercaps,
                                              gsize* othersize) noexcept;
static gboolean gst_cuda_canny_propose_allocation(GstBaseTransform* trans, GstQuery* decide_query,
                                                  GstQuery* query) noexcept;
static gboolean gst_cuda_canny_decide_allocation(GstBaseTransform* trans, GstQuery* query) noexcept;
static gboolean gst_cuda_canny_query(GstBaseTransform* trans, GstPadDirection direction,
                                     GstQuery* query) noexcept;
static gboolean gst_cuda_canny_sink_event(GstBaseTransform* trans, GstEvent* event) noexcept;
static gboolean gst_cuda_canny_transform_meta(GstBaseTransform* trans, GstBuffer* outbuf,
                                              GstMeta* meta, GstBuffer* inbuf) noexcept;
static void gst_cuda_canny_before_transform(GstBaseTransform* trans, GstBuffer* buffer) noexcept;
static GstFlowReturn gst_cuda_canny_transform(GstBaseTransform* trans, GstBuffer* input,
                                              GstBuffer* output) noexcept;
static GstFlowReturn gst_cuda_canny_submit_input_buffer(GstBaseTransform* trans,
                                                        gboolean is_discont,
                                                        GstBuffer* input) noexcept;
static GstFlowReturn gst_cuda_canny_generate_output(GstBaseTransform* trans,
                                                    GstBuffer** output) noexcept;

static void gst_cuda_canny_add_pad_templates(GstElementClass* klass) {
  for (const GstPadDirection direction : {GST_PAD_SINK, GST_PAD_SRC}) {
    GstCaps* caps = gst_cuda_canny_format_template_caps(direction);
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new(direction == GST_PAD_SINK ? "sink" : "src", direction,
                                    GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
  }
}

static void gst_cuda_canny_class_init(GstCudaCannyClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_cuda_canny_set_property;
  object_class->get_property = gst_cuda_canny_get_property;
  object_class->finalize = gst_cuda_canny_finalize;
  gst_cuda_canny_properties_install(object_class);

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->set_context = GST_DEBUG_FUNCPTR(gst_cuda_canny_set_context);
  element_class->post_message = GST_DEBUG_FUNCPTR(gst_cuda_canny_post_message);
  gst_element_class_set_static_metadata(
      element_class, "Canny edge detector", "Filter/Effect/Video",
      "Detects edges with Canny's algorithm on a CUDA device or on the CPU",
      "The cudacanny authors");
  gst_element_class_add_static_metadata(element_class, GST_ELEMENT_METADATA_DOC_URI,
                                        CUDA_CANNY_DOC_URI);
  gst_cuda_canny_add_pad_templates(element_class);

  GstBaseTransformClass* trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->passthrough_on_same_caps = FALSE;
  trans_class->start = GST_DEBUG_FUNCPTR(gst_cuda_canny_start);
  trans_class->stop = GST_DEBUG_FUNCPTR(gst_cuda_canny_stop);
  trans_class->transform_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_caps);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_fixate_caps);
  trans_class->set_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_set_caps);
  trans_class->transform_size = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_size);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR(gst_cuda_canny_propose_allocation);
  trans_class->decide_allocation = GST_DEBUG_FUNCPTR(gst_cuda_canny_decide_allocation);
  trans_class->query = GST_DEBUG_FUNCPTR(gst_cuda_canny_query);
  trans_class->sink_event = GST_DEBUG_FUNCPTR(gst_cuda_canny_sink_event);
  trans_class->transform_meta = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_meta);
  trans_class->before_transform = GST_DEBUG_FUNCPTR(gst_cuda_canny_before_transform);
  trans_class->transform = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform);
  trans_class->submit_input_buffer = GST_DEBUG_FUNCPTR(gst_cuda_canny_submit_input_buffer);
  trans_class->generate_output = GST_DEBUG_FUNCPTR(gst_cuda_canny_generate_output);
}

static void gst_cuda_canny_init(GstCudaCanny* self) {
  new (&self->settings) GstCudaCannySettings();
  new (&self->stats) GstCudaCannyStats();
  new (&self->detector) canny::Detector();
  new (&self->options) canny::Options();
  new (&self->on_cpu) std::atomic<bool>(false);
  new (&self->in) Stream();
  new (&self->out) Stream();
  new (&self->in_before) Stream();
  new (&self->out_before) Stream();
  new (&self->exit) std::atomic<Exit>(Exit::kAlone);
  new (&self->flights) GstCudaCannyFlights();
  new (&self->device) GstCudaCannyDevice();
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  gst_base_transform_set_in_place(trans, FALSE);
  gst_base_transform_set_gap_aware(trans, TRUE);
  gst_base_transform_set_qos_enabled(trans, TRUE);
  gst_cuda_canny_explain_refusals(trans);
  self->activate_src = GST_PAD_ACTIVATEMODEFUNC(trans->srcpad);
  gst_pad_set_activatemode_function(trans->srcpad, gst_cuda_canny_activate_src);
}

static void gst_cuda_canny_finalize(GObject* object) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  self->detector.~Detector();
  self->device.~GstCudaCannyDevice();
  self->flights.~GstCudaCannyFlights();
  self->stats.~GstCudaCannyStats();
  self->settings.~GstCudaCannySettings();
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

// ---- properties ----

static void gst_cuda_canny_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* pspec) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  GST_OBJECT_LOCK(self);
  const bool known = self->settings.set(id, value);
  const bool warn = known && self->settings.is_first_late_set(pspec);
  GST_OBJECT_UNLOCK(self);

  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  if (warn) {
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS,
                        ("Property %s takes effect at the next start. Set the element to READY "
                         "and back to apply it.",
                         pspec->name),
                        ("%s was set in PAUSED or PLAYING, it is read in READY", pspec->name));
  }
}

static void gst_cuda_canny_get_property(GObject* object, guint id, GValue* value,
                                        GParamSpec* pspec) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  GST_OBJECT_LOCK(self);
  bool known = true;
  if (id == GST_CUDA_CANNY_PROP_STATS) {
    g_value_take_boxed(value, self->stats.to_structure());
  } else {
    known = self->settings.get(id, value);
  }
  GST_OBJECT_UNLOCK(self);
  if (!known) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static canny::Params gst_cuda_canny_take_params(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  const canny::Params params = self->settings.params;
  GST_OBJECT_UNLOCK(self);
  return params;
}

/// From here on, a set of what is read at a start is late.
static void gst_cuda_canny_take_start_settings(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  self->settings.started = true;
  self->settings.warned = 0;
  self->options = self->settings.options;
  self->wanted_in_flight = self->settings.frames_in_flight;
  GST_OBJECT_UNLOCK(self);
}

/// What the detector runs on. `keep` the counts, if that changed within a stream.
static void gst_cuda_canny_publish_backend(GstCudaCanny* self, const canny::Info& info, bool keep) {
  self->on_cpu = info.backend == canny::Backend::kCpu;
  GstCudaCannyStats stats;
  GST_OBJECT_LOCK(self);
  if (keep) stats = self->stats;
  stats.backend = canny::name(info.backend);
  stats.device = info.device;
  stats.reason = info.reason;
  std::swap(self->stats, stats);
  GST_OBJECT_UNLOCK(self);
}

static void gst_cuda_canny_publish_failed_start(GstCudaCanny* self, const std::string& reason) {
  GstCudaCannyStats stats;
  stats.reason = reason;
  GST_OBJECT_LOCK(self);
  self->settings.started = false;
  std::swap(self->stats, stats);
  GST_OBJECT_UNLOCK(self);
}

/// The counts stay, for those who ask after the end.
static void gst_cuda_canny_publish_stop(GstCudaCanny* self) {
  std::string reason = GstCudaCannyStats().reason;
  GST_OBJECT_LOCK(self);
  self->settings.started = false;
  self->stats.backend = "none";
  self->stats.device.clear();
  self->stats.reason = std::move(reason);
  GST_OBJECT_UNLOCK(self);
}

/// Whether the detector runs on the CPU since the last report_fallback(), as `*info` then says.
static bool gst_cuda_canny_has_fallen_back(GstCudaCanny* self, canny::Info* info) {
  if (self->on_cpu || self->detector.info().backend != canny::Backend::kCpu) return false;
  *info = self->detector.info();
  return true;
}

static void gst_cuda_canny_report_fallback(GstCudaCanny* self, const canny::Info& info) {
  gst_cuda_canny_publish_backend(self, info, true);
  gst_cuda_canny_post_fallback(GST_ELEMENT(self), info.reason.c_str());
}

static void gst_cuda_canny_count_frame(GstCudaCanny* self, GstClockTime time,
                                       const canny::Result& result) {
  const bool on_device = !self->on_cpu;
  GST_OBJECT_LOCK(self);
  self->stats.frames++;
  self->stats.uploads += on_device && self->in.memory == canny::Memory::kHost;
  self->stats.downloads += on_device && self->out.memory == canny::Memory::kHost;
  self->stats.last = time;
  self->stats.total += time;
  self->stats.edge_pixels = result.edge_pixels;
  GST_OBJECT_UNLOCK(self);
}

// ---- start and stop ----

static void gst_cuda_canny_drop_flights(GstCudaCanny* self);

static void gst_cuda_canny_set_context(GstElement* element, GstContext* context) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(element);
  GST_OBJECT_LOCK(self);
  const gint device_id = self->settings.options.cuda_device;
  GST_OBJECT_UNLOCK(self);
  self->device.set_context(element, context, device_id);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

/// Creates a detector of these options, and what belongs to it, in the place of the one there is.
static canny::Status gst_cuda_canny_create_detector(GstCudaCanny* self,
                                                    const canny::Options& options) {
  canny::Detector detector;
  const canny::Status status = canny::Detector::create(options, &detector);
  if (!status.ok()) return status;
  self->detector = std::move(detector);
  self->options = options;
  const canny::Info& info = self->detector.info();
  gst_clear_object(&self->allocator);
  if (info.backend == canny::Backend::kCuda) {
    self->allocator = gst_cuda_canny_host_allocator_new(info.cuda_device);
  }
  GST_INFO_OBJECT(self, "backend %s on %s: %s", canny::name(info.backend), info.device.c_str(),
                  info.reason.c_str());
  return status;
}

static bool gst_cuda_canny_start_detector(GstCudaCanny* self) {
  gst_cuda_canny_take_start_settings(self);
  const canny::Status status = gst_cuda_canny_create_detector(self, self->options);
  if (!status.ok()) {
    gst_cuda_canny_publish_failed_start(self, status.message());
    post_error(self, status);
    return false;
  }
  gst_cuda_canny_publish_backend(self, self->detector.info(), false);
  self->has_dropped = false;
  self->exit = Exit::kAlone;
  self->in = self->out = Stream();
  GST_OBJECT_LOCK(self);
  self->pushed = 0;
  self->latency = 0;
  GST_OBJECT_UNLOCK(self);
  self->flights.open();
  return true;
}

/// The sink pad takes buffers already.
static gboolean gst_cuda_canny_start(GstBaseTransform* trans) noexcept {
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  const bool started = gst_cuda_canny_start_detector(GST_CUDA_CANNY(trans));
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  return started;
}

static void gst_cuda_canny_stop_detector(GstCudaCanny* self) {
  gst_cuda_canny_drop_flights(self);
  self->flights.set_count(1);
  self->detector = canny::Detector();
  self->device.release();
  gst_clear_object(&self->allocator);
  self->on_cpu = false;
  gst_cuda_canny_publish_stop(self);
}

/// An allocation query, which the base class negotiates for, comes in even though the sink pad is
/// not active.
static gboolean gst_cuda_canny_stop(GstBaseTransform* trans) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  self->flights.close();
  gst_pad_stop_task(trans->srcpad);
  GST_PAD_STREAM_LOCK(trans->sinkpad);
  gst_pad_stop_task(trans->srcpad);  // one that the query has just started
  gst_cuda_canny_stop_detector(self);
  GST_PAD_STREAM_UNLOCK(trans->sinkpad);
  return TRUE;
}

// ---- caps ----

static GstCaps* gst_cuda_canny_transform_caps(GstBaseTransform* trans, GstPadDirection direction,
                                              GstCaps* caps, GstCaps* filter) noexcept {
  const bool with_device = !GST_CUDA_CANNY(trans)->on_cpu;
  GstCaps* others = gst_cuda_canny_format_transform_caps(direction, caps, with_device);
  if (filter != nullptr) {
    gst_caps_take(&others, gst_caps_intersect_full(filter, others, GST_CAPS_INTERSECT_FIRST));
  }
  GST_DEBUG_OBJECT(trans, "%s caps %" GST_PTR_FORMAT " allow %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, others);
  return others;
}

static GstCaps* gst_cuda_canny_fixate_caps(GstBaseTransform* trans, GstPadDirection direction,
                                           GstCaps* caps, GstCaps* othercaps) noexcept {
  GstCaps* fixed = gst_cuda_canny_format_fixate_caps(caps, othercaps);
  GST_DEBUG_OBJECT(trans, "%s caps %" GST_PTR_FORMAT " lead to %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, fixed);
  return fixed;
}

static bool gst_cuda_canny_uses_cuda_memory(GstCudaCanny* self) {
  return self->in.memory == canny::Memory::kDevice || self->out.memory == canny::Memory::kDevice;
}

/// The CPU can't take the place of the device where frames are in its memory.
static bool gst_cuda_canny_require_device(GstCudaCanny* self) {
  if (!self->on_cpu) return true;
  GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                    ("Frames in CUDA memory need the CUDA device. Put cudadownload before "
                     "cudacanny."),
                    ("%s", self->detector.info().reason.c_str()));
  return false;
}

/// Has the detector run in the context of the CUDA memory.
static bool gst_cuda_canny_enter_context(GstCudaCanny* self) {
  if (!self->device.ensure(GST_ELEMENT(self), self->options.cuda_device)) {
    GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                      ("There is no CUDA context for frames in CUDA memory. Set cuda-device-id to "
                       "the device of the neighbouring elements, or put cudadownload before "
                       "cudacanny."),
                      ("no context of device %d", self->options.cuda_device));
    return false;
  }
  if (self->options.cuda_context != self->device.handle()) {
    canny::Options options = self->options;
    options.cuda_context = self->device.handle();
    const canny::Status status = gst_cuda_canny_create_detector(self, options);
    if (!status.ok()) {
      post_error(self, status);
      return false;
    }
    gst_cuda_canny_publish_backend(self, self->detector.info(), true);
  }
  return gst_cuda_canny_require_device(self);
}

/// Whether frames come as they are made, so that one kept back comes late.
static bool gst_cuda_canny_is_live(GstCudaCanny* self) {
  GstQuery* query = gst_query_new_latency();
  gboolean is_live = FALSE;
  if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query)) {
    gst_query_parse_latency(query, &is_live, nullptr, nullptr);
  }
  gst_query_unref(query);
  return is_live;
}

static bool gst_cuda_canny_is_pulled(GstCudaCanny* self) {
  return GST_PAD_MODE(GST_BASE_TRANSFORM_SRC_PAD(self)) == GST_PAD_MODE_PULL;
}

/// Whether frames can go on before they are done, as both neighbours know CUDA's streams.
static bool gst_cuda_canny_may_push_unfinished(GstCudaCanny* self) {
  return gst_cuda_canny_device_has_streams() && !gst_cuda_canny_is_pulled(self) &&
         self->in.memory == canny::Memory::kDevice && self->out.memory == canny::Memory::kDevice;
}

/// How many frames are to be in flight, and, in a word, why.
static guint gst_cuda_canny_choose_in_flight(GstCudaCanny* self, const char** why) {
  *why = "the property says so";
  if (gst_cuda_canny_is_pulled(self)) {
    *why = "downstream pulls";
    return 1;
  }
  if (self->wanted_in_flight > 0) return self->wanted_in_flight;
  if (gst_cuda_canny_may_push_unfinished(self)) {
    *why = "downstream gets them at once";
    return kAutoFramesUnfinished;
  }
  if (GST_VIDEO_INFO_FPS_N(&self->in.info) <= 0) {
    *why = "the framerate is unknown";
    return 1;
  }
  const bool is_live = gst_cuda_canny_is_live(self);
  *why = is_live ? "the pipeline is live" : "the pipeline is not live";
  return is_live ? 1 : kAutoFramesInFlight;
}

/// The latency of the frames in flight, which is announced if it is another than before.
static void gst_cuda_canny_set_latency(GstCudaCanny* self) {
  const GstVideoInfo& info = self->in.info;
  GstClockTime latency = 0;
  if (self->exit == Exit::kDone && GST_VIDEO_INFO_FPS_N(&info) > 0) {
    latency = gst_util_uint64_scale(GST_SECOND * (self->flights.count() - 1),
                                    guint64(GST_VIDEO_INFO_FPS_D(&info)),
                                    guint64(GST_VIDEO_INFO_FPS_N(&info)));
  }
  GST_OBJECT_LOCK(self);
  std::swap(self->latency, latency);
  const bool changed = self->latency != latency;
  GST_OBJECT_UNLOCK(self);
  if (changed)
    gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

static void gst_cuda_canny_run_task(gpointer self) noexcept;

static void gst_cuda_canny_start_task(GstCudaCanny* self) {
  if (self->exit == Exit::kAlone || !self->flights.is_open()) return;
  gst_pad_start_task(GST_BASE_TRANSFORM_SRC_PAD(self), gst_cuda_canny_run_task, self, nullptr);
}

static const char* gst_cuda_canny_memory_name(canny::Memory memory) {
  return memory == canny::Memory::kDevice ? "CUDA" : "system";
}

/// Makes the detector and the flights ready for the frames of self->in and self->out.
static bool gst_cuda_canny_configure(GstCudaCanny* self) {
  if (gst_cuda_canny_uses_cuda_memory(self) && !gst_cuda_canny_enter_context(self)) return false;
  const char* why;
  const guint in_flight = gst_cuda_canny_choose_in_flight(self, &why);
  const canny::Status status = self->detector.set_size(
      GST_VIDEO_INFO_WIDTH(&self->in.info), GST_VIDEO_INFO_HEIGHT(&self->in.info), in_flight);
  if (!status.ok()) {
    post_error(self, status);
    return false;
  }
  canny::Info cpu;
  if (gst_cuda_canny_has_fallen_back(self, &cpu)) gst_cuda_canny_report_fallback(self, cpu);
  if (gst_cuda_canny_uses_cuda_memory(self) && !gst_cuda_canny_require_device(self)) return false;
  Exit exit = in_flight > 1 ? Exit::kDone : Exit::kAlone;
  if (gst_cuda_canny_may_push_unfinished(self)) exit = Exit::kUnfinished;
  self->exit = exit;
  self->flights.set_count(in_flight);
  gst_cuda_canny_set_latency(self);
  GST_INFO_OBJECT(self, "from %s memory to %s memory, %u in flight, as %s",
                  gst_cuda_canny_memory_name(self->in.memory),
                  gst_cuda_canny_memory_name(self->out.memory), in_flight, why);
  gst_cuda_canny_start_task(self);
  return true;
}

static gboolean gst_cuda_canny_set_caps(GstBaseTransform* trans, GstCaps* incaps,
                                        GstCaps* outcaps) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (!self->flights.drain()) return FALSE;
  self->n_set_caps++;
  self->in_before = self->in;
  self->out_before = self->out;
  if (!self->in.set(incaps) || !self->out.set(outcaps)) {
    GST_ERROR_OBJECT(self, "invalid caps %" GST_PTR_FORMAT " or %" GST_PTR_FORMAT, incaps, outcaps);
    return FALSE;
  }
  return gst_cuda_canny_configure(self);
}

/// To be called where the base class keeps to the caps it had, as downstream refuses what follows
/// from the new ones, with the number of set_caps() before. The base class would not say so if the
/// old caps came again.
static void gst_cuda_canny_restore_caps(GstCudaCanny* self, guint n_set_caps) {
  if (self->n_set_caps == n_set_caps) return;
  self->in = self->in_before;
  self->out = self->out_before;
  const bool has_caps = GST_VIDEO_INFO_FORMAT(&self->in.info) != GST_VIDEO_FORMAT_UNKNOWN;
  if (has_caps && self->flights.drain()) gst_cuda_canny_configure(self);
}

/// The caps alone decide: an input buffer may be padded.
static gboolean gst_cuda_canny_transform_size(GstBaseTransform*, GstPadDirection, GstCaps*, gsize,
                                              GstCaps* othercaps, gsize* othersize) noexcept {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, othercaps)) return FALSE;
  *othersize = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

// ---- allocation ----

/// A pool for frames of a pad in that memory (transfer full), to be configured.
static GstBufferPool* gst_cuda_canny_new_pool(GstCudaCanny* self, GstPadDirection pad,
                                              canny::Memory memory) {
  return memory == canny::Memory::kDevice ? self->device.new_pool(pad)
                                          : gst_video_buffer_pool_new();
}

/// Whether these are caps of the sink pad, for frames of `*info`.
static bool gst_cuda_canny_is_input(GstCudaCanny* self, const GstCaps* caps, GstVideoInfo* info) {
  if (caps == nullptr || !gst_video_info_from_caps(info, caps)) return false;
  GstCaps* possible = gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(self));
  const bool is_input = gst_caps_is_subset(caps, possible);
  gst_caps_unref(possible);
  return is_input;
}

/// Offers buffers that the device takes frames from at once.
static gboolean gst_cuda_canny_propose_allocation(GstBaseTransform* trans, GstQuery* decide_query,
                                                  GstQuery* query) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query)) {
    return FALSE;
  }
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  GstCaps* caps = nullptr;
  gboolean need_pool = FALSE;
  gst_query_parse_allocation(query, &caps, &need_pool);
  GstVideoInfo info;
  if (self->on_cpu || self->allocator == nullptr || !gst_cuda_canny_is_input(self, caps, &info))
    return TRUE;
  const canny::Memory memory = gst_cuda_canny_format_memory(caps);
  const bool on_device = memory == canny::Memory::kDevice;
  if (on_device && self->device.handle() == nullptr) return TRUE;

  if (!on_device) gst_query_add_allocation_param(query, self->allocator, nullptr);
  const guint min = self->flights.count() + 1;
  guint size = GST_VIDEO_INFO_SIZE(&info);
  GstBufferPool* pool = need_pool ? gst_cuda_canny_new_pool(self, GST_PAD_SINK, memory) : nullptr;
  if (pool == nullptr || gst_cuda_canny_pool_configure(
                             pool, caps, on_device ? nullptr : self->allocator, &size, min, 0)) {
    gst_query_add_allocation_pool(query, pool, size, min, 0);
  }
  gst_clear_object(&pool);
  return TRUE;
}

/// Takes downstream's pool, or one of our own that the device writes frames to at once, and makes
/// it put a GstVideoMeta on its buffers if it can.
static gboolean gst_cuda_canny_decide_allocation(GstBaseTransform* trans,
                                                 GstQuery* query) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  const bool on_device = self->out.memory == canny::Memory::kDevice;
  // What a link that was there before returned is of no use for the new one.
  self->flights.drain();
  self->flights.take_flow();
  GstCaps* caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstBufferPool* pool = nullptr;
  guint size = 0;
  guint min = 0;
  guint max = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  size = MAX(size, GST_VIDEO_INFO_SIZE(&self->out.info));
  const bool serves = pool != nullptr && (!on_device || self->device.is_own_pool(pool)) &&
                      gst_cuda_canny_pool_configure(pool, caps, nullptr, &size, min, max);
  bool is_page_locked = !serves && !on_device && !self->on_cpu;
  if (!serves) {
    gst_clear_object(&pool);
    pool = gst_cuda_canny_new_pool(self, GST_PAD_SRC, self->out.memory);
    min = MAX(min, self->flights.count());
    max = 0;
    if (is_page_locked)
      is_page_locked = gst_cuda_canny_pool_offer_allocator(query, self->allocator);
    gst_cuda_canny_pool_configure(pool, caps, nullptr, &size, min, max);
  }
  GST_INFO_OBJECT(self, "output buffers from %s pool, %s memory",
                  serves ? "downstream's" : "an own",
                  is_page_locked ? "page-locked" : gst_cuda_canny_memory_name(self->out.memory));
  if (offered) {
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  } else {
    gst_query_add_allocation_pool(query, pool, size, min, max);
  }
  gst_object_unref(pool);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

// ---- queries, events, messages ----

static void gst_cuda_canny_add_latency(GstCudaCanny* self, GstQuery* query) {
  gboolean live = FALSE;
  GstClockTime min = 0;
  GstClockTime max = 0;
  gst_query_parse_latency(query, &live, &min, &max);
  GST_OBJECT_LOCK(self);
  const GstClockTime own = self->latency;
  GST_OBJECT_UNLOCK(self);
  GST_DEBUG_OBJECT(self, "own latency %" GST_TIME_FORMAT, GST_TIME_ARGS(own));
  if (max != GST_CLOCK_TIME_NONE) max += own;
  gst_query_set_latency(query, live, min + own, max);
}

static gboolean gst_cuda_canny_query(GstBaseTransform* trans, GstPadDirection direction,
                                     GstQuery* query) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && self->device.answer(GST_ELEMENT(self), query)) {
    return TRUE;
  }
  if (direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED(query)) self->flights.drain();
  const gboolean answered = GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
  const bool is_latency = GST_QUERY_TYPE(query) == GST_QUERY_LATENCY;
  if (answered && is_latency && direction == GST_PAD_SRC) gst_cuda_canny_add_latency(self, query);
  return answered;
}

/// Lets downstream go, and drops what is in flight. Waits for nobody downstream.
static gboolean gst_cuda_canny_start_flush(GstCudaCanny* self, GstEvent* event) {
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  const gboolean handled = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
  self->flights.set_flushing(true);
  gst_cuda_canny_drop_flights(self);
  return handled;
}

/// Drops what was put in flight while the flush began, and goes on.
static gboolean gst_cuda_canny_stop_flush(GstCudaCanny* self, GstEvent* event) {
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  self->flights.set_flushing(true);
  gst_cuda_canny_drop_flights(self);
  self->flights.wait_for_push();
  self->has_dropped = false;
  GST_OBJECT_LOCK(self);
  self->pushed = 0;
  GST_OBJECT_UNLOCK(self);
  const gboolean handled = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
  self->flights.set_flushing(false);
  return handled;
}

/// Upstream learns at the end, if not before, that downstream has failed.
static void gst_cuda_canny_report_flow(GstCudaCanny* self) {
  const GstFlowReturn flow = self->flights.take_flow();
  if (flow == GST_FLOW_NOT_LINKED || flow == GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_ERROR) {
    GST_ELEMENT_FLOW_ERROR(self, flow);
  }
}

static gboolean gst_cuda_canny_take_caps(GstCudaCanny* self, GstEvent* event) {
  const guint n_set_caps = self->n_set_caps;
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  const gboolean handled = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
  if (!handled) gst_cuda_canny_restore_caps(self, n_set_caps);
  return handled;
}

/// What comes after frames in flight waits for them; a flush drops them.
static gboolean gst_cuda_canny_sink_event(GstBaseTransform* trans, GstEvent* event) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_FLUSH_START) return gst_cuda_canny_start_flush(self, event);
  if (type == GST_EVENT_FLUSH_STOP) return gst_cuda_canny_stop_flush(self, event);
  if (GST_EVENT_IS_SERIALIZED(event)) self->flights.drain();
  if (type == GST_EVENT_STREAM_START || type == GST_EVENT_SEGMENT) self->flights.take_flow();
  if (type == GST_EVENT_EOS) gst_cuda_canny_report_flow(self);
  if (type == GST_EVENT_CAPS) return gst_cuda_canny_take_caps(self, event);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
}

/// The base class does not see the frames that the task pushes.
static gboolean gst_cuda_canny_post_message(GstElement* element, GstMessage* message) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(element);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_QOS &&
      GST_MESSAGE_SRC(message) == GST_OBJECT(self)) {
    GstFormat format;
    guint64 processed, dropped;
    gst_message_parse_qos_stats(message, &format, &processed, &dropped);
    GST_OBJECT_LOCK(self);
    processed += self->pushed;
    GST_OBJECT_UNLOCK(self);
    gst_message_set_qos_stats(message, format, processed, dropped);
  }
  return GST_ELEMENT_CLASS(parent_class)->post_message(element, message);
}

// ---- frames ----

/// Metas that hold for the edge map too: those of the same place and size, and those of the
/// stream. Anything that describes memory has another tag.
static gboolean gst_cuda_canny_transform_meta(GstBaseTransform*, GstBuffer*, GstMeta* meta,
                                              GstBuffer*) noexcept {
  static const gchar* const kept[] = {GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR,
                                      GST_META_TAG_VIDEO_ORIENTATION_STR,
                                      GST_META_TAG_VIDEO_COLORSPACE_STR, nullptr};
  const gchar* const* tags = gst_meta_api_type_get_tags(meta->info->api);
  for (; tags != nullptr && *tags != nullptr; tags++) {
    if (!g_strv_contains(kept, *tags)) return FALSE;
  }
  return TRUE;
}

/// Goes where the input is, if that is another CUDA context than before. The detector leaves the
/// old one before its last reference may go.
static void gst_cuda_canny_follow(GstCudaCanny* self, GstBuffer* buffer) {
  const gint device_id = self->options.cuda_device;
  if (!self->device.is_elsewhere(buffer, device_id) || !self->flights.drain()) return;
  GST_INFO_OBJECT(self, "the input is in another CUDA context");
  self->detector = canny::Detector();
  self->options.cuda_context = nullptr;
  self->device.follow(buffer);
  if (gst_cuda_canny_configure(self)) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

/// Lets the controlled properties follow their control sources, and the element follow its input.
static void gst_cuda_canny_before_transform(GstBaseTransform* trans, GstBuffer* buffer) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (self->in.memory == canny::Memory::kDevice) gst_cuda_canny_follow(self, buffer);
  if (trans->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
}

static bool gst_cuda_canny_map_input(GstCudaCanny* self, GstBuffer* buffer,
                                     GstCudaCannyFrame* frame) {
  const Stream& stream = self->in;
  std::string problem;
  if (stream.memory == canny::Memory::kDevice && !self->device.holds(buffer, &problem)) {
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("An input buffer is not in CUDA memory of the element's device. Set "
                       "cuda-device-id to -1, or look at the element upstream of cudacanny."),
                      ("%s", problem.c_str()));
    return false;
  }
  if (frame->map(buffer, stream.info, GST_MAP_READ, stream.memory, &problem)) return true;
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                    ("An input buffer does not hold the frame that its caps promise. Look at the "
                     "element upstream of cudacanny."),
                    ("%s", problem.c_str()));
  return false;
}

/// Readies the output for the detector's next frame.
static canny::Status gst_cuda_canny_map_output(GstCudaCanny* self, GstBuffer* buffer,
                                               GstCudaCannyFrame* frame) {
  const Stream& stream = self->out;
  const bool on_device = stream.memory == canny::Memory::kDevice;
  std::string problem;
  if (on_device && !self->device.holds(buffer, &problem)) {
    return {canny::StatusCode::kInvalidFrame, problem};
  }
  canny::Status filled =
      gst_cuda_canny_frame_fill_chroma(buffer, stream.info, stream.memory, &self->detector);
  if (!filled.ok()) return filled;
  if (frame->map(buffer, stream.info, GST_MAP_WRITE, stream.memory, &problem)) return {};
  return {canny::StatusCode::kInvalidFrame, problem};
}

static bool gst_cuda_canny_ready_output(GstCudaCanny* self, GstBuffer* buffer,
                                        GstCudaCannyFrame* frame) {
  const canny::Status status = gst_cuda_canny_map_output(self, buffer, frame);
  if (status.ok()) return true;
  if (status.code() != canny::StatusCode::kInvalidFrame) {
    post_error(self, status);
    return false;
  }
  GST_ELEMENT_ERROR(self, RESOURCE, WRITE,
                    ("An output buffer can't hold the frame that the caps promise. Look at the "
                     "element downstream of cudacanny, whose buffer pool it is from."),
                    ("%s", status.message().c_str()));
  return false;
}

/// The way of a frame, for the log.
static const char* gst_cuda_canny_path(GstBuffer* buffer, canny::Memory memory) {
  if (memory == canny::Memory::kDevice) return "CUDA";
  return gst_cuda_canny_is_page_locked(gst_buffer_peek_memory(buffer, 0)) ? "page-locked"
                                                                          : "pageable";
}

/// Maps the flight's buffers and begins the work on them.
static bool gst_cuda_canny_begin(GstCudaCanny* self, GstCudaCannyFlight* flight) {
  const GstClockTime begin = gst_util_get_timestamp();
  if (!gst_cuda_canny_map_input(self, flight->input, &flight->in) ||
      !gst_cuda_canny_ready_output(self, flight->output, &flight->out)) {
    flight->unmap();
    return false;
  }
  GST_LOG_OBJECT(self, "from %s to %s memory, on %s",
                 gst_cuda_canny_path(flight->input, self->in.memory),
                 gst_cuda_canny_path(flight->output, self->out.memory),
                 self->on_cpu ? "the CPU" : "the device");
  const canny::Status status = self->detector.submit(gst_cuda_canny_take_params(self),
                                                     flight->in.input(), flight->out.output());
  flight->time = gst_util_get_timestamp() - begin;
  if (status.ok()) return true;
  flight->unmap();
  post_error(self, status);
  return false;
}

namespace {

/// What became of a flight.
struct Landing {
  canny::Status status;
  canny::Result result;
  GstClockTime time = 0;  ///< ns that the element's threads spent on it
  bool fell_back = false;
  canny::Info cpu;  ///< what the detector runs on if it fell back
};

}  // namespace

/// Waits until the oldest flight's work is done.
static void gst_cuda_canny_wait(GstCudaCanny* self, GstCudaCannyFlight* flight, Landing* landing) {
  const GstClockTime begin = gst_util_get_timestamp();
  landing->status = self->detector.wait(&landing->result);
  landing->time = flight->time + gst_util_get_timestamp() - begin;
  landing->fell_back = gst_cuda_canny_has_fallen_back(self, &landing->cpu);
  flight->unmap();
}

/// Counts the frame, or posts why it failed. False if it did.
static bool gst_cuda_canny_report(GstCudaCanny* self, GstBuffer* input, const Landing& landing) {
  if (landing.fell_back) gst_cuda_canny_report_fallback(self, landing.cpu);
  const canny::Status& status = landing.status;
  if (status.ok()) {
    gst_cuda_canny_count_frame(self, landing.time, landing.result);
  } else {
    post_error(self, status, GST_BUFFER_PTS(input));
  }
  return status.ok();
}

/// Takes all frames out of flight. Those that downstream has already are counted, or their errors
/// posted, as of any other frame.
static void gst_cuda_canny_drop_flights(GstCudaCanny* self) {
  struct Dropped {
    GstBuffer* input;
    GstBuffer* output;
    Landing landing;
  };
  std::vector<Dropped> dropped;
  self->flights.drop_all([&](GstCudaCannyFlight* flight) {
    dropped.push_back({flight->input, flight->output, {}});
    if (flight->output == nullptr) {
      gst_cuda_canny_wait(self, flight, &dropped.back().landing);
    } else {
      self->detector.drop();
      flight->unmap();
    }
  });
  for (Dropped& frame : dropped) {
    if (frame.output == nullptr) gst_cuda_canny_report(self, frame.input, frame.landing);
    gst_buffer_unref(frame.input);
    gst_clear_buffer(&frame.output);
  }
}

/// A frame in one go.
static GstFlowReturn gst_cuda_canny_transform(GstBaseTransform* trans, GstBuffer* input,
                                              GstBuffer* output) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  GstCudaCannyFlight flight;
  flight.input = input;
  flight.output = output;
  if (!gst_cuda_canny_begin(self, &flight)) return GST_FLOW_ERROR;
  Landing landing;
  gst_cuda_canny_wait(self, &flight, &landing);
  return gst_cuda_canny_report(self, input, landing) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/// Frames that are dropped leave a mark on the next one.
static GstFlowReturn gst_cuda_canny_submit_input_buffer(GstBaseTransform* trans,
                                                        gboolean is_discont,
                                                        GstBuffer* input) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  const guint n_set_caps = self->n_set_caps;
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(parent_class)->submit_input_buffer(trans, is_discont, input);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    self->has_dropped = true;
  } else if (flow != GST_FLOW_OK) {
    gst_cuda_canny_restore_caps(self, n_set_caps);
  }
  return flow;
}

/// What the base class does to a frame that it pushes, for those that the task pushes.
static void gst_cuda_canny_mark_output(GstCudaCanny* self, GstBuffer* output) {
  GstSegment* segment = &GST_BASE_TRANSFORM(self)->segment;
  if (std::exchange(self->has_dropped, false)) GST_BUFFER_FLAG_SET(output, GST_BUFFER_FLAG_DISCONT);
  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID(output)) {
    segment->position = GST_BUFFER_PTS(output);
    if (GST_BUFFER_DURATION_IS_VALID(output)) segment->position += GST_BUFFER_DURATION(output);
  }
}

/// After the frame that was put in flight last, which a stream of its own does not order: waits
/// until it is done.
static GstFlowReturn gst_cuda_canny_settle(GstCudaCanny* self) {
  if (!self->flights.drain()) return GST_FLOW_FLUSHING;
  const GstFlowReturn flow = self->flights.take_flow();
  return flow == kPostedError ? GST_FLOW_ERROR : flow;
}

/// Leaves the frame, which is in flight, to the task, and its output to the base class. The output
/// is unfinished unless its memory has no stream to tell so with.
static GstFlowReturn gst_cuda_canny_hand_on(GstCudaCanny* self, GstCudaCannyFlight* flight,
                                            GstBuffer** output) {
  *output = std::exchange(flight->output, nullptr);
  flight->out.unmap();
  const bool is_ordered = self->device.mark_unfinished(*output);
  self->flights.commit();
  const GstFlowReturn flow = is_ordered ? GST_FLOW_OK : gst_cuda_canny_settle(self);
  if (flow != GST_FLOW_OK) gst_clear_buffer(output);
  return flow;
}

/// Puts a frame of both buffers (transfer full) in flight. `*output` is what the base class is to
/// push, if it is not for the task.
static GstFlowReturn gst_cuda_canny_launch(GstCudaCanny* self, GstCudaCannyFlight* flight,
                                           GstBuffer* input, GstBuffer* prepared,
                                           GstBuffer** output) {
  flight->input = input;
  flight->output = prepared;
  if (!gst_cuda_canny_begin(self, flight)) {
    gst_buffer_unref(input);
    gst_buffer_unref(prepared);
    return GST_FLOW_ERROR;
  }
  if (self->exit == Exit::kUnfinished) return gst_cuda_canny_hand_on(self, flight, output);
  gst_cuda_canny_mark_output(self, prepared);
  self->flights.commit();
  return GST_FLOW_OK;
}

static GstFlowReturn gst_cuda_canny_generate_output(GstBaseTransform* trans,
                                                    GstBuffer** output) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  GstBaseTransformClass* base = GST_BASE_TRANSFORM_CLASS(parent_class);
  if (self->exit == Exit::kAlone) return base->generate_output(trans, output);
  GstBuffer* input = std::exchange(trans->queued_buf, nullptr);
  if (input == nullptr) return GST_FLOW_OK;
  GstFlowReturn flow = GST_FLOW_OK;
  GstCudaCannyFlight* flight = self->flights.reserve(&flow);
  if (flow == kPostedError) flow = GST_FLOW_ERROR;
  GstBuffer* prepared = nullptr;
  if (flow == GST_FLOW_OK) flow = base->prepare_output_buffer(trans, input, &prepared);
  if (flow == GST_FLOW_OK && prepared != nullptr) {
    return gst_cuda_canny_launch(self, flight, input, prepared, output);
  }
  gst_buffer_unref(input);
  return flow;
}

/// Pushes a frame (transfer full) that is done, unless it has been pushed before.
static GstFlowReturn gst_cuda_canny_push(GstCudaCanny* self, GstBuffer* output) {
  if (output == nullptr) return GST_FLOW_OK;
  GST_OBJECT_LOCK(self);
  self->pushed++;
  GST_OBJECT_UNLOCK(self);
  return gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), output);
}

/// Waits for the oldest frame in flight, and pushes it if nobody has.
static void gst_cuda_canny_run_task(gpointer data) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(data);
  GstCudaCannyFlight* flight = self->flights.front();
  if (flight == nullptr) {
    gst_pad_pause_task(GST_BASE_TRANSFORM_SRC_PAD(self));
    gst_cuda_canny_start_task(self);  // one that came too early, before the pause, is lost
    return;
  }
  Landing landing;
  gst_cuda_canny_wait(self, flight, &landing);
  GstBuffer* const input = flight->input;
  GstBuffer* output = flight->output;
  self->flights.pop();
  const bool done = gst_cuda_canny_report(self, input, landing);
  gst_buffer_unref(input);
  if (!done || self->flights.has_flushed()) gst_clear_buffer(&output);
  self->flights.end_push(done ? gst_cuda_canny_push(self, output) : kPostedError);
}

/// The task ends before the pad does, and goes on with it.
static gboolean gst_cuda_canny_activate_src(GstPad* pad, GstObject* parent, GstPadMode mode,
                                            gboolean active) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(parent);
  if (mode == GST_PAD_MODE_PUSH) {
    self->flights.set_active(active);
    if (!active) gst_pad_stop_task(pad);
    // The streaming thread may wait for a buffer of a pool, all of which are in flight.
    gst_cuda_canny_drop_flights(self);
    if (active) gst_cuda_canny_start_task(self);
  }
  return self->activate_src(pad, parent, mode, active);
}

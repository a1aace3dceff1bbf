// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element "cudacanny": its type, properties and negotiation.

/**
 * SECTION:element-cudacanny
 * @title: cudacanny
 * @short_description: Canny edge detection
 *
 * Detects the edges of video frames with Canny's algorithm: Gaussian blur, gradient, non-maximum
 * suppression, double threshold, hysteresis. Edges are white on black in all of the element's
 * formats, and neutral in color: 255 in luma, 128 in chroma. Only the luma of YUV input is
 * used. #GstCudaCanny:luma-depth says how many bits of deep input count. CUDA, OpenCL and the CPU
 * give the same bytes.
 *
 * The operator that computes the gradient is a choice (#GstCudaCanny:operator), and thresholds are
 * constants or follow from the pixels of each frame (#GstCudaCanny:threshold-mode). Each output
 * buffer has a #GstCustomMeta named `cudacanny` with the thresholds and the number of edge pixels
 * of its frame.
 *
 * Instead of the edges alone, the output can show the input with its edges, or a step on the way to
 * them (#GstCudaCanny:output).
 *
 * Presets (#GstPreset) set all properties of the edges and the output: some imitate other
 * detectors, some suit a kind of video. A preset does not change where and how the edges are
 * computed.
 *
 * Without a usable CUDA device, the element runs on an OpenCL GPU or, if there is none, on the CPU;
 * the CPU also takes over from a device that fails. #GstCudaCanny:stats tells which backend is in
 * use and why. Frames in CUDA memory (`memory:CUDAMemory`) stay on the device. For frames in system
 * memory, the element offers page-locked buffers and keeps several frames in flight
 * (#GstCudaCanny:frames-in-flight).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc ! cudacanny ! autovideosink
 * ]| Shows the edges of the test pattern.
 * |[
 * gst-launch-1.0 filesrc location=video.avi ! decodebin ! cudacanny sigma=2 low-threshold=20
 * high-threshold=60 ! autovideosink
 * ]| Shows the edges of a video file, with more blur and lower thresholds than the defaults.
 * |[
 * gst-launch-1.0 v4l2src ! cudacanny threshold-mode=median ! autovideosink
 * ]| Shows the edges of a camera's video, with thresholds that follow the brightness.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacanny output=overlay edge-color=0xff00ff00 ! autovideosink
 * ]| Shows the test pattern with its edges in green.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacanny \@preset=opencv ! autovideosink
 * ]| Shows the edges that OpenCV's `Canny` finds in the test pattern.
 * |[
 * gst-launch-1.0 filesrc location=video.mp4 ! qtdemux ! h264parse ! nvh264dec ! cudacanny !
 * cudadownload ! autovideosink
 * ]| Decodes a video and finds its edges; frames stay on the GPU in between.
 *
 * Since: 0.1
 */

#include "gstcudacanny.h"

#include <gst/video/video.h>

#include <new>
#include <utility>

#include "allocation.h"
#include "config.h"
#include "element.h"
#include "gstcudacannyhostallocator.h"
#include "message.h"
#include "meta.h"
#include "queue_depth.h"
#include "refusal.h"

GST_DEBUG_CATEGORY(gst_cuda_canny_debug);

static void gst_cuda_canny_preset_init(gpointer preset, gpointer) noexcept {
  static_cast<GstPresetInterface*>(preset)->get_property_names =
      gst_cuda_canny_properties_in_presets;
}

#define gst_cuda_canny_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE(GstCudaCanny, gst_cuda_canny, GST_TYPE_CUDA_CANNY_ASYNC_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(gst_cuda_canny_debug, "cudacanny", 0,
                                                "Canny edge detector");
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, gst_cuda_canny_preset_init))
GST_ELEMENT_REGISTER_DEFINE(cudacanny, "cudacanny", GST_RANK_NONE, GST_TYPE_CUDA_CANNY)

// ---- properties ----

/// Posts a warning, or logs one while the element has no bus: a property keeps its value, because
/// the new one has this problem.
static void gst_cuda_canny_report_refused(GstElement* element, const char* property,
                                          const char* problem) {
  g_autoptr(GstBus) bus = gst_element_get_bus(element);
  if (bus == nullptr) {
    g_warning("Property %s keeps its value: %s", property, problem);
    return;
  }
  GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS,
                      ("Property %s keeps its value: %s", property, problem), (nullptr));
}

static void gst_cuda_canny_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* pspec) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  GstCudaCannySet result = gst_cuda_canny_properties_read(id, pspec, value);
  GST_OBJECT_LOCK(self);
  const bool kept_format = canny::shows_input(self->settings.params.view);
  self->settings.set(id, &result);
  const bool keeps_format = canny::shows_input(self->settings.params.view);
  const bool warn = result.problem.empty() && self->settings.is_first_late_set(pspec);
  GST_OBJECT_UNLOCK(self);
  if (keeps_format != kept_format) gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
  for (const char* follower : result.followers)
    if (follower != nullptr) g_object_notify(object, follower);

  if (!result.problem.empty()) {
    gst_cuda_canny_report_refused(GST_ELEMENT(self), pspec->name, result.problem.c_str());
  }
  if (warn) {
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS,
                        ("Property %s takes effect at the next start. Set the element to READY "
                         "and back to apply it.",
                         pspec->name),
                        ("%s was set in PAUSED or PLAYING but is read in READY", pspec->name));
  }
}

static void gst_cuda_canny_get_property(GObject* object, guint id, GValue* value,
                                        GParamSpec*) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  GST_OBJECT_LOCK(self);
  if (id == GST_CUDA_CANNY_PROP_STATS) {
    g_value_take_boxed(value, self->stats.to_structure());
  } else {
    self->settings.get(id, value);
  }
  GST_OBJECT_UNLOCK(self);
}

/// Takes the settings that are read at a start. From here on, changing one is too late.
static void gst_cuda_canny_take_start_settings(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  self->settings.started = true;
  self->settings.since_start = {};
  static_cast<GstCudaCannyStartSettings&>(*self) = self->settings;
  GST_OBJECT_UNLOCK(self);
}

/// Allows these settings to change again.
static void gst_cuda_canny_release_start_settings(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  self->settings.started = false;
  GST_OBJECT_UNLOCK(self);
}

// ---- start and stop ----

bool gst_cuda_canny_has_fallen_back(GstCudaCanny* self, canny::Info* info) {
  const canny::Backend backend = self->detector.info().backend;
  if (backend != canny::Backend::kCpu || self->backend == backend) return false;
  *info = self->detector.info();
  return true;
}

void gst_cuda_canny_report_fallback(GstCudaCanny* self, const canny::Info& info) {
  const canny::Backend failed = self->backend.exchange(info.backend);
  self->stats.change_backend(info);
  const char* text = failed == canny::Backend::kOpenCl
                         ? "The OpenCL device failed and the CPU took over. Restart the pipeline "
                           "to try the device again."
                         : "The CUDA device failed and the CPU took over. Restart the pipeline to "
                           "try the device again.";
  GST_ELEMENT_WARNING(self, RESOURCE, FAILED, ("%s", text), ("%s", info.reason.c_str()));
}

static void gst_cuda_canny_set_context(GstElement* element, GstContext* context) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(element);
  GST_OBJECT_LOCK(self);
  const gint device_id = self->settings.options.cuda_device;
  GST_OBJECT_UNLOCK(self);
  self->device.set_context(element, context, device_id);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

/// Replaces the detector and its allocator with ones for these options.
static canny::Status gst_cuda_canny_create_detector(GstCudaCanny* self,
                                                    const canny::Options& options) {
  canny::Detector detector;
  const canny::Status status = canny::Detector::create(options, &detector);
  if (!status.ok()) return status;
  self->detector = std::move(detector);
  self->options = options;
  const canny::Info& info = self->detector.info();
  self->backend = info.backend;
  self->zero_copy_alignment = info.zero_copy_alignment;
  gst_clear_object(&self->allocator);
  if (info.backend == canny::Backend::kCuda) {
    self->allocator = gst_cuda_canny_host_allocator_new(info.cuda_device);
  }
  GST_INFO_OBJECT(self, "backend %s on %s: %s", canny::name(info.backend), info.device.c_str(),
                  info.reason.c_str());
  return status;
}

static bool gst_cuda_canny_start_work(GstCudaCannyAsyncTransform* async) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  gst_cuda_canny_take_start_settings(self);
  const canny::Status status = gst_cuda_canny_create_detector(self, self->options);
  if (!status.ok()) {
    gst_cuda_canny_release_start_settings(self);
    self->stats.fail_start(status.message());
    gst_cuda_canny_post_error(GST_ELEMENT(self), status, self->options.backend);
    return false;
  }
  self->stats.start(self->detector.info());
  return true;
}

static void gst_cuda_canny_stop_work(GstCudaCannyAsyncTransform* async) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  self->detector = canny::Detector();
  self->device.release();
  gst_clear_object(&self->allocator);
  self->backend = canny::Backend::kAuto;
  gst_cuda_canny_release_start_settings(self);
  self->stats.stop();
}

// ---- caps ----

static GstCaps* gst_cuda_canny_transform_caps(GstBaseTransform* trans, GstPadDirection direction,
                                              GstCaps* caps, GstCaps* filter) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  GST_OBJECT_LOCK(self);
  const bool keeps_format = canny::shows_input(self->settings.params.view);
  GST_OBJECT_UNLOCK(self);
  GstCaps* others = gst_cuda_canny_format_transform_caps(
      direction, caps, gst_cuda_canny_may_use_cuda_memory(self), keeps_format);
  if (filter != nullptr) {
    gst_caps_take(&others, gst_caps_intersect_full(filter, others, GST_CAPS_INTERSECT_FIRST));
  }
  GST_DEBUG_OBJECT(trans, "%s caps %" GST_PTR_FORMAT " allow %" GST_PTR_FORMAT,
                   direction == GST_PAD_SINK ? "sink" : "src", caps, others);
  return others;
}

/// The base class alone would accept caps without a format or a size.
static gboolean gst_cuda_canny_accept_caps(GstBaseTransform* trans, GstPadDirection direction,
                                           GstCaps* caps) noexcept {
  return GST_BASE_TRANSFORM_CLASS(parent_class)->accept_caps(trans, direction, caps) &&
         gst_cuda_canny_format_missing_field(caps) == nullptr;
}

/// The base class calls this for caps of the sink pad only.
static GstCaps* gst_cuda_canny_fixate_caps(GstBaseTransform* trans, GstPadDirection direction,
                                           GstCaps* caps, GstCaps* othercaps) noexcept {
  // Without a peer, the base class offers the input's caps alone.
  if (!gst_pad_is_linked(GST_BASE_TRANSFORM_SRC_PAD(trans))) {
    gst_caps_take(&othercaps, gst_cuda_canny_transform_caps(trans, direction, caps, nullptr));
  }
  GstCaps* fixed = gst_cuda_canny_format_fixate_caps(caps, othercaps);
  GST_DEBUG_OBJECT(trans, "sink caps %" GST_PTR_FORMAT " lead to %" GST_PTR_FORMAT, caps, fixed);
  return fixed;
}

static bool gst_cuda_canny_uses_cuda_memory(GstCudaCanny* self) {
  return self->in.memory == canny::Memory::kDevice || self->out.memory == canny::Memory::kDevice;
}

/// False, after an error message, unless the detector runs on CUDA: the others can't reach CUDA
/// memory.
static bool gst_cuda_canny_require_device(GstCudaCanny* self) {
  if (gst_cuda_canny_may_use_cuda_memory(self)) return true;
  GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                    ("Frames in CUDA memory need the CUDA device. Put cudadownload before "
                     "cudacanny."),
                    ("%s", self->detector.info().reason.c_str()));
  return false;
}

/// Makes the detector run in the context of the CUDA memory.
static bool gst_cuda_canny_enter_context(GstCudaCanny* self) {
  if (!self->device.ensure(GST_ELEMENT(self), self->options.cuda_device)) {
    GST_ELEMENT_ERROR(self, RESOURCE, NOT_FOUND,
                      ("No CUDA context was found for frames in CUDA memory. Set cuda-device-id to "
                       "the device of the neighboring elements, or put cudadownload before "
                       "cudacanny."),
                      ("no context of device %d", self->options.cuda_device));
    return false;
  }
  if (self->options.cuda_context != self->device.handle()) {
    canny::Options options = self->options;
    options.cuda_context = self->device.handle();
    const canny::Status status = gst_cuda_canny_create_detector(self, options);
    if (!status.ok()) {
      gst_cuda_canny_post_error(GST_ELEMENT(self), status, self->backend);
      return false;
    }
    self->stats.change_backend(self->detector.info());
  }
  return gst_cuda_canny_require_device(self);
}

static bool gst_cuda_canny_take_caps(GstCudaCannyAsyncTransform* async, GstCaps* incaps,
                                     GstCaps* outcaps) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  if (self->in.set(incaps) && self->out.set(outcaps)) return true;
  GST_ERROR_OBJECT(self, "invalid caps %" GST_PTR_FORMAT " or %" GST_PTR_FORMAT, incaps, outcaps);
  return false;
}

/// Makes the detector ready for the frames of self->in and self->out.
static bool gst_cuda_canny_configure(GstCudaCannyAsyncTransform* async) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  if (gst_cuda_canny_uses_cuda_memory(self) && !gst_cuda_canny_enter_context(self)) return false;
  const GstVideoInfo& info = self->in.info;
  const GstCudaCannyQueueDepth in_flight = gst_cuda_canny_choose_queue_depth(
      GST_BASE_TRANSFORM(self), self->in, self->out, self->frames_in_flight,
      self->contours > 0 || self->components > 0);
  const canny::Status status = self->detector.set_size(
      GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info), in_flight.count);
  if (!status.ok()) {
    gst_cuda_canny_post_error(GST_ELEMENT(self), status, self->backend);
    return false;
  }
  canny::Info cpu;
  if (gst_cuda_canny_has_fallen_back(self, &cpu)) gst_cuda_canny_report_fallback(self, cpu);
  if (gst_cuda_canny_uses_cuda_memory(self) && !gst_cuda_canny_require_device(self)) return false;
  GST_INFO_OBJECT(self, "from %s memory to %s memory, %u in flight: %s",
                  gst_cuda_canny_format_memory_name(self->in.memory),
                  gst_cuda_canny_format_memory_name(self->out.memory), in_flight.count,
                  in_flight.why);
  gst_cuda_canny_async_transform_set_exit(async, in_flight.exit, in_flight.count,
                                          GST_VIDEO_INFO_FPS_N(&info), GST_VIDEO_INFO_FPS_D(&info));
  return true;
}

// ---- allocation and queries ----

static GstCudaCannyAllocation gst_cuda_canny_allocation(GstCudaCanny* self) {
  const bool is_on_cpu = self->backend == canny::Backend::kCpu;
  return {&self->device, is_on_cpu ? nullptr : self->allocator,
          is_on_cpu ? 0 : self->zero_copy_alignment,
          gst_cuda_canny_async_transform_in_flight(GST_CUDA_CANNY_ASYNC_TRANSFORM(self))};
}

static gboolean gst_cuda_canny_propose_allocation(GstBaseTransform* trans, GstQuery* decide_query,
                                                  GstQuery* query) noexcept {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query)) {
    return FALSE;
  }
  gst_cuda_canny_allocation(GST_CUDA_CANNY(trans)).offer(query);
  return TRUE;
}

static void gst_cuda_canny_choose_pool(GstCudaCannyAsyncTransform* async,
                                       GstQuery* query) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(async);
  gst_cuda_canny_allocation(self).choose_pool(GST_ELEMENT(self), self->out, query);
}

static gboolean gst_cuda_canny_query(GstBaseTransform* trans, GstPadDirection direction,
                                     GstQuery* query) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && self->device.answer(GST_ELEMENT(self), query)) {
    return TRUE;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
}

// ---- frames ----

/// Follows the input into another CUDA context. The detector leaves the old one before the last
/// reference to it may go.
static void gst_cuda_canny_follow(GstCudaCanny* self, GstBuffer* buffer) {
  const gint device_id = self->options.cuda_device;
  GstCudaCannyAsyncTransform* async = GST_CUDA_CANNY_ASYNC_TRANSFORM(self);
  if (!self->device.is_elsewhere(buffer, device_id) ||
      !gst_cuda_canny_async_transform_configure_again(async))
    return;
  GST_INFO_OBJECT(self, "the input is in another CUDA context");
  self->detector = canny::Detector();
  self->options.cuda_context = nullptr;
  self->device.follow(buffer);
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(self));
}

/// Updates the controlled properties, and follows the input into its CUDA context.
static void gst_cuda_canny_before_transform(GstBaseTransform* trans, GstBuffer* buffer) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (self->in.memory == canny::Memory::kDevice) gst_cuda_canny_follow(self, buffer);
  if (trans->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
}

// ---- the class ----

static void gst_cuda_canny_finalize(GObject* object) noexcept {
  GST_CUDA_CANNY(object)->GstCudaCannyMembers::~GstCudaCannyMembers();
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

static void gst_cuda_canny_add_pad_templates(GstElementClass* klass) {
  for (const GstPadDirection direction : {GST_PAD_SINK, GST_PAD_SRC}) {
    g_autoptr(GstCaps) caps = gst_cuda_canny_format_template_caps(direction);
    gst_element_class_add_pad_template(
        klass, gst_pad_template_new(direction == GST_PAD_SINK ? "sink" : "src", direction,
                                    GST_PAD_ALWAYS, caps));
  }
}

static void gst_cuda_canny_class_init(GstCudaCannyClass* klass) {
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = gst_cuda_canny_set_property;
  object_class->get_property = gst_cuda_canny_get_property;
  object_class->finalize = gst_cuda_canny_finalize;
  gst_cuda_canny_properties_install(object_class);
  gst_cuda_canny_meta_register();

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->set_context = GST_DEBUG_FUNCPTR(gst_cuda_canny_set_context);
  gst_element_class_set_static_metadata(
      element_class, "Canny edge detector", "Filter/Effect/Video",
      "Detects edges with Canny's algorithm on a GPU (CUDA or OpenCL) or on the CPU",
      "The cudacanny authors");
  gst_element_class_add_static_metadata(element_class, GST_ELEMENT_METADATA_DOC_URI,
                                        CUDA_CANNY_DOC_URI);
  gst_cuda_canny_add_pad_templates(element_class);

  GstBaseTransformClass* trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->passthrough_on_same_caps = FALSE;
  trans_class->transform_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_caps);
  trans_class->accept_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_accept_caps);
  trans_class->fixate_caps = GST_DEBUG_FUNCPTR(gst_cuda_canny_fixate_caps);
  trans_class->propose_allocation = GST_DEBUG_FUNCPTR(gst_cuda_canny_propose_allocation);
  trans_class->query = GST_DEBUG_FUNCPTR(gst_cuda_canny_query);
  trans_class->before_transform = GST_DEBUG_FUNCPTR(gst_cuda_canny_before_transform);

  GstCudaCannyAsyncTransformClass* async_class = GST_CUDA_CANNY_ASYNC_TRANSFORM_CLASS(klass);
  async_class->start_work = gst_cuda_canny_start_work;
  async_class->stop_work = gst_cuda_canny_stop_work;
  async_class->take_caps = gst_cuda_canny_take_caps;
  async_class->configure = gst_cuda_canny_configure;
  async_class->choose_pool = gst_cuda_canny_choose_pool;
  gst_cuda_canny_recipe_install(async_class);
}

static void gst_cuda_canny_init(GstCudaCanny* self) {
  new (static_cast<GstCudaCannyMembers*>(self)) GstCudaCannyMembers();
  GstBaseTransform* trans = GST_BASE_TRANSFORM(self);
  gst_base_transform_set_gap_aware(trans, TRUE);
  gst_base_transform_set_qos_enabled(trans, TRUE);
  gst_cuda_canny_explain_refusals(trans);
}

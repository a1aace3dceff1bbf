// SPDX-License-Identifier: LGPL-2.1-or-later
/// The element "cudacanny": takes its settings, maps its buffers and hands them to the detector.

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
 * Without a usable CUDA device the element runs on the CPU; #GstCudaCanny:stats tells which of
 * the two and why.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc ! cudacanny ! autovideosink
 * ]| Shows the edges of the test pattern.
 * |[
 * gst-launch-1.0 filesrc location=video.avi ! decodebin ! cudacanny sigma=2 low-threshold=20
 * high-threshold=60 ! autovideosink
 * ]| Shows the edges of a video file, with more blur and more sensitive than the defaults.
 *
 * Since: 0.1
 */

#include "gstcudacanny.h"

#include <gst/video/video.h>

#include <new>
#include <string>
#include <utility>

#include "canny.h"
#include "gstcudacannyformat.h"
#include "gstcudacannyframe.h"

GST_DEBUG_CATEGORY_STATIC(gst_cuda_canny_debug);
#define GST_CAT_DEFAULT gst_cuda_canny_debug

enum {
  PROP_0,
  PROP_LOW_THRESHOLD,
  PROP_HIGH_THRESHOLD,
  PROP_SIGMA,
  PROP_HYSTERESIS_PASSES,
  PROP_NORM,
  PROP_BACKEND,
  PROP_CUDA_DEVICE_ID,
  PROP_N_THREADS,
  PROP_STATS,
};

#define DEFAULT_LOW_THRESHOLD 50.0
#define DEFAULT_HIGH_THRESHOLD 150.0
#define DEFAULT_SIGMA 1.4
#define DEFAULT_HYSTERESIS_PASSES 0
#define DEFAULT_NORM GST_CUDA_CANNY_NORM_L2
#define DEFAULT_BACKEND GST_CUDA_CANNY_BACKEND_AUTO
#define DEFAULT_CUDA_DEVICE_ID -1
#define DEFAULT_N_THREADS 0
#define MAX_N_THREADS 1024

namespace {

/// What the properties say.
struct Settings {
  canny::Params params;
  canny::Options options;
  bool started = false;  ///< options have been read, a change waits for the next start
  guint warned = 0;      ///< bit n: property n was set too late, and a warning said so
};

/// What "stats" says.
struct Stats {
  std::string backend = "none";
  std::string device;
  std::string reason = "the element is not started";
  guint64 frames = 0;       ///< since the last start
  GstClockTime last = 0;    ///< ns the last frame took
  GstClockTime total = 0;   ///< ns all frames took
  guint64 edge_pixels = 0;  ///< of the last frame
};

}  // namespace

struct _GstCudaCanny {
  GstBaseTransform parent;

  // Under the object lock.
  Settings settings;
  Stats stats;

  // Of the streaming thread, or of start() and stop() while there is none.
  canny::Detector detector;
  GstVideoInfo in_info;
  GstVideoInfo out_info;
};

#define gst_cuda_canny_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE(GstCudaCanny, gst_cuda_canny, GST_TYPE_BASE_TRANSFORM,
                        GST_DEBUG_CATEGORY_INIT(gst_cuda_canny_debug, "cudacanny", 0,
                                                "Canny edge detector"))
GST_ELEMENT_REGISTER_DEFINE(cudacanny, "cudacanny", GST_RANK_NONE, GST_TYPE_CUDA_CANNY)

GType gst_cuda_canny_norm_get_type(void) {
  static const GEnumValue values[] = {
      {GST_CUDA_CANNY_NORM_L2, "L2: root of the sum of squares", "l2"},
      {GST_CUDA_CANNY_NORM_L1, "L1: sum of absolute values", "l1"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static("GstCudaCannyNorm", values);
  return type;
}

GType gst_cuda_canny_backend_get_type(void) {
  static const GEnumValue values[] = {
      {GST_CUDA_CANNY_BACKEND_AUTO, "CUDA where a usable device is found, else the CPU", "auto"},
      {GST_CUDA_CANNY_BACKEND_CUDA, "CUDA device", "cuda"},
      {GST_CUDA_CANNY_BACKEND_CPU, "CPU", "cpu"},
      {0, nullptr, nullptr},
  };
  static const GType type = g_enum_register_static("GstCudaCannyBackend", values);
  return type;
}

namespace {

/// What a message says besides the debug details: where the fault lies and what the user can do.
struct Advice {
  GQuark domain;
  gint code;
  const char* text;
};

Advice start_advice(canny::StatusCode code) {
  const auto not_found = [](const char* text) {
    return Advice{GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, text};
  };
  switch (code) {
    case canny::StatusCode::kBackendNotBuilt:
      return not_found(
          "This build of the plugin has no CUDA backend. Set backend=auto or backend=cpu, or "
          "install one that has it.");
    case canny::StatusCode::kNoDriver:
      return not_found(
          "There is no NVIDIA driver. Install one, or set backend=auto or backend=cpu.");
    case canny::StatusCode::kDriverTooOld:
      return not_found(
          "The NVIDIA driver is older than the CUDA runtime of this plugin. Update the driver, or "
          "set backend=auto or backend=cpu.");
    case canny::StatusCode::kNoDevice:
      return not_found("There is no CUDA device. Set backend=auto or backend=cpu.");
    case canny::StatusCode::kDeviceOutOfRange:
      return not_found(
          "There is no CUDA device of that id. Set cuda-device-id=-1 for the first usable one, or "
          "set backend=auto or backend=cpu.");
    default:
      return not_found(
          "The CUDA device can't run this plugin. Set cuda-device-id to another one, or set "
          "backend=auto or backend=cpu.");
  }
}

Advice advice(canny::StatusCode code, bool on_cpu) {
  switch (code) {
    case canny::StatusCode::kInvalidParams:
    case canny::StatusCode::kInvalidOptions:
      return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
              "A property has a value that the detector refuses. Set it to one in its range."};
    case canny::StatusCode::kOutOfMemory:
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
              on_cpu ? "The memory does not suffice. Scale the video down."
                     : "The memory does not suffice. Scale the video down, or set backend=cpu."};
    case canny::StatusCode::kDeviceFailure:
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
              on_cpu ? "The detector's threads failed. Restart the pipeline."
                     : "The CUDA device failed. Restart the pipeline, or set backend=cpu."};
    case canny::StatusCode::kOk:
    case canny::StatusCode::kInvalidSize:
    case canny::StatusCode::kInvalidFrame:
    case canny::StatusCode::kNotConfigured:
      return {GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
              "The detector refuses a frame. Look at the buffers of the neighbouring elements."};
    default:
      return start_advice(code);
  }
}

void post_error(GstCudaCanny* self, const canny::Status& status) {
  const bool on_cpu = self->detector.info().backend == canny::Backend::kCpu;
  const Advice told = advice(status.code(), on_cpu);
  gst_element_message_full(GST_ELEMENT(self), GST_MESSAGE_ERROR, told.domain, told.code,
                           g_strdup(told.text), g_strdup(status.message().c_str()), __FILE__,
                           GST_FUNCTION, __LINE__);
}

canny::Norm to_norm(gint value) {
  return value == GST_CUDA_CANNY_NORM_L1 ? canny::Norm::kL1 : canny::Norm::kL2;
}

gint from_norm(canny::Norm norm) {
  return norm == canny::Norm::kL1 ? GST_CUDA_CANNY_NORM_L1 : GST_CUDA_CANNY_NORM_L2;
}

canny::Backend to_backend(gint value) {
  switch (value) {
    case GST_CUDA_CANNY_BACKEND_CUDA:
      return canny::Backend::kCuda;
    case GST_CUDA_CANNY_BACKEND_CPU:
      return canny::Backend::kCpu;
    default:
      return canny::Backend::kAuto;
  }
}

gint from_backend(canny::Backend backend) {
  switch (backend) {
    case canny::Backend::kCuda:
      return GST_CUDA_CANNY_BACKEND_CUDA;
    case canny::Backend::kCpu:
      return GST_CUDA_CANNY_BACKEND_CPU;
    default:
      return GST_CUDA_CANNY_BACKEND_AUTO;
  }
}

GstStructure* to_structure(const Stats& stats) {
  return gst_structure_new(
      "application/x-cudacanny-stats", "backend", G_TYPE_STRING, stats.backend.c_str(), "device",
      G_TYPE_STRING, stats.device.c_str(), "reason", G_TYPE_STRING, stats.reason.c_str(), "frames",
      G_TYPE_UINT64, stats.frames, "last-time", G_TYPE_UINT64, stats.last, "mean-time",
      G_TYPE_UINT64, stats.frames > 0 ? stats.total / stats.frames : 0, "edge-pixels",
      G_TYPE_UINT64, stats.edge_pixels, static_cast<void*>(nullptr));
}

}  // namespace

// Callbacks are noexcept: out of memory, the only exception there could be, ends the process, as
// it does in GLib.

static void gst_cuda_canny_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* pspec) noexcept;
static void gst_cuda_canny_get_property(GObject* object, guint id, GValue* value,
                                        GParamSpec* pspec) noexcept;
static void gst_cuda_canny_finalize(GObject* object) noexcept;
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
static gboolean gst_cuda_canny_transform_meta(GstBaseTransform* trans, GstBuffer* outbuf,
                                              GstMeta* meta, GstBuffer* inbuf) noexcept;
static void gst_cuda_canny_before_transform(GstBaseTransform* trans, GstBuffer* buffer) noexcept;
static GstFlowReturn gst_cuda_canny_transform(GstBaseTransform* trans, GstBuffer* inbuf,
                                              GstBuffer* outbuf) noexcept;

/// Flags of what may change from frame to frame, and of what is read at a start.
static constexpr GParamFlags kLive =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE |
                             GST_PARAM_MUTABLE_PLAYING);
static constexpr GParamFlags kAtStart =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

static void gst_cuda_canny_install_thresholds(GObjectClass* klass) {
  /**
   * GstCudaCanny:low-threshold:
   *
   * Gradient magnitude that an edge pixel exceeds, in the units of OpenCV's Canny.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_LOW_THRESHOLD,
      g_param_spec_double("low-threshold", "Low threshold",
                          "Gradient magnitude that every edge pixel exceeds, in units of the 3x3 "
                          "Sobel operator on 8-bit luma (0 to 32767); swapped with high-threshold "
                          "if it is the larger one",
                          0, canny::kMaxThreshold, DEFAULT_LOW_THRESHOLD, kLive));

  /**
   * GstCudaCanny:high-threshold:
   *
   * Gradient magnitude that one pixel of every edge exceeds, in the units of OpenCV's Canny.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_HIGH_THRESHOLD,
      g_param_spec_double("high-threshold", "High threshold",
                          "Gradient magnitude that a pixel exceeds which starts an edge, in units "
                          "of the 3x3 Sobel operator on 8-bit luma (0 to 32767); swapped with "
                          "low-threshold if it is the smaller one",
                          0, canny::kMaxThreshold, DEFAULT_HIGH_THRESHOLD, kLive));
}

static void gst_cuda_canny_install_blur_norm_hysteresis(GObjectClass* klass) {
  /**
   * GstCudaCanny:sigma:
   *
   * Standard deviation of the Gaussian blur in pixels.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_SIGMA,
      g_param_spec_double(
          "sigma", "Sigma",
          "Standard deviation of the Gaussian blur in pixels (0 to 20, 0 = no blur)", 0,
          canny::kMaxSigma, DEFAULT_SIGMA, kLive));

  /**
   * GstCudaCanny:hysteresis-passes:
   *
   * Passes of the hysteresis over tiles of 32x32 pixels, 0 for the complete result.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_HYSTERESIS_PASSES,
      g_param_spec_uint("hysteresis-passes", "Hysteresis passes",
                        "Number of hysteresis passes over tiles of 32x32 pixels (0 to 64, 0 = "
                        "until stable)",
                        0, canny::kMaxHysteresisPasses, DEFAULT_HYSTERESIS_PASSES, kLive));

  /**
   * GstCudaCanny:norm:
   *
   * How the gradient is measured.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_NORM,
      g_param_spec_enum("norm", "Norm",
                        "How the gradient magnitude, in units of the 3x3 Sobel operator, is "
                        "measured (l2 or l1)",
                        GST_TYPE_CUDA_CANNY_NORM, DEFAULT_NORM, kLive));
}

static void gst_cuda_canny_install_start_properties(GObjectClass* klass) {
  /**
   * GstCudaCanny:backend:
   *
   * What the edges are detected on. Read when the element starts.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_BACKEND,
      g_param_spec_enum("backend", "Backend",
                        "What edges are detected on (auto, cuda or cpu; auto = CUDA where a usable "
                        "device is found, else the CPU); read at the next start",
                        GST_TYPE_CUDA_CANNY_BACKEND, DEFAULT_BACKEND, kAtStart));

  /**
   * GstCudaCanny:cuda-device-id:
   *
   * Which CUDA device is used. Read when the element starts.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_CUDA_DEVICE_ID,
      g_param_spec_int("cuda-device-id", "CUDA device id",
                       "Id of the CUDA device, as CUDA counts them (-1 to 2147483647, -1 = the "
                       "first usable one); read at the next start",
                       -1, G_MAXINT, DEFAULT_CUDA_DEVICE_ID, kAtStart));

  /**
   * GstCudaCanny:n-threads:
   *
   * Threads of the CPU backend. Read when the element starts.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_N_THREADS,
      g_param_spec_uint("n-threads", "Threads",
                        "Number of threads of the CPU backend (0 to 1024, 0 = one for each core); "
                        "read at the next start",
                        0, MAX_N_THREADS, DEFAULT_N_THREADS, kAtStart));
}

static void gst_cuda_canny_install_stats(GObjectClass* klass) {
  /**
   * GstCudaCanny:stats:
   *
   * What the element runs on and what it has done: a #GstStructure named
   * `application/x-cudacanny-stats` with the fields
   *
   * * `backend`, string: "cuda", "cpu", or "none" while the element is not started
   * * `device`, string: the device's name
   * * `reason`, string: why this backend
   * * `frames`, #guint64: frames since the last start
   * * `last-time`, #guint64: nanoseconds that the last frame took
   * * `mean-time`, #guint64: nanoseconds that a frame took on average
   * * `edge-pixels`, #guint64: edge pixels of the last frame
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, PROP_STATS,
      g_param_spec_boxed("stats", "Statistics",
                         "Backend in use (none = not started), device, reason, frames since the "
                         "last start, last and mean time per frame in ns, edge pixels of the last "
                         "frame",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

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
  gst_cuda_canny_install_thresholds(object_class);
  gst_cuda_canny_install_blur_norm_hysteresis(object_class);
  gst_cuda_canny_install_start_properties(object_class);
  gst_cuda_canny_install_stats(object_class);
  gst_type_mark_as_plugin_api(GST_TYPE_CUDA_CANNY_NORM, static_cast<GstPluginAPIFlags>(0));
  gst_type_mark_as_plugin_api(GST_TYPE_CUDA_CANNY_BACKEND, static_cast<GstPluginAPIFlags>(0));

  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element_class, "Canny edge detector", "Filter/Effect/Video",
      "Detects edges with Canny's algorithm on a CUDA device or on the CPU",
      "The cudacanny authors");
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
  trans_class->transform_meta = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform_meta);
  trans_class->before_transform = GST_DEBUG_FUNCPTR(gst_cuda_canny_before_transform);
  trans_class->transform = GST_DEBUG_FUNCPTR(gst_cuda_canny_transform);
}

static void gst_cuda_canny_init(GstCudaCanny* self) {
  new (&self->settings) Settings();
  new (&self->stats) Stats();
  new (&self->detector) canny::Detector();
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), FALSE);
  gst_base_transform_set_gap_aware(GST_BASE_TRANSFORM(self), TRUE);
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_cuda_canny_finalize(GObject* object) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  self->detector.~Detector();
  self->stats.~Stats();
  self->settings.~Settings();
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

/// Whether a property was set that waits for the next start, for the first time since the last.
/// Under the object lock.
static bool gst_cuda_canny_is_first_late_set(Settings* settings, guint id,
                                             const GParamSpec* pspec) {
  const guint bit = 1u << id;
  if (!settings->started || !(pspec->flags & GST_PARAM_MUTABLE_READY)) return false;
  if (settings->warned & bit) return false;
  settings->warned |= bit;
  return true;
}

static void gst_cuda_canny_set_property(GObject* object, guint id, const GValue* value,
                                        GParamSpec* pspec) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(object);
  Settings& settings = self->settings;

  GST_OBJECT_LOCK(self);
  switch (id) {
    case PROP_LOW_THRESHOLD:
      settings.params.low_threshold = g_value_get_double(value);
      break;
    case PROP_HIGH_THRESHOLD:
      settings.params.high_threshold = g_value_get_double(value);
      break;
    case PROP_SIGMA:
      settings.params.sigma = g_value_get_double(value);
      break;
    case PROP_HYSTERESIS_PASSES:
      settings.params.hysteresis_passes = g_value_get_uint(value);
      break;
    case PROP_NORM:
      settings.params.norm = to_norm(g_value_get_enum(value));
      break;
    case PROP_BACKEND:
      settings.options.backend = to_backend(g_value_get_enum(value));
      break;
    case PROP_CUDA_DEVICE_ID:
      settings.options.cuda_device = g_value_get_int(value);
      break;
    case PROP_N_THREADS:
      settings.options.threads = g_value_get_uint(value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
      break;
  }
  const bool warn = gst_cuda_canny_is_first_late_set(&settings, id, pspec);
  GST_OBJECT_UNLOCK(self);

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
  const Settings& settings = self->settings;

  GST_OBJECT_LOCK(self);
  switch (id) {
    case PROP_LOW_THRESHOLD:
      g_value_set_double(value, settings.params.low_threshold);
      break;
    case PROP_HIGH_THRESHOLD:
      g_value_set_double(value, settings.params.high_threshold);
      break;
    case PROP_SIGMA:
      g_value_set_double(value, settings.params.sigma);
      break;
    case PROP_HYSTERESIS_PASSES:
      g_value_set_uint(value, settings.params.hysteresis_passes);
      break;
    case PROP_NORM:
      g_value_set_enum(value, from_norm(settings.params.norm));
      break;
    case PROP_BACKEND:
      g_value_set_enum(value, from_backend(settings.options.backend));
      break;
    case PROP_CUDA_DEVICE_ID:
      g_value_set_int(value, settings.options.cuda_device);
      break;
    case PROP_N_THREADS:
      g_value_set_uint(value, settings.options.threads);
      break;
    case PROP_STATS:
      g_value_take_boxed(value, to_structure(self->stats));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
      break;
  }
  GST_OBJECT_UNLOCK(self);
}

/// From here on, a set of these options is late.
static canny::Options gst_cuda_canny_take_options(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  self->settings.started = true;
  self->settings.warned = 0;
  const canny::Options options = self->settings.options;
  GST_OBJECT_UNLOCK(self);
  return options;
}

static void gst_cuda_canny_publish_start(GstCudaCanny* self, const canny::Info& info) {
  Stats stats;
  stats.backend = canny::name(info.backend);
  stats.device = info.device;
  stats.reason = info.reason;
  GST_OBJECT_LOCK(self);
  std::swap(self->stats, stats);
  GST_OBJECT_UNLOCK(self);
}

static void gst_cuda_canny_publish_failed_start(GstCudaCanny* self, const std::string& reason) {
  Stats stats;
  stats.reason = reason;
  GST_OBJECT_LOCK(self);
  self->settings.started = false;
  std::swap(self->stats, stats);
  GST_OBJECT_UNLOCK(self);
}

/// The counts stay, for those who ask after the end.
static void gst_cuda_canny_publish_stop(GstCudaCanny* self) {
  std::string reason = Stats().reason;
  GST_OBJECT_LOCK(self);
  self->settings.started = false;
  self->stats.backend = "none";
  self->stats.device.clear();
  self->stats.reason = std::move(reason);
  GST_OBJECT_UNLOCK(self);
}

static gboolean gst_cuda_canny_start(GstBaseTransform* trans) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  const canny::Status status =
      canny::Detector::create(gst_cuda_canny_take_options(self), &self->detector);
  if (!status.ok()) {
    gst_cuda_canny_publish_failed_start(self, status.message());
    post_error(self, status);
    return FALSE;
  }
  const canny::Info& info = self->detector.info();
  gst_cuda_canny_publish_start(self, info);
  GST_INFO_OBJECT(self, "backend %s on %s: %s", canny::name(info.backend), info.device.c_str(),
                  info.reason.c_str());
  return TRUE;
}

static gboolean gst_cuda_canny_stop(GstBaseTransform* trans) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  self->detector = canny::Detector();
  gst_cuda_canny_publish_stop(self);
  return TRUE;
}

static GstCaps* gst_cuda_canny_transform_caps(GstBaseTransform* trans, GstPadDirection direction,
                                              GstCaps* caps, GstCaps* filter) noexcept {
  GstCaps* others = gst_cuda_canny_format_transform_caps(direction, caps);
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

static gboolean gst_cuda_canny_set_caps(GstBaseTransform* trans, GstCaps* incaps,
                                        GstCaps* outcaps) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  if (!gst_video_info_from_caps(&self->in_info, incaps) ||
      !gst_video_info_from_caps(&self->out_info, outcaps)) {
    GST_ERROR_OBJECT(self, "invalid caps %" GST_PTR_FORMAT " or %" GST_PTR_FORMAT, incaps, outcaps);
    return FALSE;
  }
  const canny::Status status = self->detector.set_size(GST_VIDEO_INFO_WIDTH(&self->in_info),
                                                       GST_VIDEO_INFO_HEIGHT(&self->in_info));
  if (!status.ok()) post_error(self, status);
  return status.ok();
}

/// The caps alone decide: an input buffer may be padded.
static gboolean gst_cuda_canny_transform_size(GstBaseTransform*, GstPadDirection, GstCaps*, gsize,
                                              GstCaps* othercaps, gsize* othersize) noexcept {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, othercaps)) return FALSE;
  *othersize = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

static gboolean gst_cuda_canny_propose_allocation(GstBaseTransform* trans, GstQuery* decide_query,
                                                  GstQuery* query) noexcept {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query)) {
    return FALSE;
  }
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

/// Takes downstream's pool, or one of our own, and makes it put a GstVideoMeta on its buffers if
/// it can.
static gboolean gst_cuda_canny_decide_allocation(GstBaseTransform* trans,
                                                 GstQuery* query) noexcept {
  GstBufferPool* pool = nullptr;
  guint size = 0;
  guint min = 0;
  guint max = 0;
  const bool offered = gst_query_get_n_allocation_pools(query) > 0;
  if (offered) gst_query_parse_nth_allocation_pool(query, 0, &pool, &size, &min, &max);
  if (pool == nullptr) pool = gst_video_buffer_pool_new();

  GstCaps* caps = nullptr;
  GstVideoInfo info;
  gst_query_parse_allocation(query, &caps, nullptr);
  if (gst_video_info_from_caps(&info, caps)) size = MAX(size, GST_VIDEO_INFO_SIZE(&info));

  if (gst_buffer_pool_has_option(pool, GST_BUFFER_POOL_OPTION_VIDEO_META)) {
    GstStructure* config = gst_buffer_pool_get_config(pool);
    gst_buffer_pool_config_set_params(config, caps, size, min, max);
    gst_buffer_pool_config_add_option(config, GST_BUFFER_POOL_OPTION_VIDEO_META);
    gst_buffer_pool_set_config(pool, config);
  }
  if (offered) {
    gst_query_set_nth_allocation_pool(query, 0, pool, size, min, max);
  } else {
    gst_query_add_allocation_pool(query, pool, size, min, max);
  }
  gst_object_unref(pool);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

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

/// Lets the controlled properties follow their control sources.
static void gst_cuda_canny_before_transform(GstBaseTransform* trans, GstBuffer* buffer) noexcept {
  if (trans->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
}

static bool gst_cuda_canny_map_input(GstCudaCanny* self, GstBuffer* buffer,
                                     GstCudaCannyFrame* frame) {
  std::string problem;
  if (frame->map(buffer, self->in_info, GST_MAP_READ, &problem)) return true;
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                    ("An input buffer does not hold the frame that its caps promise. Look at the "
                     "element upstream of cudacanny."),
                    ("%s", problem.c_str()));
  return false;
}

static bool gst_cuda_canny_map_output(GstCudaCanny* self, GstBuffer* buffer,
                                      GstCudaCannyFrame* frame) {
  std::string problem;
  if (gst_cuda_canny_frame_fill_chroma(buffer, self->out_info, &problem) &&
      frame->map(buffer, self->out_info, GST_MAP_WRITE, &problem)) {
    return true;
  }
  GST_ELEMENT_ERROR(self, RESOURCE, WRITE,
                    ("An output buffer can't hold the frame that the caps promise. Look at the "
                     "element downstream of cudacanny, whose buffer pool it is from."),
                    ("%s", problem.c_str()));
  return false;
}

static canny::Params gst_cuda_canny_take_params(GstCudaCanny* self) {
  GST_OBJECT_LOCK(self);
  const canny::Params params = self->settings.params;
  GST_OBJECT_UNLOCK(self);
  return params;
}

static void gst_cuda_canny_count_frame(GstCudaCanny* self, GstClockTime time,
                                       const canny::Result& result) {
  GST_OBJECT_LOCK(self);
  self->stats.frames++;
  self->stats.last = time;
  self->stats.total += time;
  self->stats.edge_pixels = result.edge_pixels;
  GST_OBJECT_UNLOCK(self);
}

static GstFlowReturn gst_cuda_canny_transform(GstBaseTransform* trans, GstBuffer* inbuf,
                                              GstBuffer* outbuf) noexcept {
  GstCudaCanny* self = GST_CUDA_CANNY(trans);
  const canny::Params params = gst_cuda_canny_take_params(self);
  GstCudaCannyFrame in;
  GstCudaCannyFrame out;
  if (!gst_cuda_canny_map_input(self, inbuf, &in)) return GST_FLOW_ERROR;
  if (!gst_cuda_canny_map_output(self, outbuf, &out)) return GST_FLOW_ERROR;

  canny::Result result;
  const GstClockTime begin = gst_util_get_timestamp();
  const canny::Status status = self->detector.detect(params, in.input(), out.output(), &result);
  if (!status.ok()) {
    post_error(self, status);
    return GST_FLOW_ERROR;
  }
  gst_cuda_canny_count_frame(self, gst_util_get_timestamp() - begin, result);
  return GST_FLOW_OK;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Installs the properties, and turns their values into the detector's settings.
#include "gstcudacannysettings.h"

#include "gstcudacanny.h"

#define DEFAULT_LOW_THRESHOLD 50.0
#define DEFAULT_HIGH_THRESHOLD 150.0
#define DEFAULT_SIGMA 1.4
#define DEFAULT_HYSTERESIS_PASSES 0
#define DEFAULT_NORM GST_CUDA_CANNY_NORM_L2
#define DEFAULT_BACKEND GST_CUDA_CANNY_BACKEND_AUTO
#define DEFAULT_CUDA_DEVICE_ID -1
#define DEFAULT_N_THREADS 0
#define DEFAULT_FRAMES_IN_FLIGHT 0
#define MAX_N_THREADS 1024

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

/// Flags of what may change from frame to frame, and of what is read at a start.
constexpr GParamFlags kLive =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE |
                             GST_PARAM_MUTABLE_PLAYING);
constexpr GParamFlags kAtStart =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

void install_thresholds(GObjectClass* klass) {
  /**
   * GstCudaCanny:low-threshold:
   *
   * Gradient magnitude that an edge pixel exceeds, in the units of OpenCV's Canny.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, GST_CUDA_CANNY_PROP_LOW_THRESHOLD,
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
      klass, GST_CUDA_CANNY_PROP_HIGH_THRESHOLD,
      g_param_spec_double("high-threshold", "High threshold",
                          "Gradient magnitude that a pixel exceeds which starts an edge, in units "
                          "of the 3x3 Sobel operator on 8-bit luma (0 to 32767); swapped with "
                          "low-threshold if it is the smaller one",
                          0, canny::kMaxThreshold, DEFAULT_HIGH_THRESHOLD, kLive));
}

void install_blur_norm_hysteresis(GObjectClass* klass) {
  /**
   * GstCudaCanny:sigma:
   *
   * Standard deviation of the Gaussian blur in pixels.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, GST_CUDA_CANNY_PROP_SIGMA,
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
      klass, GST_CUDA_CANNY_PROP_HYSTERESIS_PASSES,
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
      klass, GST_CUDA_CANNY_PROP_NORM,
      g_param_spec_enum("norm", "Norm",
                        "How the gradient magnitude, in units of the 3x3 Sobel operator, is "
                        "measured (l2 or l1)",
                        GST_TYPE_CUDA_CANNY_NORM, DEFAULT_NORM, kLive));
}

void install_start_properties(GObjectClass* klass) {
  /**
   * GstCudaCanny:backend:
   *
   * What the edges are detected on. Read when the element starts.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, GST_CUDA_CANNY_PROP_BACKEND,
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
      klass, GST_CUDA_CANNY_PROP_CUDA_DEVICE_ID,
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
      klass, GST_CUDA_CANNY_PROP_N_THREADS,
      g_param_spec_uint("n-threads", "Threads",
                        "Number of threads of the CPU backend (0 to 1024, 0 = one for each core); "
                        "read at the next start",
                        0, MAX_N_THREADS, DEFAULT_N_THREADS, kAtStart));
}

void install_frames_in_flight(GObjectClass* klass) {
  /**
   * GstCudaCanny:frames-in-flight:
   *
   * Frames that the element works on at a time. Read when the element starts.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, GST_CUDA_CANNY_PROP_FRAMES_IN_FLIGHT,
      g_param_spec_uint("frames-in-flight", "Frames in flight",
                        "Number of frames worked on at a time, each of which but one adds a frame "
                        "of latency (0 to 8, 0 = 3, but 1 in a live pipeline or where the "
                        "framerate is unknown, and 6 with CUDA memory on both pads from "
                        "GStreamer 1.24 on, without added latency; above 1 the element otherwise "
                        "behaves like a queue of that length); read at the next start",
                        0, canny::kMaxFramesInFlight, DEFAULT_FRAMES_IN_FLIGHT, kAtStart));
}

void install_stats(GObjectClass* klass) {
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
   * * `uploads`, #guint64: frames of these that were copied to the device
   * * `downloads`, #guint64: frames of these that were copied from the device
   * * `last-time`, #guint64: nanoseconds that the element's threads spent on the last frame
   * * `mean-time`, #guint64: nanoseconds that they spent on a frame on average
   * * `edge-pixels`, #guint64: edge pixels of the last frame
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, GST_CUDA_CANNY_PROP_STATS,
      g_param_spec_boxed("stats", "Statistics",
                         "Backend in use (none = not started), device, reason, frames since the "
                         "last start and how many of them were copied to and from the device, "
                         "last and mean time per frame in ns, edge pixels of the last frame",
                         GST_TYPE_STRUCTURE,
                         static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

void gst_cuda_canny_settings_install(GObjectClass* klass) {
  install_thresholds(klass);
  install_blur_norm_hysteresis(klass);
  install_start_properties(klass);
  install_frames_in_flight(klass);
  install_stats(klass);
  gst_type_mark_as_plugin_api(GST_TYPE_CUDA_CANNY_NORM, static_cast<GstPluginAPIFlags>(0));
  gst_type_mark_as_plugin_api(GST_TYPE_CUDA_CANNY_BACKEND, static_cast<GstPluginAPIFlags>(0));
}

bool GstCudaCannySettings::is_first_late_set(const GParamSpec* pspec) {
  const guint bit = 1u << pspec->param_id;
  if (!started || !(pspec->flags & GST_PARAM_MUTABLE_READY)) return false;
  if (warned & bit) return false;
  warned |= bit;
  return true;
}

bool GstCudaCannySettings::set(guint id, const GValue* value) {
  switch (id) {
    case GST_CUDA_CANNY_PROP_LOW_THRESHOLD:
      params.low_threshold = g_value_get_double(value);
      return true;
    case GST_CUDA_CANNY_PROP_HIGH_THRESHOLD:
      params.high_threshold = g_value_get_double(value);
      return true;
    case GST_CUDA_CANNY_PROP_SIGMA:
      params.sigma = g_value_get_double(value);
      return true;
    case GST_CUDA_CANNY_PROP_HYSTERESIS_PASSES:
      params.hysteresis_passes = g_value_get_uint(value);
      return true;
    case GST_CUDA_CANNY_PROP_NORM:
      params.norm = to_norm(g_value_get_enum(value));
      return true;
    case GST_CUDA_CANNY_PROP_BACKEND:
      options.backend = to_backend(g_value_get_enum(value));
      return true;
    case GST_CUDA_CANNY_PROP_CUDA_DEVICE_ID:
      options.cuda_device = g_value_get_int(value);
      return true;
    case GST_CUDA_CANNY_PROP_N_THREADS:
      options.threads = g_value_get_uint(value);
      return true;
    case GST_CUDA_CANNY_PROP_FRAMES_IN_FLIGHT:
      frames_in_flight = g_value_get_uint(value);
      return true;
    default:
      return false;
  }
}

bool GstCudaCannySettings::get(guint id, GValue* value) const {
  switch (id) {
    case GST_CUDA_CANNY_PROP_LOW_THRESHOLD:
      g_value_set_double(value, params.low_threshold);
      return true;
    case GST_CUDA_CANNY_PROP_HIGH_THRESHOLD:
      g_value_set_double(value, params.high_threshold);
      return true;
    case GST_CUDA_CANNY_PROP_SIGMA:
      g_value_set_double(value, params.sigma);
      return true;
    case GST_CUDA_CANNY_PROP_HYSTERESIS_PASSES:
      g_value_set_uint(value, params.hysteresis_passes);
      return true;
    case GST_CUDA_CANNY_PROP_NORM:
      g_value_set_enum(value, from_norm(params.norm));
      return true;
    case GST_CUDA_CANNY_PROP_BACKEND:
      g_value_set_enum(value, from_backend(options.backend));
      return true;
    case GST_CUDA_CANNY_PROP_CUDA_DEVICE_ID:
      g_value_set_int(value, options.cuda_device);
      return true;
    case GST_CUDA_CANNY_PROP_N_THREADS:
      g_value_set_uint(value, options.threads);
      return true;
    case GST_CUDA_CANNY_PROP_FRAMES_IN_FLIGHT:
      g_value_set_uint(value, frames_in_flight);
      return true;
    default:
      return false;
  }
}

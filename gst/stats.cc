// SPDX-License-Identifier: LGPL-2.1-or-later
/// Keeps the statistics and puts them into the property's structure.
#include "stats.h"

#include <utility>

void gst_cuda_canny_stats_install(GObjectClass* klass, guint id) {
  /**
   * GstCudaCanny:stats:
   *
   * The backend in use and the work done so far: a #GstStructure named
   * `application/x-cudacanny-stats` with the fields
   *
   * * `backend`, string: "cuda", "opencl", "cpu", or "none" while the element is not started
   * * `device`, string: the device's name
   * * `reason`, string: why this backend was chosen
   * * `frames`, #guint64: frames since the last start
   * * `uploads`, #guint64: of these, frames copied to the device
   * * `downloads`, #guint64: of these, frames copied from the device
   * * `last-time`, #guint64: nanoseconds that the element's threads spent on the last frame
   * * `mean-time`, #guint64: mean nanoseconds per frame
   * * `edge-pixels`, #guint64: edge pixels of the last frame
   * * `low`, #gdouble: low threshold of the last frame
   * * `high`, #gdouble: high threshold of the last frame
   * * `uploaded-bytes`, `downloaded-bytes`, #guint64: bytes copied to and from the device
   *
   * and these, which are 0 unless the last frame was computed with #GstCudaCanny:measure-stages:
   *
   * * `upload-time`, `front-time`, `hysteresis-time`, `output-time`, `download-time`, #guint64:
   *   nanoseconds of each stage and copy
   * * `strong-pixels`, `candidate-pixels`, #guint64: pixels above the thresholds
   * * `components`, #guint64: connected components of the edges
   *
   * With #GstCudaCanny:stats-interval, element messages named `cudacanny-stats` have the same
   * fields.
   *
   * Since: 0.1
   */
  g_object_class_install_property(
      klass, id,
      g_param_spec_boxed(
          "stats", "Statistics",
          "Backend, device, frames, copies, times in ns, edge pixels and thresholds; the reference "
          "lists the fields",
          GST_TYPE_STRUCTURE, static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

void GstCudaCannyStats::start(const canny::Info& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_ = Values();
  values_.info = info;
  values_.last_message = gst_util_get_timestamp();
}

void GstCudaCannyStats::fail_start(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_ = Values();
  values_.info.reason = reason;
}

void GstCudaCannyStats::change_backend(const canny::Info& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.info = info;
}

void GstCudaCannyStats::stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.info = Values().info;
}

void GstCudaCannyStats::count(GstClockTime time, const canny::Result& result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.frames++;
  values_.uploads += result.uploaded_bytes > 0;
  values_.downloads += result.downloaded_bytes > 0;
  values_.last = time;
  values_.total += time;
  values_.uploaded_bytes += result.uploaded_bytes;
  values_.downloaded_bytes += result.downloaded_bytes;
  values_.result = result;
}

GstStructure* GstCudaCannyStats::to_structure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return new_structure("application/x-cudacanny-stats");
}

GstStructure* GstCudaCannyStats::take_message(GstClockTime interval, GstClockTime now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (now - values_.last_message < interval) return nullptr;
  values_.last_message = now;
  return new_structure("cudacanny-stats");
}

/// The caller holds the mutex.
GstStructure* GstCudaCannyStats::new_structure(const char* name) const {
  const canny::Info& info = values_.info;
  const bool is_started = info.backend != canny::Backend::kAuto;
  const guint64 mean = values_.frames > 0 ? values_.total / values_.frames : 0;
  GstStructure* structure = gst_structure_new(
      name, "backend", G_TYPE_STRING, is_started ? canny::name(info.backend) : "none", "device",
      G_TYPE_STRING, info.device.c_str(), "reason", G_TYPE_STRING, info.reason.c_str(), "low",
      G_TYPE_DOUBLE, values_.result.low_threshold, "high", G_TYPE_DOUBLE,
      values_.result.high_threshold, static_cast<void*>(nullptr));
  const canny::StageTimes& times = values_.result.times;
  const std::pair<const char*, guint64> numbers[] = {
      {"frames", values_.frames},
      {"uploads", values_.uploads},
      {"downloads", values_.downloads},
      {"uploaded-bytes", values_.uploaded_bytes},
      {"downloaded-bytes", values_.downloaded_bytes},
      {"last-time", values_.last},
      {"mean-time", mean},
      {"edge-pixels", values_.result.edge_pixels},
      {"upload-time", times.upload},
      {"front-time", times.front},
      {"hysteresis-time", times.hysteresis},
      {"output-time", times.output},
      {"download-time", times.download},
      {"strong-pixels", values_.result.strong_pixels},
      {"candidate-pixels", values_.result.candidate_pixels},
      {"components", values_.result.components},
  };
  for (const auto& [field, number] : numbers)
    gst_structure_set(structure, field, G_TYPE_UINT64, number, nullptr);
  return structure;
}

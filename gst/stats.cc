// SPDX-License-Identifier: LGPL-2.1-or-later
/// Keeps the statistics and puts them into the property's structure.
#include "stats.h"

void GstCudaCannyStats::Values::set_backend(const canny::Info& info) {
  backend = canny::name(info.backend);
  device = info.device;
  reason = info.reason;
}

void GstCudaCannyStats::start(const canny::Info& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_ = Values();
  values_.set_backend(info);
}

void GstCudaCannyStats::fail_start(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_ = Values();
  values_.reason = reason;
}

void GstCudaCannyStats::change_backend(const canny::Info& info) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.set_backend(info);
}

void GstCudaCannyStats::stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Values stopped;
  values_.backend = stopped.backend;
  values_.device = stopped.device;
  values_.reason = stopped.reason;
}

void GstCudaCannyStats::count(GstClockTime time, bool uploaded, bool downloaded,
                              const canny::Result& result) {
  const std::lock_guard<std::mutex> lock(mutex_);
  values_.frames++;
  values_.uploads += uploaded;
  values_.downloads += downloaded;
  values_.last = time;
  values_.total += time;
  values_.result = result;
}

GstStructure* GstCudaCannyStats::to_structure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const guint64 mean = values_.frames > 0 ? values_.total / values_.frames : 0;
  return gst_structure_new(
      "application/x-cudacanny-stats", "backend", G_TYPE_STRING, values_.backend.c_str(), "device",
      G_TYPE_STRING, values_.device.c_str(), "reason", G_TYPE_STRING, values_.reason.c_str(),
      "frames", G_TYPE_UINT64, values_.frames, "uploads", G_TYPE_UINT64, values_.uploads,
      "downloads", G_TYPE_UINT64, values_.downloads, "last-time", G_TYPE_UINT64, values_.last,
      "mean-time", G_TYPE_UINT64, mean, "edge-pixels", G_TYPE_UINT64,
      guint64{values_.result.edge_pixels}, "low", G_TYPE_DOUBLE, values_.result.low_threshold,
      "high", G_TYPE_DOUBLE, values_.result.high_threshold, static_cast<void*>(nullptr));
}

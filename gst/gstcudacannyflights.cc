// SPDX-License-Identifier: LGPL-2.1-or-later
/// A ring of frames under a mutex.
#include "gstcudacannyflights.h"

#include <utility>

void GstCudaCannyFlight::unmap() {
  in.unmap();
  out.unmap();
}

void GstCudaCannyFlights::set_count(guint count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  count_ = count;
  first_ = size_ = 0;
}

void GstCudaCannyFlights::set_flushing(bool is_flushing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_flushing_ = is_flushing;
  if (!is_flushing) flow_ = GST_FLOW_OK;
  changed_.notify_all();
}

GstCudaCannyFlight* GstCudaCannyFlights::reserve(GstFlowReturn* flow) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return is_flushing_ || size_ < count_; });
  *flow = is_flushing_ ? GST_FLOW_FLUSHING : std::exchange(flow_, GST_FLOW_OK);
  return *flow == GST_FLOW_OK ? &flights_[(first_ + size_) % count_] : nullptr;
}

void GstCudaCannyFlights::commit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_++;
  changed_.notify_all();
}

GstCudaCannyFlight* GstCudaCannyFlights::front() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return is_flushing_ || size_ > 0; });
  return is_flushing_ ? nullptr : &flights_[first_];
}

void GstCudaCannyFlights::pop(GstFlowReturn flow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  drop();
  if (flow != GST_FLOW_OK) flow_ = flow;
  changed_.notify_all();
}

bool GstCudaCannyFlights::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return is_flushing_ || size_ == 0; });
  return size_ == 0;
}

GstFlowReturn GstCudaCannyFlights::take_flow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(flow_, GST_FLOW_OK);
}

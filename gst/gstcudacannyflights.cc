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
  first_ = 0;
}

void GstCudaCannyFlights::set(bool* flag, bool value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  *flag = value;
  has_flushed_ = true;
  flow_ = GST_FLOW_OK;
  changed_.notify_all();
}

bool GstCudaCannyFlights::is_open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_open_locked();
}

GstCudaCannyFlight* GstCudaCannyFlights::reserve(GstFlowReturn* flow) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_open_locked() || size_ + is_pushing_ < count_; });
  *flow = is_open_locked() ? std::exchange(flow_, GST_FLOW_OK) : GST_FLOW_FLUSHING;
  return *flow == GST_FLOW_OK ? &flights_[(first_ + size_) % count_] : nullptr;
}

void GstCudaCannyFlights::commit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  size_++;
  changed_.notify_all();
}

GstCudaCannyFlight* GstCudaCannyFlights::front() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_open_locked() || size_ > 0; });
  return is_open_locked() ? &flights_[first_] : nullptr;
}

void GstCudaCannyFlights::begin_push() {
  const std::lock_guard<std::mutex> lock(mutex_);
  first_ = (first_ + 1) % count_;
  size_--;
  is_pushing_ = true;
  pusher_ = std::this_thread::get_id();
  has_flushed_ = false;
}

void GstCudaCannyFlights::end_push(GstFlowReturn flow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_pushing_ = false;
  if (flow != GST_FLOW_OK && !has_flushed_) flow_ = flow;
  changed_.notify_all();
}

GstCudaCannyFlight* GstCudaCannyFlights::peek() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return size_ > 0 ? &flights_[first_] : nullptr;
}

void GstCudaCannyFlights::drop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  first_ = (first_ + 1) % count_;
  size_--;
  changed_.notify_all();
}

bool GstCudaCannyFlights::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool is_pusher = is_pushing_ && pusher_ == std::this_thread::get_id();
  changed_.wait(lock, [&] { return is_pusher || !is_open_locked() || is_empty(); });
  return is_empty();
}

GstFlowReturn GstCudaCannyFlights::take_flow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(flow_, GST_FLOW_OK);
}

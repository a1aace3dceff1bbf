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

guint GstCudaCannyFlights::count() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

/// Under the mutex.
void GstCudaCannyFlights::change(bool* flag, bool value) {
  *flag = value;
  has_flushed_ = true;
  flow_ = GST_FLOW_OK;
  changed_.notify_all();
}

void GstCudaCannyFlights::open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_flushing_ = false;
  change(&is_started_, true);
}

void GstCudaCannyFlights::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&is_started_, false);
}

void GstCudaCannyFlights::set_active(bool is_active) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_flushing_ = false;
  change(&is_active_, is_active);
}

void GstCudaCannyFlights::set_flushing(bool is_flushing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&is_flushing_, is_flushing);
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
  changed_.wait(lock,
                [&] { return !may_run() || (is_open_locked() && size_ > 0 && !is_finishing_); });
  if (!may_run()) return nullptr;
  is_finishing_ = true;
  return &flights_[first_];
}

void GstCudaCannyFlights::pop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  first_ = (first_ + 1) % count_;
  size_--;
  is_finishing_ = false;
  is_pushing_ = true;
  pusher_ = std::this_thread::get_id();
  has_flushed_ = false;
  changed_.notify_all();
}

bool GstCudaCannyFlights::has_flushed() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return has_flushed_;
}

void GstCudaCannyFlights::end_push(GstFlowReturn flow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_pushing_ = false;
  if (flow != GST_FLOW_OK && !has_flushed_) flow_ = flow;
  changed_.notify_all();
}

void GstCudaCannyFlights::drop_all(const std::function<void(GstCudaCannyFlight*)>& finish) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_finishing_; });
  is_finishing_ = true;
  while (size_ > 0) {
    GstCudaCannyFlight* flight = &flights_[first_];
    lock.unlock();
    finish(flight);
    lock.lock();
    first_ = (first_ + 1) % count_;
    size_--;
  }
  is_finishing_ = false;
  changed_.notify_all();
}

void GstCudaCannyFlights::wait_for_push() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_pushing_ || pusher_ == std::this_thread::get_id(); });
}

bool GstCudaCannyFlights::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool is_pusher = is_pushing_ && pusher_ == std::this_thread::get_id();
  changed_.wait(lock, [&] { return is_pusher || !is_open_locked() || is_empty(); });
  return is_started_ && is_empty();
}

GstFlowReturn GstCudaCannyFlights::take_flow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(flow_, GST_FLOW_OK);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// A queue of frames under a mutex.
#include "frame_queue.h"

#include <utility>

void GstCudaCannyFrameQueue::set_count(guint count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ring_.resize(count);
  spare_.clear();             // each may have memory for larger frames
  spare_.reserve(count + 1);  // one more is being pushed or begun
  first_ = 0;
}

guint GstCudaCannyFrameQueue::count() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return guint(ring_.size());
}

/// Under the mutex.
void GstCudaCannyFrameQueue::change(bool* flag, bool value) {
  *flag = value;
  has_flushed_ = true;
  flow_ = GST_FLOW_OK;
  changed_.notify_all();
}

void GstCudaCannyFrameQueue::open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_flushing_ = false;
  change(&is_started_, true);
}

void GstCudaCannyFrameQueue::close() {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&is_started_, false);
}

void GstCudaCannyFrameQueue::set_active(bool is_active) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_flushing_ = false;
  change(&is_active_, is_active);
}

void GstCudaCannyFrameQueue::set_flushing(bool is_flushing) {
  const std::lock_guard<std::mutex> lock(mutex_);
  change(&is_flushing_, is_flushing);
}

bool GstCudaCannyFrameQueue::may_run() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return may_run_locked();
}

GstFlowReturn GstCudaCannyFrameQueue::reserve() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_open() || size_ + is_pushing_ < ring_.size(); });
  return is_open() ? std::exchange(flow_, GST_FLOW_OK) : GST_FLOW_FLUSHING;
}

void GstCudaCannyFrameQueue::commit(GstCudaCannyQueuedFrame frame) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ring_[(first_ + size_) % ring_.size()] = std::move(frame);
  size_++;
  changed_.notify_all();
}

const GstCudaCannyQueuedFrame* GstCudaCannyFrameQueue::front() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock,
                [&] { return !may_run_locked() || (is_open() && size_ > 0 && !is_finishing_); });
  if (!may_run_locked()) return nullptr;
  is_finishing_ = true;
  return &ring_[first_];
}

/// Under the mutex.
GstCudaCannyQueuedFrame GstCudaCannyFrameQueue::take_front() {
  GstCudaCannyQueuedFrame frame = std::move(ring_[first_]);
  first_ = (first_ + 1) % guint(ring_.size());
  size_--;
  return frame;
}

GstCudaCannyQueuedFrame GstCudaCannyFrameQueue::pop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_finishing_ = false;
  is_pushing_ = true;
  pusher_ = std::this_thread::get_id();
  has_flushed_ = false;
  changed_.notify_all();
  return take_front();
}

void GstCudaCannyFrameQueue::end_push(GstFlowReturn flow) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_pushing_ = false;
  if (flow != GST_FLOW_OK && !has_flushed_) flow_ = flow;
  changed_.notify_all();
}

std::vector<GstCudaCannyQueuedFrame> GstCudaCannyFrameQueue::drop_all(
    const std::function<void(const GstCudaCannyQueuedFrame&)>& finish) {
  std::vector<GstCudaCannyQueuedFrame> dropped;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_finishing_; });
  is_finishing_ = true;
  while (size_ > 0) {
    const GstCudaCannyQueuedFrame& oldest = ring_[first_];
    lock.unlock();
    finish(oldest);
    lock.lock();
    dropped.push_back(take_front());
  }
  is_finishing_ = false;
  changed_.notify_all();
  return dropped;
}

void GstCudaCannyFrameQueue::wait_for_push() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !is_pushing_ || pusher_ == std::this_thread::get_id(); });
}

bool GstCudaCannyFrameQueue::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool is_pusher = is_pushing_ && pusher_ == std::this_thread::get_id();
  changed_.wait(lock, [&] { return is_pusher || !is_open() || is_empty(); });
  return is_started_ && is_empty();
}

std::unique_ptr<GstCudaCannyWork> GstCudaCannyFrameQueue::take_spare() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (spare_.empty()) return nullptr;
  std::unique_ptr<GstCudaCannyWork> work = std::move(spare_.back());
  spare_.pop_back();
  return work;
}

void GstCudaCannyFrameQueue::give_spare(std::unique_ptr<GstCudaCannyWork> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  spare_.push_back(std::move(work));
}

GstFlowReturn GstCudaCannyFrameQueue::take_flow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(flow_, GST_FLOW_OK);
}

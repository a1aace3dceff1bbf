// SPDX-License-Identifier: LGPL-2.1-or-later
/// The frames in flight of an element, between the thread that begins them and the thread that
/// finishes them.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

/// A subclass's data about a frame in progress. An object serves one frame after the other.
struct GstCudaCannyWork {
  virtual ~GstCudaCannyWork() = default;
};

/// A frame in flight.
struct GstCudaCannyQueuedFrame {
  GstBuffer* input = nullptr;
  GstBuffer* output = nullptr;  ///< null if it has been pushed already
  std::unique_ptr<GstCudaCannyWork> work;
};

/// A bounded queue from the streaming thread to the task that finishes frames. These rules state
/// which thread may touch the subclass's work and the frames:
///
/// - The streaming thread begins frames, by the subclass's begin() and release_output(), between
///   reserve() and commit().
/// - One thread at a time finishes frames, by the subclass's wait() or discard(). This is the task,
///   from front() to pop(), or the caller of drop_all(), which waits for the task's pop() and
///   blocks front() until it returns. Meanwhile neither posts a message, pushes or releases a
///   buffer, since any of these may cause a flush.
/// - Everything else that changes the subclass's resources (creation, sizes, destruction) is for
///   the streaming thread, or for start_work() and stop_work(), after drain() returned true or
///   between close() and open().
///
/// A frame alone (GstCudaCannyExit::kAlone) never enters the queue: the streaming thread begins and
/// finishes it.
///
/// The queue is open from open() to close(), while the source pad is active and nothing flushes.
/// While it is closed, all waits end, except the wait for a thread that is finishing a frame.
class GstCudaCannyFrameQueue {
 public:
  /// Bounds the queue, which must be empty, to `count` frames.
  void set_count(guint count);
  guint count();

  void open();                      ///< at a start; ends a flush that a stop cut short
  void close();                     ///< at a stop
  void set_active(bool is_active);  ///< the source pad; also ends such a flush
  void set_flushing(bool is_flushing);
  bool may_run();  ///< whether the pad is active and the element started, also in a flush

  /// Waits for a place. Otherwise returns GST_FLOW_FLUSHING, or, once, the return value of
  /// downstream for an earlier frame.
  GstFlowReturn reserve();
  /// Puts a frame in flight, in the reserved place.
  void commit(GstCudaCannyQueuedFrame frame);

  /// Waits for a frame and returns the oldest. Null if the pad is not active or the element is
  /// stopped.
  const GstCudaCannyQueuedFrame* front();
  /// Takes the finished front frame out of the queue. It keeps its place until end_push().
  GstCudaCannyQueuedFrame pop();
  /// Ends the push, for which downstream returned `flow`. A flush since pop() cancels this value.
  void end_push(GstFlowReturn flow);

  /// Takes all frames out of flight and returns them, the oldest first. Before a frame leaves,
  /// `finish` ends the subclass's work on it.
  std::vector<GstCudaCannyQueuedFrame> drop_all(
      const std::function<void(const GstCudaCannyQueuedFrame&)>& finish);
  /// Waits until the push of a frame that left the queue ends, unless the calling thread is the
  /// pusher.
  void wait_for_push();

  /// Waits until no frame is in flight. False if some remain because the queue is not open or the
  /// calling thread is pushing one, and also before a start and after a stop.
  bool drain();
  /// Returns, and forgets, a return value of downstream that reserve() has not returned yet.
  GstFlowReturn take_flow();

  /// Takes spare work, null if there is none, and gives back work that is no longer used.
  std::unique_ptr<GstCudaCannyWork> take_spare();
  void give_spare(std::unique_ptr<GstCudaCannyWork> work);

 private:
  void change(bool* flag, bool value);
  GstCudaCannyQueuedFrame take_front();
  bool may_run_locked() const { return is_started_ && is_active_; }
  bool is_open() const { return may_run_locked() && !is_flushing_; }  // under the mutex
  bool is_empty() const { return size_ == 0 && !is_pushing_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  std::vector<GstCudaCannyQueuedFrame> ring_ = std::vector<GstCudaCannyQueuedFrame>(1);
  guint first_ = 0;
  guint size_ = 0;
  std::vector<std::unique_ptr<GstCudaCannyWork>> spare_;
  bool is_finishing_ = false;  // a thread is between front() and pop(), or in drop_all()
  bool is_pushing_ = false;
  std::thread::id pusher_;
  bool is_started_ = false;
  bool is_active_ = false;
  bool is_flushing_ = false;
  bool has_flushed_ = false;  // since the push began
  GstFlowReturn flow_ = GST_FLOW_OK;
};

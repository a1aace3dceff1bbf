// SPDX-License-Identifier: LGPL-2.1-or-later
/// The frames in flight of an element, between the thread that begins them and the one that
/// finishes them.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

/// What a subclass of GstCudaCannyAsyncTransform keeps of a frame that it works on. It serves one
/// frame after the other.
struct GstAsyncWork {
  virtual ~GstAsyncWork() = default;
};

/// A frame in flight.
struct Flight {
  GstBuffer* input = nullptr;
  GstBuffer* output = nullptr;  ///< null if it has been pushed already
  std::unique_ptr<GstAsyncWork> work;
};

/// A queue of bounded length from the streaming thread to the task that finishes frames, and the
/// rule of who may touch the subclass's work and the frames when:
///
/// - The streaming thread begins frames, by the subclass's begin() and release_output(), between
///   reserve() and commit().
/// - One thread at a time finishes frames, by the subclass's wait() or discard(). This is the task,
///   from front() to pop(), or the caller of drop_all(), which waits for the task's pop() and keeps
///   the task from front() until it returns. Neither posts a message, pushes nor lets go of a
///   buffer meanwhile: who hears of that may flush.
/// - All else that the subclass works with (its creation, its sizes, its destruction) is for the
///   streaming thread, or for start_work() and stop_work(), after drain() returned true or between
///   close() and open().
///
/// A frame alone (GstAsyncExit::kAlone) never enters the queue: the streaming thread begins and
/// finishes it.
///
/// The queue is open from open() to close(), while the source pad is active and nothing flushes.
/// When it is not, all waits but that for the one who finishes a frame end.
class Flights {
 public:
  /// Bounds the queue, which must be empty, to `count` frames.
  void set_count(guint count);
  guint count();

  void open();                      ///< at a start; a flush that a stop cut off is over
  void close();                     ///< at a stop
  void set_active(bool is_active);  ///< the source pad; likewise
  void set_flushing(bool is_flushing);
  bool is_open();

  /// Waits for a place. If there is none, returns why: flushing, or what downstream returned for an
  /// earlier frame, which is said once.
  GstFlowReturn reserve();
  /// Puts a frame in flight, in the reserved place.
  void commit(Flight flight);

  /// Waits for a frame and returns the oldest; null if the pad is not active or the element
  /// stopped.
  const Flight* front();
  /// Takes the front, whose work is done, out of the queue. It keeps its place until end_push().
  Flight pop();
  /// Whether there was a flush since pop(), so that the frame must not be pushed.
  bool has_flushed();
  /// Downstream returned `flow` for it, which counts unless there was a flush meanwhile.
  void end_push(GstFlowReturn flow);

  /// Takes all frames out of flight and returns them, the oldest first, each when `finish` has
  /// returned, which ends the subclass's work on it.
  std::vector<Flight> drop_all(const std::function<void(const Flight&)>& finish);
  /// Waits for the end of the push of a frame that has left the queue, unless it is the thread that
  /// pushes it that asks.
  void wait_for_push();

  /// Waits until no frame is in flight. False if some are, as the queue is not open, or as it is
  /// the thread that is pushing one that asks; and before a start and after a stop.
  bool drain();
  /// What downstream returned and reserve() has not said yet, which this forgets.
  GstFlowReturn take_flow();

  /// Work that no frame uses any more, or null if there is none; and its return.
  std::unique_ptr<GstAsyncWork> take_spare();
  void give_spare(std::unique_ptr<GstAsyncWork> work);

 private:
  void change(bool* flag, bool value);
  Flight take_front();
  bool may_run() const { return is_started_ && is_active_; }
  bool is_open_locked() const { return may_run() && !is_flushing_; }
  bool is_empty() const { return size_ == 0 && !is_pushing_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  std::vector<Flight> ring_ = std::vector<Flight>(1);
  guint first_ = 0;
  guint size_ = 0;
  std::vector<std::unique_ptr<GstAsyncWork>> spare_;
  bool is_finishing_ = false;  // some thread is between front() and pop(), or in drop_all()
  bool is_pushing_ = false;
  std::thread::id pusher_;
  bool is_started_ = false;
  bool is_active_ = false;
  bool is_flushing_ = false;
  bool has_flushed_ = false;  // since the push began
  GstFlowReturn flow_ = GST_FLOW_OK;
};

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The frames in flight of an element, between the thread that begins them and the one that pushes
/// them.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "canny.h"
#include "gstcudacannyframe.h"

/// A frame in flight: its buffers and, while it is worked on, what they are mapped as.
struct GstCudaCannyFlight {
  GstBuffer* input = nullptr;
  GstBuffer* output = nullptr;
  GstCudaCannyFrame in, out;
  GstClockTime time = 0;  ///< ns that it took to begin the work

  void unmap();
};

/// A queue of bounded length from the streaming thread to the task that pushes. It is open while
/// the source pad is active and nothing flushes; when it is not, all waits end.
class GstCudaCannyFlights {
 public:
  /// Bounds the queue, which must be empty, to `count` frames.
  void set_count(guint count);
  guint count() const { return count_; }

  void set_active(bool is_active) { set(&is_active_, is_active); }
  void set_flushing(bool is_flushing) { set(&is_flushing_, is_flushing); }
  bool is_open();

  /// Waits for a place and returns it, or null with the reason in `*flow`: flushing, or what
  /// downstream returned for an earlier frame, which is said once.
  GstCudaCannyFlight* reserve(GstFlowReturn* flow);
  /// Puts the reserved frame in flight.
  void commit();

  /// Waits for a frame and returns the oldest; null if the queue is not open.
  GstCudaCannyFlight* front();
  /// Takes the front out of the queue. It has its place until it has been pushed.
  void begin_push();
  /// Downstream returned `flow` for it, which counts unless there was a flush meanwhile.
  void end_push(GstFlowReturn flow);

  /// The oldest frame, null if there is none, for one who drops it while the task does not run.
  GstCudaCannyFlight* peek();
  void drop();

  /// Waits until no frame is in flight. False if some are: the queue is not open, or it is the
  /// thread that is pushing one that asks.
  bool drain();
  /// What downstream returned and reserve() has not said yet, which this forgets.
  GstFlowReturn take_flow();

 private:
  void set(bool* flag, bool value);
  bool is_open_locked() const { return is_active_ && !is_flushing_; }
  bool is_empty() const { return size_ == 0 && !is_pushing_; }

  GstCudaCannyFlight flights_[canny::kMaxFramesInFlight];
  guint count_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  guint first_ = 0;
  guint size_ = 0;
  bool is_pushing_ = false;
  std::thread::id pusher_;
  bool is_active_ = false;
  bool is_flushing_ = false;
  bool has_flushed_ = false;  // since the push began
  GstFlowReturn flow_ = GST_FLOW_OK;
};

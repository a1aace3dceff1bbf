// SPDX-License-Identifier: LGPL-2.1-or-later
/// The frames in flight of an element, between the thread that begins them and the one that pushes
/// them.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <mutex>

#include "canny.h"
#include "gstcudacannyframe.h"

/// A frame in flight: its buffers and, while it is worked on, what they are mapped as.
struct GstCudaCannyFlight {
  GstBuffer* input = nullptr;
  GstBuffer* output = nullptr;
  GstCudaCannyFrame in, out;
  GstClockTime begin = 0;  ///< when the work began

  void unmap();
};

/// A queue of bounded length. One thread reserves and commits, another one takes from the front.
/// All waits end when it is flushing.
class GstCudaCannyFlights {
 public:
  /// Empties the queue, which must not be in use, and bounds it to `count` frames.
  void set_count(guint count);
  guint count() const { return count_; }

  void set_flushing(bool is_flushing);

  /// Waits for a place and returns it, or null with the reason in `*flow`: flushing, or what
  /// downstream returned for an earlier frame, which is said once.
  GstCudaCannyFlight* reserve(GstFlowReturn* flow);
  /// Puts the reserved frame in flight.
  void commit();

  /// Waits for a frame and returns the oldest; null when flushing.
  GstCudaCannyFlight* front();
  /// Removes the front, for which downstream returned `flow`.
  void pop(GstFlowReturn flow);

  /// The oldest frame, null if there is none. For one who empties the queue while nobody uses it.
  GstCudaCannyFlight* peek() { return size_ > 0 ? &flights_[first_] : nullptr; }
  void drop() { first_ = (first_ + 1) % count_, size_--; }

  /// Waits until no frame is in flight. False if some are, as it is flushing.
  bool drain();
  /// What downstream returned and reserve() has not said yet, which this forgets.
  GstFlowReturn take_flow();

 private:
  GstCudaCannyFlight flights_[canny::kMaxFramesInFlight];
  guint count_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Under the mutex.
  guint first_ = 0;
  guint size_ = 0;
  bool is_flushing_ = false;
  GstFlowReturn flow_ = GST_FLOW_OK;
};

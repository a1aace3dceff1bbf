// SPDX-License-Identifier: LGPL-2.1-or-later
/// The pipeline that has the element find the edges of single frames.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "tools/bus.h"
#include "tools/ref.h"

namespace tuner {

/// A frame and what the element made of it.
struct Pair {
  SampleRef input;
  SampleRef output;
  std::uint64_t number = 0;  ///< counts all pairs, from 1
};

/// Frames go through the element alone, so that a paused frame can be computed again with other
/// settings, whatever its source. add() belongs to any thread, the other functions to the main one.
class Edges {
 public:
  std::function<void()> on_pair;  ///< latest() has changed; several changes may count as one
  std::function<void(const std::string& text)> on_error;  ///< the element has stopped

  Edges();
  ~Edges();
  Edges(const Edges&) = delete;
  Edges& operator=(const Edges&) = delete;

  /// Whether the element exists, without which no other function may be called.
  bool is_valid() const { return pipeline_ != nullptr; }
  GstElement* element() const { return element_.get(); }
  /// False after an error, until the next start.
  bool is_started() const { return is_started_; }

  /// Gives a frame to the element. Waits some seconds while too many frames wait for it, and then
  /// drops the frame, as it does if the element is not started.
  void add(SampleRef input);
  /// Computes the latest frame again, and starts the element if it is stopped. Call after a change
  /// of the settings.
  void refresh();
  /// Starts the element if it is stopped.
  void start();
  /// Likewise, after a start of the element with the settings that it reads then.
  void restart();
  void stop();

  /// Whether frames wait for their output.
  bool is_busy();
  Pair latest();

 private:
  static gboolean on_idle(gpointer self) noexcept;
  void push(const SampleRef& input);
  void finish(SampleRef output);
  void announce();

  ElementRef pipeline_;
  ElementRef source_;
  ElementRef element_;
  BusWatch bus_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable has_room_;
  std::deque<SampleRef> waiting_;  ///< inputs without their outputs, with consecutive timestamps
  Pair latest_;
  SampleRef last_input_;
  GstClockTime next_time_ = 0;
  bool is_started_ = false;
  bool is_stale_ = false;  ///< the settings have changed since the last input began to wait
  guint idle_ = 0;         ///< the announcement of a pair to the main thread
};

}  // namespace tuner

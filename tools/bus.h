// SPDX-License-Identifier: LGPL-2.1-or-later
/// Messages of a pipeline, in the main thread.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <string>

namespace tuner {

/// Calls functions of the main thread for the messages of a pipeline.
class BusWatch {
 public:
  std::function<void(const std::string& text)> on_error;  ///< text: what failed, and where
  std::function<void()> on_end;                           ///< the end of the stream
  std::function<void(bool is_last)> on_step;              ///< a step is done, or met the end

  BusWatch() = default;
  ~BusWatch() { stop(); }
  BusWatch(const BusWatch&) = delete;
  BusWatch& operator=(const BusWatch&) = delete;

  void start(GstElement* pipeline);
  void stop();

 private:
  void handle(GstMessage* message);

  GstBus* bus_ = nullptr;
  std::string missing_;  ///< what a plugin that is not installed would do
};

}  // namespace tuner

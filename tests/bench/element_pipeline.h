// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline with the element in it, its probes, and what counts and compares its frames.
#pragma once

#include <gst/video/video.h>

#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <string>

#include "element_ref.h"
#include "measure.h"

namespace bench {

/// What the element is set to, besides element_params().
struct ElementSettings {
  const char* backend = "cuda";
  unsigned frames_in_flight = 0;
  unsigned threads = 0;
};

class Pipeline {
 public:
  using OnBuffer = std::function<void(GstBuffer*)>;

  /// A description for gst_parse_launch().
  explicit Pipeline(const std::string& description);
  /// The source (floating), the element, the caps of its output and a fakesink; they are called
  /// source, canny, out and sink.
  Pipeline(GstElement* source, const std::string& output_caps);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  GstElement* get() const { return pipeline_.get(); }
  /// Sets the element that is called canny.
  void set(const ElementSettings& settings);
  /// Has every buffer that goes through the pad passed to the function first. Before run().
  void on_buffer(const char* element, const char* pad, OnBuffer on_buffer);
  /// What the caps of the pad say now.
  GstVideoInfo info(const char* element, const char* pad) const;

  /// Plays until the end of the stream or stop(), then shuts down.
  void run(double limit_seconds);
  /// From any thread.
  void stop();

  /// A number of the statistics of canny, also after run().
  guint64 stat(const char* field) const;
  std::string stat_text(const char* field) const;

 private:
  Ref<GstElement> named(const char* element) const;

  Ref<GstElement> pipeline_;
};

/// Times frames as they arrive, without those of a warm-up.
class Meter {
 public:
  /// Calls `stop` once the time is over.
  Meter(double warm_up_seconds, double seconds, std::function<void()> stop)
      : warm_up_seconds_(warm_up_seconds), seconds_(seconds), stop_(std::move(stop)) {}

  void frame();
  int frames() const { return frames_; }  ///< that were timed
  double microseconds() const;            ///< a frame

 private:
  static constexpr int kWarmUp = 50;  // frames at least

  double warm_up_seconds_, seconds_;
  std::function<void()> stop_;
  Stopwatch watch_;
  double first_ = 0, begin_ = 0, end_ = 0;  // microseconds on the watch
  int seen_ = 0, frames_ = -1;
  bool done_ = false;
};

/// Comparisons of outputs with the reference, beside the pipeline and one at a time.
class Checks {
 public:
  ~Checks() { finish(); }

  /// Whether an output is to be compared now: of the calls, one in kPeriod or, while the comparison
  /// before is not done, the first one after that.
  bool is_due();
  /// Begins a comparison, after is_due() said so; `is_right` runs in a thread of its own.
  void begin(std::function<bool()> is_right);
  /// Waits for the last one.
  void finish();

  int compared() const { return compared_; }
  int wrong() const { return wrong_; }

 private:
  static constexpr int kPeriod = 100;  // prime to the number of pictures

  bool is_idle() const;

  std::future<bool> pending_;
  int wait_ = 0;  // outputs until the next comparison
  int compared_ = 0, wrong_ = 0;
};

/// Lets one frame at a time into the element.
class Gate {
 public:
  void enter();  ///< waits until the frame before has left
  void leave();

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  bool is_taken_ = false;
};

}  // namespace bench

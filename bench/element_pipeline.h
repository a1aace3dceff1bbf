// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline with the element, its probes, and the classes that time and compare its frames.
#pragma once

#include <gst/video/video.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "element_ref.h"
#include "measure.h"

namespace bench {

/// The element's settings besides element_params().
struct ElementSettings {
  const char* backend = "cuda";
  unsigned frames_in_flight = 0;
  unsigned threads = 0;
  int device = -1;  ///< CUDA's id
};

class Pipeline {
 public:
  using OnBuffer = std::function<void(GstBuffer*)>;

  /// Takes a description for gst_parse_launch().
  explicit Pipeline(const std::string& description);
  /// Links the source (floating), the element, the caps of its output and a fakesink, with the
  /// names source, canny, out and sink.
  Pipeline(GstElement* source, const std::string& output_caps);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Adds a source (floating), with the name source, before the element.
  void add_source(GstElement* source, const char* element);

  GstElement* get() const { return pipeline_.get(); }
  /// Sets the properties of the element named canny.
  void set(const ElementSettings& settings);
  /// Passes every buffer that reaches the pad to the function first. Call before run().
  void on_buffer(const char* element, const char* pad, OnBuffer on_buffer);
  /// Return the pad's current caps.
  Ref<GstCaps> caps(const char* element, const char* pad) const;
  GstVideoInfo info(const char* element, const char* pad) const;

  /// Plays until the end of the stream or stop(), then shuts down.
  void run(double limit_seconds);
  /// Any thread may call this.
  void stop();

  /// Returns a number from the statistics of canny, also after run().
  guint64 stat(const char* field) const;
  std::string stat_text(const char* field) const;

  Ref<GstElement> named(const char* element) const;

 private:
  Ref<GstElement> pipeline_;
};

/// Returns "filesrc location=..." for a description of a pipeline.
std::string describe_source(const std::string& file);

/// Times frames as they arrive, except those of a warm-up.
class Meter {
 public:
  static constexpr int kWarmUp = 50;  ///< frames that are not timed, at least

  /// Calls `stop` once the time is over.
  Meter(double warm_up_seconds, double seconds, std::function<void()> stop)
      : warm_up_seconds_(warm_up_seconds), seconds_(seconds), stop_(std::move(stop)) {}

  void frame();
  int frames() const { return frames_; }  ///< timed so far
  double microseconds() const;            ///< per frame

 private:
  double warm_up_seconds_, seconds_;
  std::function<void()> stop_;
  Stopwatch watch_;
  double first_ = 0, begin_ = 0, end_ = 0;  // microseconds on the watch
  int seen_ = 0, frames_ = -1;
  bool done_ = false;
};

/// How many outputs were compared with the reference, and how many differ from it.
struct Comparison {
  int compared = 0, wrong = 0;

  void add(bool is_right) {
    ++compared;
    wrong += !is_right;
  }
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

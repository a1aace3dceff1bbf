// SPDX-License-Identifier: LGPL-2.1-or-later
// A pipeline that pushes pictures into cudacanny and compares what comes out.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "picture.h"

namespace load {

/// The frames of all streams of a load.
struct Score {
  std::atomic<std::uint64_t> pushed{0}, frames{0}, wrong{0};
};

/// appsrc ! cudacanny ! appsink. Frame i is one of the pictures, in an order that repeats rarely.
/// Errors of the pipeline are thrown as std::runtime_error.
class Stream {
 public:
  static constexpr std::uint64_t kEndless = UINT64_MAX;

  /// `settings` are the element's properties, in gst-launch's language. Pictures must live longer
  /// than the stream, and may change while nothing is pushed.
  Stream(const std::string& settings, const std::vector<Picture>& pictures, Score* score);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void set_state(GstState state);

  void push(std::uint64_t frames);  ///< begins to push so many more frames, while playing
  void stop();                      ///< pushes no more
  void wait();                      ///< until the last pushed frame has come out
  void run(std::uint64_t frames) {
    push(frames);
    wait();
  }

  GstElement* element() const { return element_.get(); }
  std::size_t different() const { return seen_.size(); }  ///< outputs; call after wait()

 private:
  const Picture& picture(std::uint64_t frame) const;
  void feed();
  void take(GstSample* sample);
  bool is_right(GstSample* sample, std::uint64_t frame);
  void read_messages();

  const std::vector<Picture>& pictures_;
  Score* score_;
  Owned<GstElement> pipeline_, source_, element_, sink_;
  Owned<GstBus> bus_;

  std::mutex feeding_;
  std::uint64_t pushed_ = 0, limit_ = 0;

  std::mutex taking_;
  std::condition_variable taken_;
  std::uint64_t next_ = 0;        // after the last frame that came out
  std::set<std::uint64_t> seen_;  // checksums
};

}  // namespace load

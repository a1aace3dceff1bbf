// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames that entered an element and those that must leave it.
#pragma once

#include <gst/gst.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "check/owned.h"
#include "check/pictures.h"
#include "properties.h"

namespace fuzz {

using check::Owned;

/// A frame that entered. Its PTS tells it from all others.
struct Sent {
  GstClockTime pts;
  Owned<GstBuffer> picture;
  check::Layout layout;
  canny::Params params;
  std::optional<Rectangles> regions;  ///< outside of which there are no edges
  bool must_leave;
};

/// Watches the source pad of an element.
class Outputs {
 public:
  explicit Outputs(GstElement* element);
  ~Outputs();
  Outputs(const Outputs&) = delete;
  Outputs& operator=(const Outputs&) = delete;

  void add(Sent sent);

  /// The frame that was added last must leave.
  void require_last();

  /// None of the frames so far must leave any more.
  void release();

  /// Compares all frames that left. Waits for those that must leave if `is_complete`.
  void check(bool is_complete, const char* when);

 private:
  struct Left {
    Owned<GstBuffer> buffer;
    Owned<GstCaps> caps;
  };
  static GstPadProbeReturn note(GstPad* pad, GstPadProbeInfo* info, gpointer outputs);
  bool take(Left* left, bool waits);
  void compare(const Left& left);
  bool is_any_awaited() const;

  GstPad* pad_;
  gulong probe_;
  std::deque<Sent> sent_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Left> left_;  ///< under the mutex
};

}  // namespace fuzz

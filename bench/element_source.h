// SPDX-License-Identifier: LGPL-2.1-or-later
// A source that costs next to nothing: it pushes the same buffers again and again.
#pragma once

#include <atomic>

#include "element_ref.h"

namespace bench {

inline constexpr int kFramesPerSecond = 60;

/// Whose memory a source pushes.
enum class Supply {
  kOffered,  ///< memory of the pool that downstream offers; the pictures are copied to it once
  kOwn,      ///< the pictures themselves
};

/// When a source's frames come.
struct Pace {
  static constexpr int kEarly = 8;

  int frames_per_second = kFramesPerSecond;
  /// If not null, the source is live: frames wait for their times, as a camera's do. But kEarly of
  /// them come at once, so that other elements get ready, and those that follow begin at this time,
  /// for which the source waits while it is GST_CLOCK_TIME_NONE.
  const std::atomic<GstClockTime>* begin = nullptr;
  GstClockTime delay = 0;  ///< of all frames of a live source
};

/// Makes a source (floating) that ends after `frames`, if not 0. Frame n is a shallow copy of
/// picture n modulo the number of pictures. With Supply::kOffered, the pictures must be frames of
/// the caps in ordinary memory, without a GstVideoMeta. A picture with a DTS is encoded: its frames
/// are decoded at the pace, and are shown as much later as its PTS is.
GstElement* new_source(GstCaps* caps, Buffers pictures, Supply supply, guint64 frames = 0,
                       Pace pace = {});

/// Returns the number of the frame that the buffer was made from, at kFramesPerSecond.
guint64 frame_number(GstBuffer* buffer);

}  // namespace bench

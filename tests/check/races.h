// SPDX-License-Identifier: LGPL-2.1-or-later
/// Everything that can happen to an element with frames in flight, two things at a time.
#pragma once

#include <functional>

#include "fixture.h"

namespace check {

/// A stream whose frames fit two caps, so that no order of caps and frames is an error.
struct RaceStream {
  std::function<GstCaps*(int)> caps;               ///< 0 or 1 (transfer full)
  std::function<GstBuffer*(GstClockTime)> buffer;  ///< for both (transfer full)
  /// After a race the element was started anew: this many frames of caps 0 are in it. Are they
  /// right?
  std::function<void(Element&, int)> judge;
  int rounds = is_slow() ? 1 : 12;  ///< of each pair
};

/// Has the element push frames while two things happen at the same time, for every pair: pushes,
/// caps, the end of the stream, flushes, whole or cut off, the source pad off and on, READY and
/// PLAYING, properties and queries. After each pair the element is started anew, and must give
/// exact frames; no error may have been posted.
void race_all_pairs(Element& element, const RaceStream& stream);

}  // namespace check

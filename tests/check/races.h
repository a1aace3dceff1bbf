// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs every pair of events at the same time on an element with frames in flight.
#pragma once

#include <functional>

#include "fixture.h"

namespace check {

/// A stream whose frames fit two caps, so no order of caps and frames is an error.
struct RaceStream {
  std::function<GstCaps*(int)> caps;               ///< 0 or 1 (transfer full)
  std::function<GstBuffer*(GstClockTime)> buffer;  ///< for both (transfer full)
  /// Checks the output after a race. The element has been restarted, and this many frames of caps 0
  /// are in it.
  std::function<void(Element&, int)> judge;
  int rounds = is_slow() ? 1 : 12;  ///< rounds of each pair
};

/// Makes the element push frames while two events happen at the same time, for every pair: pushes,
/// caps, the end of the stream, flushes, whole or cut off, the source pad off and on, READY and
/// PLAYING, properties and queries. After each pair the element is restarted. Its frames must be
/// exact, and no error may have been posted.
void race_all_pairs(Element& element, const RaceStream& stream);

}  // namespace check

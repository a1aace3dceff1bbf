// SPDX-License-Identifier: LGPL-2.1-or-later
// A source that costs next to nothing: it pushes the same buffers again and again.
#pragma once

#include "element_ref.h"

namespace bench {

inline constexpr int kFramesPerSecond = 60;

/// Whose memory a source pushes.
enum class Supply {
  kOffered,  ///< that of the pool which downstream offers; the pictures are copied to it once
  kOwn,      ///< the pictures themselves
};

/// A source (floating) of raw video, not live, that never ends: frame n is a shallow copy of
/// picture n modulo their number. Frames have the times of kFramesPerSecond. With Supply::kOffered,
/// the pictures are frames of the caps in ordinary memory and without a GstVideoMeta.
GstElement* new_source(GstCaps* caps, Buffers pictures, Supply supply);

/// The number of the frame that the buffer was made from.
guint64 frame_number(GstBuffer* buffer);

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// A source that costs next to nothing: it pushes the same buffers again and again.
#pragma once

#include "element_ref.h"

namespace bench {

inline constexpr int kFramesPerSecond = 60;

/// Whose memory a source pushes.
enum class Supply {
  kOffered,  ///< memory of the pool that downstream offers; the pictures are copied to it once
  kOwn,      ///< the pictures themselves
};

/// Makes a source (floating) of raw video that is not live and ends after `frames`, if not 0. Frame
/// n is a shallow copy of picture n modulo the number of pictures. Timestamps follow
/// kFramesPerSecond. With Supply::kOffered, the pictures must be frames of the caps in ordinary
/// memory, without a GstVideoMeta.
GstElement* new_source(GstCaps* caps, Buffers pictures, Supply supply, guint64 frames = 0);

/// Returns the number of the frame that the buffer was made from.
guint64 frame_number(GstBuffer* buffer);

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edges into pixels of any output format and counts them, on the GPU.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "cuda/hysteresis/hysteresis.h"
#include "cuda/launch.h"
#include "cuda/report.h"

namespace canny::cuda {

/// Writes every pixel of `output`, which is in device memory at any alignment, and chroma without
/// color if it has any. Reports the number of edges. `streamed` makes pixels the first to leave the
/// L2 cache, for outputs that would take the place of most that it holds.
Status output(const Edges& edges, const Frame& output, bool streamed, const Reporter& reporter,
              Launcher* launcher);

/// Writes the chroma of `output`, without color, if it has any.
Status output_chroma(const Frame& output, Launcher* launcher);

/// Writes the edges of each picture as rows of bits, one after the other, each of as many words as
/// a row has tiles. Bits to the right of the last pixel are 0.
Status output_bits(const Edges& edges, std::uint32_t* words, Launcher* launcher);

}  // namespace canny::cuda

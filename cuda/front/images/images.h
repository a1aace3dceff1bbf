// SPDX-License-Identifier: LGPL-2.1-or-later
// The images that gradients are computed of, in device memory.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/front/buffers.h"
#include "cuda/launch.h"
#include "cuda/pictures.h"

namespace canny::cuda {

/// Blurred images of each picture, one after the other: luma, or red, green and blue, with samples
/// of 8 or, of deep plans, 16 bits. Rows are `pitch` bytes apart.
struct Images {
  const std::uint8_t* image[3];
  int count, pitch;
};

/// Computes the blurred images of a frame in device memory, at any alignment, in `buffers`.
Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher);

}  // namespace canny::cuda

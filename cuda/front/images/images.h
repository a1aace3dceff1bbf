// SPDX-License-Identifier: LGPL-2.1-or-later
// The images that gradients are computed of, in device memory.
#pragma once

#include <cstdint>

#include "canny/canny.h"
#include "canny/plan.h"
#include "cuda/launch.h"

namespace canny::cuda {

/// Device memory of a frame for images. Rows are `pitch` samples apart, a multiple of 16 that is at
/// least the width.
struct FrontBuffers {
  int pitch = 0;
  std::uint16_t* row_sums = nullptr;  ///< horizontal sums, 8 fractional bits
  std::uint8_t* image = nullptr;
  std::uint8_t* colors[2] =
      {};  ///< for plans of 3 channels, the images of the second and third one
  std::uint32_t* maxima = nullptr;  ///< for MaximaLists
  // For deep samples:
  std::uint32_t* deep_row_sums = nullptr;
  std::uint16_t* deep_images[3] = {};  ///< the second and third one for plans of 3 channels
};

/// Blurred images: luma, or red, green and blue, with samples of 8 or, of deep plans, 16 bits. Rows
/// are `pitch` bytes apart.
struct Images {
  const std::uint8_t* image[3];
  int count, pitch;
};

/// Computes the blurred images of a frame in device memory, at any alignment, in `buffers`. They
/// are in buffers.image and, if there are 3, in buffers.colors; those of deep plans are in
/// buffers.deep_images.
Status blurred_images(const Plan& plan, const ConstFrame& input, const FrontBuffers& buffers,
                      Images* images, Launcher* launcher);

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocates what the kernels of a route write.
#include "cuda/front/buffers.h"

#include "cuda/front/strip/maxima_lists.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {

Status FrontBuffers::reserve(const Plan& plan, const FrontRoute& route, int width, int height,
                             unsigned pictures, cudaStream_t stream) {
  pitch = static_cast<int>(round_up(width, 16));
  const std::size_t samples = static_cast<std::size_t>(pitch) * height * pictures;
  const std::size_t bytes = plan.is_deep ? 2 * samples : samples;
  for (int i = 0; i < plan.channels && route.has_images(); ++i) CANNY_TRY(images[i].reserve(bytes));
  if (plan.blur.count <= kWideStripTaps) CANNY_TRY(taps.set(plan.blur, stream));
  if (route.has_row_sums) CANNY_TRY(row_sums.reserve(2 * bytes));
  if (route.source == FrontSource::kBlurWideStrip) CANNY_TRY(luma.reserve(samples));
  if (route.end != FrontEnd::kMaxima) return {};
  return maxima.reserve(maxima_words(width, height) * pictures);
}

}  // namespace canny::cuda

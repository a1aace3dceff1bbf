// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocates what the kernels of a route write.
#include "cuda/front/buffers.h"

#include "cuda/front/strip/maxima_lists.h"
#include "cuda/geometry.h"

namespace canny::cuda {
namespace {

template <class Sample, class Sum>
Status reserve_images(const Plan& plan, const FrontRoute& route, std::size_t samples,
                      DeviceArray<Sample> (*images)[3], DeviceArray<Sum>* row_sums) {
  const int count = route.has_images() ? plan.channels : 0;
  for (int i = 0; i < count; ++i) CANNY_TRY((*images)[i].reserve(samples));
  return route.has_row_sums ? row_sums->reserve(samples) : Status();
}

}  // namespace

Status FrontBuffers::reserve(const Plan& plan, const FrontRoute& route, int width, int height,
                             unsigned pictures) {
  pitch = static_cast<int>(round_up(width, 16));
  const std::size_t samples = static_cast<std::size_t>(pitch) * height * pictures;
  CANNY_TRY(plan.is_deep ? reserve_images(plan, route, samples, &deep_images, &deep_row_sums)
                         : reserve_images(plan, route, samples, &images, &row_sums));
  if (route.source == FrontSource::kBlurWideStrip) CANNY_TRY(luma.reserve(samples));
  if (route.end != FrontEnd::kMaxima) return {};
  return maxima.reserve(maxima_words(width, height) * pictures);
}

}  // namespace canny::cuda

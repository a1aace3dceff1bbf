// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocates what the kernels of a route write. Keeps the taps of a blur, as the matrices that
// strips multiply by, in device memory: as arguments of a kernel they would take longer to pass on
// for each frame than all other arguments together.
#include "cuda/front/buffers.h"

#include "cuda/check.h"
#include "cuda/front/strip/strip.h"
#include "cuda/geometry.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace strip {
namespace {

// Sets a lane's part of the matrices; see multiply_add(). Their columns are ordered so that no lane
// has to move samples: row taps multiply the pixels that a lane loads, and column taps multiply the
// row sums that the previous product leaves in it.
void set_taps(const Taps& taps, int lane, TapTables* tables) {
  const int radius = taps.radius();
  const int reach = radius <= Reach<8>::kRadius    ? 8
                    : radius <= Reach<24>::kRadius ? 24
                                                   : kWideReach;
  // Returns the weight of a sample of the window in the output whose own sample is number `middle`.
  const auto tap = [&](int sample, int middle) -> std::uint32_t {
    const int i = sample - middle + radius;
    return i >= 0 && i <= 2 * radius ? taps.weight[i] : 0;
  };
  for (int product = 0; product < kMostProducts; ++product) {
    std::uint32_t row_taps[4] = {}, column_taps[4] = {};
    for (int i = 0; i < 16; ++i) {
      const int word = i / 4, byte = i % 4, half = word / 2;
      const int output = lane / 4 + 8 * (word % 2);
      const int column = 32 * product + 16 * half + 4 * (lane % 4) + byte;
      const int row = 32 * product + 16 * half + 2 * (lane % 4) + (byte < 2 ? byte : byte + 6);
      row_taps[word] |= tap(column, output + reach - kApron) << 8 * byte;
      column_taps[word] |= tap(row, output + reach) << 8 * byte;
    }
    tables->rows[product][lane] = {row_taps[0], row_taps[1], row_taps[2], row_taps[3]};
    tables->columns[product][lane] = {column_taps[0], column_taps[1], column_taps[2],
                                      column_taps[3]};
  }
}

}  // namespace
}  // namespace strip

Status TapCache::set(const Taps& taps, cudaStream_t stream) {
  // Kernels that do not blur read no taps.
  if (taps.is_identity() || taps == taps_) return {};
  TapTables tables;
  for (int lane = 0; lane < kWarp; ++lane) strip::set_taps(taps, lane, &tables);
  CANNY_TRY(tables_.reserve(1));
  taps_ = {};
  CANNY_CUDA_TRY(cudaMemcpyAsync(tables_, &tables, sizeof tables, cudaMemcpyHostToDevice, stream));
  taps_ = taps;
  return {};
}

Status FrontBuffers::reserve(const Plan& plan, const FrontRoute& route, int width, int height,
                             unsigned pictures, cudaStream_t stream) {
  pitch = 16 * blocks(width, 16);
  const std::size_t samples = static_cast<std::size_t>(pitch) * height * pictures;
  const std::size_t bytes = plan.is_deep ? 2 * samples : samples;
  for (int i = 0; i < plan.channels && route.has_images(); ++i) CANNY_TRY(images[i].reserve(bytes));
  if (plan.blur.count <= kWideStripTaps) CANNY_TRY(taps.set(plan.blur, stream));
  if (route.has_row_sums) CANNY_TRY(row_sums.reserve(2 * bytes));
  if (route.source == FrontSource::kBlurWideStrip) CANNY_TRY(luma.reserve(samples));
  if (route.end != FrontEnd::kMaxima) return {};
  return maxima.reserve(strip::maxima_words(width, height) * pictures);
}

}  // namespace canny::cuda

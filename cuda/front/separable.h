// SPDX-License-Identifier: LGPL-2.1-or-later
// The gradients of separable operators in a column of pixels in shared memory.
#pragma once

namespace canny::cuda {

/// Calls take(row, gx, gy) for kRows gradients of a column, from the top down. `pixel` points at
/// the upper left pixel that the first one reads; rows are kPitch samples apart. The difference and
/// the smoothed sum of a row are used for kSize rows of gradients. Weights has
/// difference(i) and smooth(i) for i < kSize, from the left or the top.
template <int kSize, int kRows, int kPitch, class Sample, class Weights, class Take>
__device__ void separable_gradients(const Sample* pixel, const Weights& weights, Take take) {
  int differences[kSize] = {}, sums[kSize] = {};
#pragma unroll
  for (int i = 0; i < kRows + kSize - 1; ++i) {
    int difference = 0, sum = 0;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      const int value = pixel[i * kPitch + j];
      difference += weights.difference(j) * value;
      sum += weights.smooth(j) * value;
    }
    differences[i % kSize] = difference;
    sums[i % kSize] = sum;
    if (i + 1 < kSize) continue;
    int gx = 0, gy = 0;
#pragma unroll
    for (int j = 0; j < kSize; ++j) {
      gx += weights.smooth(j) * differences[(i + 1 + j) % kSize];
      gy += weights.difference(j) * sums[(i + 1 + j) % kSize];
    }
    take(i + 1 - kSize, gx, gy);
  }
}

}  // namespace canny::cuda

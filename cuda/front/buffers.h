// SPDX-License-Identifier: LGPL-2.1-or-later
// What front ends keep of a frame between their kernels.
#pragma once

#include <cstdint>

#include "canny/plan.h"
#include "cuda/front/route.h"
#include "cuda/memory.h"

namespace canny::cuda {

/// Taps as the matrices that strips multiply by: one entry per lane for each product.
inline constexpr int kMostProducts = 3;
struct TapTables {
  uint4 rows[kMostProducts][32], columns[kMostProducts][32];
};

/// The tables of the taps that were last used, in device memory.
class TapCache {
 public:
  /// Queues the copy of these, unless they are there.
  Status set(const Taps& taps, cudaStream_t stream);
  const TapTables* tables() const { return tables_; }

 private:
  Taps taps_;
  DeviceArray<TapTables> tables_;
};

/// Device memory for frames of one size, for each picture after that of the one before. Rows of
/// images are `pitch` samples apart, a multiple of 16 that is at least the width. Samples have 8
/// bits, or of deep plans 16. Of plans of 3 channels all images are used, else the first.
struct FrontBuffers {
  int pitch = 0;
  DeviceArray<std::uint8_t> images[3];
  DeviceArray<std::uint8_t> luma;  ///< of 8 bits, for FrontSource::kBlurWideStrip, beside `images`
  DeviceArray<std::uint8_t> row_sums;  ///< horizontal sums, 8 fractional bits: twice as wide
  DeviceArray<std::uint32_t> maxima;   ///< for MaximaLists
  TapCache taps;                       ///< of blurs that strips can compute

  template <class Sample>
  Sample* image(int i) const {
    return reinterpret_cast<Sample*>(images[i].data());
  }

  /// Allocates what a route of the plan needs and is not there. Copies taps in the stream.
  Status reserve(const Plan& plan, const FrontRoute& route, int width, int height,
                 unsigned pictures, cudaStream_t stream);
};

/// Blurred images of each picture, one after the other: luma, or red, green and blue, with samples
/// of 8 or, of deep plans, 16 bits. Rows are `pitch` bytes apart.
struct Images {
  const std::uint8_t* image[3];
  int count, pitch;
};

}  // namespace canny::cuda

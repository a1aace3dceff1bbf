// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures of a batch in device memory. All kernels of a frame have as many layers of blocks as
// it has pictures: those with blockIdx.z = i compute picture i. What kernels write between their
// input and their output lies in device memory picture after picture.
#pragma once

#include <cstddef>
#include <cstdint>

#include "canny/canny.h"

namespace canny::cuda {

/// Where the pictures of a frame lie, as kernels get it.
struct Pictures {
  const std::uint8_t* const* data;  ///< their first bytes, in device memory; or null
  std::ptrdiff_t stride_bytes;      ///< without `data`, from one to the next

#ifdef __CUDACC__
  /// The bytes from the first picture to the block's picture.
  __device__ std::ptrdiff_t offset() const {
    return data != nullptr ? data[blockIdx.z] - data[0] : blockIdx.z * stride_bytes;
  }
#endif
};

/// The pictures of a frame in device memory. If it has `batch.data`, this is there as well, and the
/// bits of `batch.stride_bytes` are those in which addresses differ: see is_aligned().
template <class Byte>
Pictures pictures_of(const BasicFrame<Byte>& frame) {
  return {frame.batch.data, frame.batch.stride_bytes};
}

/// Whether the rows of a plane begin at multiples of `bytes` bytes, a power of 2, in all pictures.
template <class Byte>
bool is_aligned(const BasicPlane<Byte>& plane, const Pictures& pictures, int bytes) {
  return reinterpret_cast<std::uintptr_t>(plane.data) % bytes == 0 &&
         plane.stride_bytes % bytes == 0 && pictures.stride_bytes % bytes == 0;
}

#ifdef __CUDACC__
/// The first row of the block's picture in images of so many rows, one after the other.
__device__ inline int first_row_of_picture(int height) {
  return static_cast<int>(blockIdx.z) * height;
}
#endif

}  // namespace canny::cuda

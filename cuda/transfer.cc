// SPDX-License-Identifier: LGPL-2.1-or-later
// Uploads and downloads frames, and allocates the memory for that.
#include "cuda/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "canny/bits.h"
#include "canny/copy_rows.h"
#include "canny/frame.h"
#include "canny/transfer.h"
#include "cuda/check.h"

namespace canny::cuda {
namespace {

// Large enough to occupy all threads, small enough for the bus to start soon.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Places the rows of a plane in device memory, in order of address.
template <class Byte>
BasicPlane<Byte> placed_plane(const BasicFrame<Byte>& plane, std::uint8_t* memory) {
  const auto pitch = static_cast<std::ptrdiff_t>(pitch_of(row_bytes(plane)));
  if (plane.stride_bytes < 0) return {memory + pitch * (plane.height - 1), -pitch};
  return {memory, pitch};
}

// Places chroma in device memory. U and V may alternate in one plane.
template <class Byte>
BasicChroma<Byte> placed_chroma(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  BasicChroma<Byte> result = frame.chroma;
  const BasicFrame<Byte> first = plane(frame, 1);
  const BasicPlane<Byte> at = placed_plane(first, memory + plane_offset(frame, 1));
  if (chroma_planes(frame) == 1) {
    result.u = {at.data + (frame.chroma.u.data - first.data), at.stride_bytes};
    result.v = {at.data + (frame.chroma.v.data - first.data), at.stride_bytes};
  } else {
    result.u = at;
    result.v = placed_plane(plane(frame, 2), memory + plane_offset(frame, 2));
  }
  return result;
}

// Places a frame in device memory, one plane after the other.
template <class Byte>
BasicFrame<Byte> placed(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  const BasicPlane<Byte> first = placed_plane(plane(frame, 0), memory);
  BasicFrame<Byte> result = frame;
  result.data = first.data;
  result.stride_bytes = first.stride_bytes;
  result.memory = Memory::kDevice;
  if (layout(frame.format).planes > 1) {
    result.green = placed_plane(plane(frame, 1), memory + plane_offset(frame, 1));
    result.blue = placed_plane(plane(frame, 2), memory + plane_offset(frame, 2));
  }
  if (has_chroma(frame)) result.chroma = placed_chroma(frame, memory);
  return result;
}

// Finds out whether the device can read and write a plane's memory directly.
template <class Byte>
Status find_page_locked(const BasicFrame<Byte>& frame, bool* is_page_locked) {
  const std::ptrdiff_t pitch = std::abs(frame.stride_bytes);
  const Byte* first = lowest_row(frame);
  const Byte* last = first + pitch * (frame.height - 1) + row_bytes(frame) - 1;
  *is_page_locked = true;
  for (const Byte* end : {first, last}) {
    cudaPointerAttributes attributes;
    CANNY_CUDA_TRY(cudaPointerGetAttributes(&attributes, end));
    if (attributes.type == cudaMemoryTypeUnregistered) *is_page_locked = false;
  }
  return {};
}

// Copies a plane, as one block if there are no gaps between rows.
Status copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, int row_bytes,
            int rows, cudaMemcpyKind kind, cudaStream_t stream) {
  const auto bytes = static_cast<std::size_t>(row_bytes);
  if (to_pitch == bytes && from_pitch == bytes)
    CANNY_CUDA_TRY(cudaMemcpyAsync(to, from, bytes * rows, kind, stream));
  else
    CANNY_CUDA_TRY(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, kind, stream));
  return {};
}

}  // namespace

Status Staging::reserve(std::size_t bytes) {
  if (bytes <= bytes_) return {};
  release();
  void* memory = nullptr;
  if (kind_ == Kind::kDevice)
    CANNY_CUDA_TRY(cudaMalloc(&memory, bytes));
  else
    CANNY_CUDA_TRY(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  data_ = static_cast<std::uint8_t*>(memory);
  bytes_ = bytes;
  return {};
}

void Staging::release() {
  if (kind_ == Kind::kDevice)
    cudaFree(data_);
  else
    cudaFreeHost(data_);
  cudaGetLastError();
  data_ = nullptr;
  bytes_ = 0;
}

Status Upload::queue(const ConstFrame& input, cudaStream_t stream, ConstFrame* on_device) {
  CANNY_TRY(pixels_.reserve(frame_bytes(input)));
  *on_device = placed(input, pixels_.data());
  for (int i = 0; i < plane_count(input); ++i) CANNY_TRY(queue_plane(input, i, stream));
  return {};
}

Status Upload::queue_plane(const ConstFrame& input, int i, cudaStream_t stream) {
  const ConstFrame rows = plane(input, i);
  const int bytes = row_bytes(rows);
  const std::size_t offset = plane_offset(input, i);
  bool is_page_locked;
  CANNY_TRY(find_page_locked(rows, &is_page_locked));
  if (!is_page_locked) {
    CANNY_TRY(page_locked_.reserve(frame_bytes(input)));
    return queue_pieces(rows, offset, stream);
  }
  return copy(pixels_.data() + offset, pitch_of(bytes), lowest_row(rows),
              std::abs(rows.stride_bytes), bytes, rows.height, cudaMemcpyHostToDevice, stream);
}

Status Upload::queue_pieces(const ConstFrame& plane, std::size_t offset, cudaStream_t stream) {
  const int bytes = row_bytes(plane);
  const std::size_t pitch = pitch_of(bytes);
  const std::ptrdiff_t stride = std::abs(plane.stride_bytes);
  const int rows = static_cast<int>(std::max<std::size_t>(kPieceBytes / pitch, 1));
  for (int y = 0; y < plane.height; y += rows) {
    const int count = std::min(rows, plane.height - y);
    const std::size_t first = offset + pitch * y;
    std::uint8_t* staged = page_locked_.data() + first;
    copy_rows(lowest_row(plane) + stride * y, stride, staged, pitch, bytes, count);
    CANNY_TRY(copy(pixels_.data() + first, pitch, staged, pitch, bytes, count,
                   cudaMemcpyHostToDevice, stream));
  }
  return {};
}

void Upload::release() {
  pixels_.release();
  page_locked_.release();
}

Status Download::place(const Frame& output, Frame* on_device) {
  CANNY_TRY(pixels_.reserve(frame_bytes(output)));
  *on_device = placed(output, pixels_.data());
  return {};
}

Status Download::queue(const Frame& output, cudaStream_t stream) {
  const int planes = plane_count(output);
  is_staged_ = false;
  for (int i = 0; i < planes; ++i) {
    bool is_page_locked;
    CANNY_TRY(find_page_locked(plane(output, i), &is_page_locked));
    if (!is_page_locked) is_staged_ = true;
  }
  if (is_staged_) CANNY_TRY(page_locked_.reserve(frame_bytes(output)));
  for (int i = 0; i < planes; ++i)
    CANNY_TRY(queue_plane(plane(output, i), plane_offset(output, i), stream));
  return {};
}

Status Download::queue_plane(const Frame& plane, std::size_t offset, cudaStream_t stream) {
  const int bytes = row_bytes(plane);
  const std::size_t pitch = pitch_of(bytes);
  std::uint8_t* to = is_staged_ ? page_locked_.data() + offset : lowest_row(plane);
  const std::size_t to_pitch = is_staged_ ? pitch : std::abs(plane.stride_bytes);
  return copy(to, to_pitch, pixels_.data() + offset, pitch, bytes, plane.height,
              cudaMemcpyDeviceToHost, stream);
}

void Download::finish(const Frame& output) const {
  if (!is_staged_) return;
  for (int i = 0; i < plane_count(output); ++i) {
    const Frame rows = plane(output, i);
    const int bytes = row_bytes(rows);
    copy_rows(page_locked_.data() + plane_offset(output, i),
              static_cast<std::ptrdiff_t>(pitch_of(bytes)), lowest_row(rows),
              std::abs(rows.stride_bytes), bytes, rows.height);
  }
}

void Download::release() {
  pixels_.release();
  page_locked_.release();
}

Status BitsDownload::place(int width, int height, std::uint32_t** on_device) {
  row_bytes_ = static_cast<std::size_t>((width + kWordBits - 1) / kWordBits) * sizeof **on_device;
  bytes_ = row_bytes_ * height;
  CANNY_TRY(words_.reserve(bytes_));
  CANNY_TRY(page_locked_.reserve(bytes_));
  *on_device = reinterpret_cast<std::uint32_t*>(words_.data());
  return {};
}

Status BitsDownload::queue(cudaStream_t stream) {
  CANNY_CUDA_TRY(
      cudaMemcpyAsync(page_locked_.data(), words_.data(), bytes_, cudaMemcpyDeviceToHost, stream));
  return {};
}

void BitsDownload::finish(EdgeBits* bits) const {
  for (int y = 0; y < bits->height(); ++y)
    std::memcpy(bits->row(y), page_locked_.data() + y * row_bytes_, row_bytes_);
}

void BitsDownload::release() {
  words_.release();
  page_locked_.release();
}

}  // namespace canny::cuda

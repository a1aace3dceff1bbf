// SPDX-License-Identifier: LGPL-2.1-or-later
// Uploads and downloads, and the memory at their ends.
#include "kernels/transfer.h"

#include <algorithm>
#include <cstdlib>

#include "frame.h"
#include "kernels/check.h"

namespace canny::cuda {
namespace {

constexpr std::size_t kAlignment = 16;  // of rows, for the kernels' widest loads and stores

// Large enough for all threads to have their part, small enough for the bus to start soon.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

std::size_t pitch_of(int row_bytes) {
  return (row_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t bytes_of(int row_bytes, int height) {
  return pitch_of(row_bytes) * static_cast<std::size_t>(height);
}

// A frame with the rows of `frame` in their order of address, in device memory.
template <class Byte>
BasicFrame<Byte> placed(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  const auto pitch = static_cast<std::ptrdiff_t>(pitch_of(row_bytes(frame)));
  BasicFrame<Byte> result = frame;
  const bool bottom_up = frame.stride_bytes < 0;
  result.stride_bytes = bottom_up ? -pitch : pitch;
  result.data = bottom_up ? memory + pitch * (frame.height - 1) : memory;
  result.memory = Memory::kDevice;
  return result;
}

// Whether the device reads and writes the frame's memory itself.
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

// Copies of whole frames, which are one block where nothing lies between the rows.
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
  const int bytes = row_bytes(input);
  CANNY_TRY(pixels_.reserve(bytes_of(bytes, input.height)));
  *on_device = placed(input, pixels_.data());
  bool is_page_locked;
  CANNY_TRY(find_page_locked(input, &is_page_locked));
  if (!is_page_locked) return queue_pieces(input, stream);
  return copy(pixels_.data(), pitch_of(bytes), lowest_row(input), std::abs(input.stride_bytes),
              bytes, input.height, cudaMemcpyHostToDevice, stream);
}

Status Upload::queue_pieces(const ConstFrame& input, cudaStream_t stream) {
  const int bytes = row_bytes(input);
  const std::size_t pitch = pitch_of(bytes);
  const std::ptrdiff_t stride = std::abs(input.stride_bytes);
  CANNY_TRY(page_locked_.reserve(bytes_of(bytes, input.height)));
  const int rows = static_cast<int>(std::max<std::size_t>(kPieceBytes / pitch, 1));
  for (int y = 0; y < input.height; y += rows) {
    const int count = std::min(rows, input.height - y);
    std::uint8_t* staged = page_locked_.data() + pitch * y;
    copy_rows(lowest_row(input) + stride * y, stride, staged, pitch, bytes, count);
    CANNY_TRY(copy(pixels_.data() + pitch * y, pitch, staged, pitch, bytes, count,
                   cudaMemcpyHostToDevice, stream));
  }
  return {};
}

void Upload::release() {
  pixels_.release();
  page_locked_.release();
}

Status Download::place(const Frame& output, Frame* on_device) {
  CANNY_TRY(pixels_.reserve(bytes_of(row_bytes(output), output.height)));
  *on_device = placed(output, pixels_.data());
  return {};
}

Status Download::queue(const Frame& output, cudaStream_t stream) {
  const int bytes = row_bytes(output);
  const std::size_t pitch = pitch_of(bytes);
  bool is_page_locked;
  CANNY_TRY(find_page_locked(output, &is_page_locked));
  is_staged_ = !is_page_locked;
  if (is_staged_) CANNY_TRY(page_locked_.reserve(bytes_of(bytes, output.height)));
  std::uint8_t* to = is_staged_ ? page_locked_.data() : lowest_row(output);
  const std::size_t to_pitch = is_staged_ ? pitch : std::abs(output.stride_bytes);
  return copy(to, to_pitch, pixels_.data(), pitch, bytes, output.height, cudaMemcpyDeviceToHost,
              stream);
}

void Download::finish(const Frame& output) const {
  if (!is_staged_) return;
  const int bytes = row_bytes(output);
  copy_rows(page_locked_.data(), static_cast<std::ptrdiff_t>(pitch_of(bytes)), lowest_row(output),
            std::abs(output.stride_bytes), bytes, output.height);
}

void Download::release() {
  pixels_.release();
  page_locked_.release();
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// Uploads and downloads frames, and allocates the memory for that.
#include "cuda/transfer.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "canny/batch.h"
#include "canny/frame.h"
#include "canny/transfer.h"
#include "cuda/check.h"
#include "cuda/waiting.h"

namespace canny::cuda {
namespace {

// Places the pictures of a frame in device memory, one after the other.
template <class Byte>
BasicFrame<Byte> placed_pictures(const BasicFrame<Byte>& frame, std::uint8_t* memory) {
  BasicFrame<Byte> result = placed(picture_of(frame, 0), memory);
  result.batch = {frame.batch.count, static_cast<std::ptrdiff_t>(frame_bytes(frame)), nullptr};
  return result;
}

// Calls f(plane, offset) for each plane of each picture, with its place in a device's memory.
template <class Byte, class F>
Status for_each_plane(const BasicFrame<Byte>& frame, F f) {
  for (unsigned i = 0; i < frame.batch.count; ++i) {
    const BasicFrame<Byte> picture = picture_of(frame, i);
    for (int j = 0; j < plane_count(frame); ++j)
      CANNY_TRY(f(plane(picture, j), i * frame_bytes(frame) + plane_offset(picture, j)));
  }
  return {};
}

// Sets `*is_pageable` if the device can't read and write a plane's memory directly.
template <class Byte>
Status find_pageable(const BasicFrame<Byte>& plane, bool* is_pageable) {
  const std::ptrdiff_t pitch = std::abs(plane.stride_bytes);
  const Byte* first = lowest_row(plane);
  const Byte* last = first + pitch * (plane.height - 1) + row_bytes(plane) - 1;
  for (const Byte* end : {first, last}) {
    cudaPointerAttributes attributes;
    CANNY_CUDA_TRY(cudaPointerGetAttributes(&attributes, end));
    if (attributes.type == cudaMemoryTypeUnregistered) *is_pageable = true;
  }
  return {};
}

// Copies rows, as one block if there are no gaps between them.
Status copy(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
            std::size_t row_bytes, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  if (to_pitch == row_bytes && from_pitch == row_bytes)
    CANNY_CUDA_TRY(cudaMemcpyAsync(to, from, row_bytes * rows, kind, stream));
  else
    CANNY_CUDA_TRY(
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row_bytes, rows, kind, stream));
  return {};
}

}  // namespace

Status Upload::queue(const ConstFrame& input, cudaStream_t stream, ConstFrame* on_device) {
  bytes_ = frame_bytes(input) * input.batch.count;
  CANNY_TRY(pixels_.reserve(bytes_));
  *on_device = placed_pictures(input, pixels_.data());
  return for_each_plane(input, [&](const ConstFrame& plane, std::size_t offset) {
    return queue_plane(plane, offset, stream);
  });
}

Status Upload::queue_plane(const ConstFrame& plane, std::size_t offset, cudaStream_t stream) {
  const Rows<const std::uint8_t> rows = rows_of(plane);
  const std::size_t pitch = pitch_of(row_bytes(plane));
  std::uint8_t* const to = pixels_.data() + offset;
  bool is_pageable = false;
  CANNY_TRY(find_pageable(plane, &is_pageable));
  if (!is_pageable)
    return copy(to, pitch, rows.data, rows.pitch, rows.bytes, rows.count, cudaMemcpyHostToDevice,
                stream);
  CANNY_TRY(page_locked_.reserve(bytes_));
  const auto queue_piece = [&](const Rows<std::uint8_t>& piece, std::size_t first) {
    return copy(to + first, pitch, piece.data, pitch, piece.bytes, piece.count,
                cudaMemcpyHostToDevice, stream);
  };
  return copy_pieces(rows, page_locked_.data() + offset, queue_piece);
}

Status Download::place(const Frame& output, Frame* on_device) {
  CANNY_TRY(pixels_.reserve(frame_bytes(output) * output.batch.count));
  *on_device = placed_pictures(output, pixels_.data());
  return {};
}

Status Download::queue(const Frame& output, cudaStream_t stream) {
  is_staged_ = false;
  CANNY_TRY(for_each_plane(
      output, [&](const Frame& plane, std::size_t) { return find_pageable(plane, &is_staged_); }));
  if (is_staged_) CANNY_TRY(page_locked_.reserve(frame_bytes(output) * output.batch.count));
  return for_each_plane(output, [&](const Frame& plane, std::size_t offset) {
    return queue_plane(plane, offset, stream);
  });
}

Status Download::queue_plane(const Frame& plane, std::size_t offset, cudaStream_t stream) {
  const Rows<std::uint8_t> rows = rows_of(plane);
  const std::size_t pitch = pitch_of(row_bytes(plane));
  std::uint8_t* to = is_staged_ ? page_locked_.data() + offset : rows.data;
  return copy(to, is_staged_ ? pitch : rows.pitch, pixels_.data() + offset, pitch, rows.bytes,
              rows.count, cudaMemcpyDeviceToHost, stream);
}

void Download::finish(const Frame& output) const {
  if (!is_staged_) return;
  for (unsigned picture = 0; picture < output.batch.count; ++picture)
    copy_planes(page_locked_.data() + picture * frame_bytes(output), picture_of(output, picture));
}

Status copy_picture(const ConstFrame& picture, cudaStream_t stream,
                    std::vector<std::uint8_t>* memory, ConstFrame* in_host) {
  memory->resize(frame_bytes(picture));
  *in_host = placed(picture, memory->data());
  in_host->memory = Memory::kHost;
  CANNY_TRY(for_each_plane(picture, [&](const ConstFrame& plane, std::size_t offset) {
    const Rows<const std::uint8_t> rows = rows_of(plane);
    return copy(memory->data() + offset, pitch_of(row_bytes(plane)), rows.data, rows.pitch,
                rows.bytes, rows.count, cudaMemcpyDeviceToHost, stream);
  }));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream));
  return {};
}

Status BitsDownload::place(int width, int height, unsigned pictures, std::uint32_t** on_device) {
  picture_bytes_ = word_row_bytes(width) * height;
  bytes_ = picture_bytes_ * pictures;
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

void BitsDownload::finish(unsigned i, EdgeBits* bits) const {
  copy_words(page_locked_.data() + i * picture_bytes_, bits);
}

Status ContourDownload::place(int width, int height, const Chains& chains, ContourTarget* target) {
  CANNY_TRY(page_locked_.reserve(carve_target(nullptr, width, height, &target_)));
  carve_target(page_locked_.data(), width, height, &target_);
  *target = target_;
  is_on_device_ = chains.is_for_device() && !chains.wants_offsets;
  if (!is_on_device_) return {};
  const DeviceChains& memory = chains.memory;
  target->points = reinterpret_cast<std::uint32_t*>(memory.points);
  target->ends = memory.ends;
  target->most_points = std::min<std::size_t>(target->most_points, memory.most_points);
  target->most_chains = std::min<std::size_t>(target->most_chains, memory.most_chains);
  return {};
}

void ContourDownload::finish(Chains* chains) const {
  const ContourNumbers& numbers = *target_.numbers;
  static_assert(sizeof(Point) == sizeof *target_.points);
  chains->is_traced = true;
  chains->are_in_memory = is_on_device_;
  if (is_on_device_) {
    chains->point_count = numbers.points;
    chains->chain_count = numbers.chains;
    return;
  }
  chains->set_counts(numbers.points, numbers.chains);
  std::memcpy(static_cast<void*>(chains->points.data()), target_.points,
              numbers.points * sizeof(Point));
  std::memcpy(chains->ends.data(), target_.ends, numbers.chains * sizeof *target_.ends);
}

Status ComponentMemory::place(int width, int height, unsigned pictures, unsigned min_pixels,
                              ComponentList* list) {
  // At most one component has pixels in each 2x2 pixels.
  const std::int64_t squares = std::int64_t{(width + 1) / 2} * ((height + 1) / 2);
  const std::int64_t large = std::int64_t{width} * height / min_pixels;
  const auto most = std::min({squares, large, std::int64_t{kMaxComponents}});
  const std::size_t bytes = sizeof(Component) * most * pictures;
  CANNY_TRY(page_locked_.reserve(bytes + sizeof(Report) * pictures));
  list_ = {reinterpret_cast<Component*>(page_locked_.data()),
           reinterpret_cast<Report*>(page_locked_.data() + bytes), static_cast<std::uint32_t>(most),
           min_pixels};
  for (unsigned i = 0; i < pictures; ++i) list_.reports[i].edges = Report::kPending;
  *list = list_;
  return {};
}

bool ComponentMemory::come_soon(unsigned pictures) const {
  return std::all_of(list_.reports, list_.reports + pictures, comes_soon);
}

void ComponentMemory::finish(unsigned i, FrameComponents* components) const {
  const unsigned long long all = list_.reports[i].edges;
  const auto count = static_cast<std::size_t>(std::min<unsigned long long>(all, list_.most));
  if (components->all.size() < count) components->all.resize(count);
  std::copy_n(list_.components + std::size_t{i} * list_.most, count, components->all.begin());
  components->count = count;
  components->is_full = all > kMaxComponents;
  components->is_found = true;
}

template <class Byte>
Status AddressUpload::queue(cudaStream_t stream, BasicFrame<Byte>* frame) {
  BasicBatch<Byte>& batch = frame->batch;
  if (batch.data == nullptr) return {};
  const std::size_t bytes = batch.count * sizeof *batch.data;
  CANNY_TRY(page_locked_.reserve(bytes));
  CANNY_TRY(on_device_.reserve(bytes));
  std::memcpy(page_locked_.data(), batch.data, bytes);
  CANNY_CUDA_TRY(cudaMemcpyAsync(on_device_.data(), page_locked_.data(), bytes,
                                 cudaMemcpyHostToDevice, stream));
  batch.stride_bytes = 0;
  for (unsigned i = 0; i < batch.count; ++i) batch.stride_bytes |= batch.data[i] - batch.data[0];
  batch.data = reinterpret_cast<Byte* const*>(on_device_.data());
  return {};
}
template Status AddressUpload::queue(cudaStream_t stream, ConstFrame* frame);
template Status AddressUpload::queue(cudaStream_t stream, Frame* frame);

Status RegionUpload::queue(const Region& region, int width, int height, cudaStream_t stream,
                           RegionSource* source) {
  *source = {};
  has_copied_ = false;
  if (region.mask.data != nullptr) {
    ConstFrame mask = mask_frame(region, width, height);
    has_copied_ = mask.memory == Memory::kHost;
    if (has_copied_) CANNY_TRY(mask_.queue(mask_frame(region, width, height), stream, &mask));
    source->mask = {mask.data, mask.stride_bytes};
    return {};
  }
  if (region.rectangle_count <= kMostBoxes)
    return queue_boxes(region, width, height, stream, source);
  // More rectangles than each tile should look at: the host unites them.
  const std::size_t bytes = word_row_bytes(width) * height;
  CANNY_TRY(page_locked_.reserve(bytes));
  write_words(region, width, height, &rectangles_, page_locked_.data());
  CANNY_TRY(copy(bytes, bytes, stream));
  source->bits = reinterpret_cast<const std::uint32_t*>(on_device_.data());
  return {};
}

// The first rectangles go to the kernel's arguments. Only when these do not suffice, all go to
// page-locked memory, from where the device copies them while the host goes on.
Status RegionUpload::queue_boxes(const Region& region, int width, int height, cudaStream_t stream,
                                 RegionSource* source) {
  Boxes& all = source->boxes;
  Box* boxes = all.few;
  // Memory grows in powers of 2, so that numbers that vary allocate rarely.
  std::size_t capacity = 64 * sizeof(Box);
  while (capacity < region.rectangle_count * sizeof(Box)) capacity *= 2;
  if (region.rectangle_count > kFewBoxes) {
    CANNY_TRY(page_locked_.reserve(capacity));
    boxes = reinterpret_cast<Box*>(page_locked_.data());
  }
  for (std::size_t i = 0; i < region.rectangle_count; ++i) {
    const Box box = clip(region.rectangles[i], width, height);
    if (!box.is_empty()) boxes[all.count++] = box;
  }
  if (boxes == all.few || all.count == 0) return {};
  CANNY_TRY(copy(static_cast<std::size_t>(all.count) * sizeof(Box), capacity, stream));
  all.many = reinterpret_cast<const Box*>(on_device_.data());
  return {};
}

// Copies what is in page-locked memory.
Status RegionUpload::copy(std::size_t bytes, std::size_t capacity, cudaStream_t stream) {
  CANNY_TRY(on_device_.reserve(capacity));
  CANNY_CUDA_TRY(cudaMemcpyAsync(on_device_.data(), page_locked_.data(), bytes,
                                 cudaMemcpyHostToDevice, stream));
  has_copied_ = true;
  return {};
}

}  // namespace canny::cuda

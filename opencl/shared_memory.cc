// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps account of the memory that is shared.
#include "opencl/shared_memory.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace canny::opencl {
namespace {

// What is shared in this process. Any thread may use it at any time.
class Ranges {
 public:
  // Returns false if a part is shared.
  bool add(std::uintptr_t begin, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uintptr_t end = begin + bytes;
    const bool is_free = std::none_of(ranges_.begin(), ranges_.end(), [&](const Range& other) {
      return begin < other.end && other.begin < end;
    });
    if (is_free) ranges_.push_back({begin, end});
    return is_free;
  }

  void remove(std::uintptr_t begin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = std::find_if(ranges_.begin(), ranges_.end(),
                                 [&](const Range& range) { return range.begin == begin; });
    *at = ranges_.back();
    ranges_.pop_back();
  }

 private:
  struct Range {
    std::uintptr_t begin, end;
  };
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

// Never destroyed, for detectors may live until the process ends.
Ranges& ranges() {
  static Ranges& all = *new Ranges;
  return all;
}

std::uintptr_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

}  // namespace

bool SharedMemory::open(const Queue& queue, const std::uint8_t* data, std::size_t bytes,
                        cl_mem_flags access) {
  release();
  const bool is_aligned = address_of(data) % kSharedAlignment == 0 && bytes % kSharedUnit == 0;
  if (!queue.device().shares_frames || !is_aligned || !ranges().add(address_of(data), bytes))
    return false;
  data_ = data;
  // Nothing writes a buffer that is only read.
  if (buffer_.share(queue, const_cast<std::uint8_t*>(data), bytes, access).ok()) return true;
  release();
  return false;
}

Status SharedMemory::queue_map(const Queue& queue) const { return buffer_.queue_map(queue); }

void SharedMemory::release() {
  if (data_ == nullptr) return;
  buffer_.release();
  ranges().remove(address_of(data_));
  data_ = nullptr;
}

}  // namespace canny::opencl

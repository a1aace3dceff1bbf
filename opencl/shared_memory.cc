// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps account of the memory that is shared.
#include "opencl/shared_memory.h"

#include <iterator>
#include <map>
#include <mutex>

namespace canny::opencl {
namespace {

// What is shared in this process. Any thread may use it at any time.
class Ranges {
 public:
  // Returns false if a part is shared.
  bool add(std::uintptr_t begin, std::size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto next = ends_.lower_bound(begin + bytes);
    if (next != ends_.begin() && std::prev(next)->second > begin) return false;
    ends_[begin] = begin + bytes;
    return true;
  }

  void remove(std::uintptr_t begin) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_.erase(begin);
  }

 private:
  std::mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> ends_;  // by where the ranges begin
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

void SharedMemory::release() {
  if (data_ == nullptr) return;
  buffer_.release();
  ranges().remove(address_of(data_));
  data_ = nullptr;
}

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocates memory for components, and copies them from there.
#include "cuda/component_memory.h"

#include <algorithm>

#include "cuda/check.h"
#include "cuda/waiting.h"

namespace canny::cuda {

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

}  // namespace canny::cuda

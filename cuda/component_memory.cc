// SPDX-License-Identifier: LGPL-2.1-or-later
// Allocates memory for components, and copies them from there.
#include "cuda/component_memory.h"

#include <algorithm>

#include "cuda/check.h"

namespace canny::cuda {

Status ComponentMemory::place(int width, int height, unsigned pictures, unsigned min_pixels,
                              ComponentList* list) {
  // At most one component has pixels in each 2x2 pixels.
  const std::int64_t squares = std::int64_t{(width + 1) / 2} * ((height + 1) / 2);
  const std::int64_t large = std::int64_t{width} * height / min_pixels;
  const auto most = std::min({squares, large, std::int64_t{kMaxComponents}});
  const std::size_t bytes = sizeof(Component) * most * pictures;
  CANNY_TRY(page_locked_.reserve(bytes + sizeof(std::uint32_t) * pictures));
  list_ = {reinterpret_cast<Component*>(page_locked_.data()),
           reinterpret_cast<std::uint32_t*>(page_locked_.data() + bytes),
           static_cast<std::uint32_t>(most), min_pixels};
  *list = list_;
  return {};
}

void ComponentMemory::finish(unsigned i, FrameComponents* components) const {
  const std::size_t count = std::min(list_.counts[i], list_.most);
  if (components->all.size() < count) components->all.resize(count);
  std::copy_n(list_.components + std::size_t{i} * list_.most, count, components->all.begin());
  components->count = count;
  components->is_full = list_.counts[i] > kMaxComponents;
  components->is_found = true;
}

}  // namespace canny::cuda

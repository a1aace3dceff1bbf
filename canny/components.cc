// SPDX-License-Identifier: LGPL-2.1-or-later
// The components of a frame.
#include "canny/components.h"

#include <algorithm>
#include <utility>

#include "canny/frame_components.h"

namespace canny {

Components::Components() noexcept = default;
Components::~Components() = default;
Components::Components(Components&&) noexcept = default;
Components& Components::operator=(Components&&) noexcept = default;

void Components::set_min_pixels(std::uint32_t pixels) noexcept {
  min_pixels_ = std::max(pixels, std::uint32_t{1});
}

void Components::clear() noexcept {
  if (frame_ != nullptr) frame_->clear();
}

FrameComponents* Components::reserve(int width, int height) {
  clear();
  if (frame_ == nullptr || frame_->edges.width() != width || frame_->edges.height() != height) {
    frame_.reset();  // gives back its memory first
    auto frame = std::make_unique<FrameComponents>();
    frame->edges.set_size(width, height);
    frame->strong.set_size(width, height);
    frame_ = std::move(frame);
  }
  frame_->min_pixels = min_pixels_;
  return frame_.get();
}

std::size_t Components::size() const noexcept { return frame_ == nullptr ? 0 : frame_->count; }

bool Components::is_full() const noexcept { return frame_ != nullptr && frame_->is_full; }

const Component* Components::data() const noexcept {
  return frame_ == nullptr ? nullptr : frame_->all.data();
}

}  // namespace canny

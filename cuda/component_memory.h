// SPDX-License-Identifier: LGPL-2.1-or-later
// Brings components to the host.
#pragma once

#include "canny/frame_components.h"
#include "cuda/hysteresis/components.h"
#include "cuda/transfer.h"

namespace canny::cuda {

/// Page-locked memory for the components of a frame.
class ComponentMemory {
 public:
  /// Sets `*list` to memory for the components of at least `min_pixels` pixels.
  Status place(int width, int height, unsigned pictures, unsigned min_pixels, ComponentList* list);
  /// Whether all components are there, perhaps before the frame is complete. May wait for a while.
  bool come_soon(unsigned pictures) const;
  /// The components of picture i. Call when they are there.
  void finish(unsigned i, FrameComponents* components) const;
  void release() { page_locked_.release(); }

 private:
  ComponentList list_;
  Staging page_locked_{Staging::Kind::kPageLocked};
};

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of any plan whose blur is not too wide, in tiles.
#pragma once

#include "opencl/front_memory.h"

namespace canny::opencl {

/// Runs several stages at a time. For one thread at a time.
class GeneralFront {
 public:
  /// Whether the blur is narrow enough for tiles.
  static bool takes(const Plan& plan);

  /// Compiles the kernels for samples of the plan's depth, unless they are there.
  Status prepare(const Queue& queue, bool is_deep);
  /// As Front::run() and Front::show(), after prepare().
  Status run(const Plan& plan, const Image& image, const Buffer* region, FrontMemory* memory);
  Status show(const Plan& plan, const FrontMemory& memory, const Buffer& values);
  /// Queues the stages up to the blur.
  Status find_blurred(const Plan& plan, const Image& image, FrontMemory* memory);

 private:
  // Separable operators that reach 1, 2 and 3 pixels, and the others.
  static constexpr int kOperatorKinds = 4;
  // The kernels for samples of one depth.
  struct Kernels {
    bool are_open = false;
    int tile_height = 0, items = 0;
    Program program;
    Kernel blur, count_luma, derive, show_samples;
    Kernel edges[kOperatorKinds], show_or_count[kOperatorKinds];
  };
  struct Tile;

  const Kernels& kernels(const Plan& plan) const { return kernels_[plan.is_deep]; }
  Status open(const Queue& queue, bool is_deep);
  template <class... Arguments>
  Status run_tiles(const Plan& plan, const Kernel& kernel, const FrontMemory& memory,
                   const Arguments&... arguments) const;
  Tile tile_of(const Plan& plan, const Buffer* region, const FrontMemory& memory) const;
  Status find_thresholds(const Plan& plan, const Buffer* region, FrontMemory* memory);
  Status derive(const Plan& plan, bool has_region, FrontMemory* memory);

  Kernels kernels_[2];  // of 8 bits, and of more
};

}  // namespace canny::opencl

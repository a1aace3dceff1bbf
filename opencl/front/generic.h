// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of any plan: blurred images, and kernels of tiles that read them.
#pragma once

#include "opencl/front/memory.h"
#include "opencl/front/route.h"

namespace canny::opencl {

/// Runs several stages at a time. For one thread at a time.
class GenericFront {
 public:
  /// Compiles the kernels for samples of the plan's depth, unless they are there.
  Status prepare(const Queue& queue, bool is_deep);
  /// As Front::run() and Front::show(), after prepare().
  Status run(const Plan& plan, const FrontRoute& route, const Image& image,
             const RegionArgument& region, FrontMemory* memory);
  Status show(const Plan& plan, const FrontMemory& memory, const Buffer& values);
  /// Queues the stages up to the blur, into `memory->samples`.
  Status blur(const Plan& plan, const FrontRoute& route, const Image& image, FrontMemory* memory);

 private:
  // Separable operators that reach 1, 2 and 3 pixels, and the others.
  static constexpr int kOperatorKernels = 4;
  // The kernels for samples of one depth.
  struct Kernels {
    bool are_open = false;
    int tile_height = 0, items = 0;
    Program program;
    Kernel blur_tile, blur_rows, blur_columns, count_luma, derive, show_samples;
    Kernel edges[kOperatorKernels], show_or_count[kOperatorKernels];
  };
  struct Tile;

  const Kernels& kernels(const Plan& plan) const { return kernels_[plan.is_deep]; }
  Status open(const Queue& queue, bool is_deep);
  template <class... Arguments>
  Status run_tiles(const Plan& plan, const Kernel& kernel, const FrontMemory& memory,
                   const Arguments&... arguments) const;
  Tile tile_of(const Plan& plan, const RegionArgument& region, const FrontMemory& memory) const;
  Status count_luma(const Plan& plan, const Image& image, const RegionArgument& region,
                    FrontMemory* memory);
  Status count_responses(const Plan& plan, const RegionArgument& region, FrontMemory* memory);
  Status derive(const Plan& plan, const FrontRoute& route, bool has_region, FrontMemory* memory);

  Kernels kernels_[2];  // of 8 bits, and of more
};

}  // namespace canny::opencl

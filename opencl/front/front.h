// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end: the stages from pixels to candidates and strong pixels.
#pragma once

#include "opencl/front/generic.h"

namespace canny::opencl {

/// The front end for frames of one size at a time: tiles for most frames, a GenericFront for the
/// others. For one thread at a time.
class Front {
 public:
  /// Compiles the kernels for most frames; others are compiled for the first frame that needs them.
  /// The queue must outlive this. Call once, before anything else.
  Status open(const Queue& queue);
  Status set_size(int width, int height);

  /// Compiles the kernels that the route needs, unless they are there. run() does so as well.
  Status prepare(const Plan& plan, const FrontRoute& route);
  /// Queues the stages for a frame of the plan's format, as far as its view needs them. Its region,
  /// if it has one, is in words like candidate(). Waits for what was counted if the route derives
  /// thresholds on the host.
  Status run(const Plan& plan, const FrontRoute& route, const Image& image, const Buffer* region);

  /// Queues writing what a view of the gradient or of luma shows, a byte a pixel, row by row, after
  /// run() with the same plan.
  Status show(const Plan& plan, const Buffer& values);

  /// The thresholds that were measured last, unless device_measured() has them.
  const Measured& measured() const { return memory_.measured; }
  /// The DeviceMeasured of the last frame, if the device derived its thresholds, or null.
  const Buffer* device_measured() const { return memory_.is_derived ? &memory_.derived : nullptr; }

  /// A bit for each pixel, row by row: bit i of word k of a row is pixel 32 k + i. Bits to the
  /// right of the last pixel are 0.
  Buffer& candidate() { return memory_.candidate; }
  Buffer& strong() { return memory_.strong; }

 private:
  Status open_tiles();
  Status run_tiles(const Plan& plan, const FrontRoute& route, const Image& image,
                   const RegionArgument& region);

  const Queue* queue_ = nullptr;
  FrontMemory memory_;
  GenericFront generic_;
  static constexpr int kTileKernels = 4;
  Program tile_program_;
  Kernel tiles_[kTileKernels];
  int tile_items_ = 0;
};

}  // namespace canny::opencl

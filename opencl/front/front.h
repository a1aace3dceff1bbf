// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end: the stages from pixels to candidates and strong pixels.
#pragma once

#include <cstddef>
#include <string>

#include "canny/auto_threshold.h"
#include "canny/plan.h"
#include "opencl/frame.h"
#include "opencl/front/route.h"

namespace canny::opencl {

/// How a frame lies in its buffer. As in pixels.cl.
struct Source {
  Planes at;
  cl_int width, height, channels;
  cl_int planes, bytes, bits, green_bits, group, is_big_endian;
  cl_int place[3];
  cl_int type, unused;
};

/// The compiler's options of all kernels of front ends.
std::string options_of_front(bool is_deep);

/// The front end for frames of one size at a time: tiles for most frames, generic kernels for the
/// others. For one thread at a time.
class Front {
 public:
  /// Compiles the kernels for most frames; others are compiled for the first frame that needs them.
  /// The queue must outlive this. Call once, before anything else. With `is_generic_only`, all
  /// frames take the generic kernels.
  Status open(const Queue& queue, bool is_generic_only);
  /// After a failure kernels can't run.
  Status set_size(int width, int height);

  /// Chooses the route of a frame, and compiles its kernels, unless they are there.
  Status prepare(const Plan& plan);
  /// The route that prepare() chose last.
  const FrontRoute& route() const { return route_; }
  /// Queues the stages for a frame of the plan's format, as far as its view needs them. Call
  /// prepare() with the plan before. The frame's region, if it has one, is in words like
  /// candidate(). Waits for what was counted if the route derives thresholds on the host.
  Status run(const Plan& plan, const Image& image, const Buffer* region);

  /// Queues writing what a view of the gradient or of luma shows, a byte a pixel, row by row, after
  /// run() with the same plan.
  Status show(const Plan& plan, const Buffer& values);

  /// The thresholds that were measured last, unless device_measured() has them.
  const FrameThresholds& measured() const { return measured_; }
  /// The DeviceMeasured of the last frame, if the device derived its thresholds, or null.
  const Buffer* device_measured() const { return is_derived_ ? &derived_ : nullptr; }

  /// A bit for each pixel, row by row: bit i of word k of a row is pixel 32 k + i. Bits to the
  /// right of the last pixel are 0.
  Buffer& candidate() { return candidate_; }
  Buffer& strong() { return strong_; }

 private:
  static constexpr int kTileKernels = 4;
  // Separable operators that reach 1, 2 and 3 pixels, and the others.
  static constexpr int kOperatorKernels = 4;
  // The generic kernels for samples of one depth.
  struct Generic {
    bool are_open = false;
    Program program;
    Kernel blur_tile, blur_rows, blur_columns, count_luma, derive, show_samples;
    Kernel edges[kOperatorKernels], show_or_count[kOperatorKernels];
  };
  struct GenericTile;

  Status open_generic(bool is_deep);
  Status run_tiles(const Plan& plan, const Image& image, const Buffer* region);
  Status run_generic(const Plan& plan, const Image& image, const Buffer* region);
  template <class... Arguments>
  Status run_generic_tiles(const Plan& plan, const Kernel& kernel,
                           const Arguments&... arguments) const;
  Status blur(const Plan& plan, const Image& image);
  Status derive(const Plan& plan, bool has_region);
  Status measure(const Plan& plan, bool has_region);
  GenericTile tile_of(const Plan& plan) const;
  DeepThresholds limits_of(const Plan& plan) const;
  Source source_of(PixelFormat format, int channels, const Image& image) const;
  const Generic& generic(const Plan& plan) const { return generic_[plan.is_deep]; }
  std::size_t pixels() const { return static_cast<std::size_t>(width_) * height_; }

  const Queue* queue_ = nullptr;
  FrontDevice device_;
  FrontRoute route_;
  Program tile_program_;
  Kernel tiles_[kTileKernels];
  int tile_items_ = 0;
  Generic generic_[2];  // of 8 bits, and of more

  int width_ = 0, height_ = 0;
  Buffer samples_;    // blurred, of 16 bits, each channel in an image of its own
  Buffer sums_;       // of rows of samples, for kBlurMultipass
  Buffer histogram_;  // the bins, the largest length, and the number of pixels in a region
  Buffer candidate_, strong_;
  FrameThresholds measured_;
  Buffer derived_;           // a DeviceMeasured
  bool is_derived_ = false;  // whether it has the thresholds of the last frame
};

}  // namespace canny::opencl

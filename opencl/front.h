// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end: the stages from pixels to candidates and strong pixels.
#pragma once

#include <cstddef>

#include "canny/auto_threshold.h"
#include "canny/plan.h"
#include "opencl/image.h"
#include "opencl/queue.h"

namespace canny::opencl {

/// The front end for frames of one size at a time. For one thread at a time.
class Front {
 public:
  /// Compiles the kernels for most frames; others are compiled for the first frame that needs them.
  /// The queue must outlive this. Call once, before anything else.
  Status open(const Queue& queue);
  Status set_size(int width, int height);

  /// Compiles the kernels that the plan needs, unless they are there. run() does so as well.
  Status prepare(const Plan& plan);
  /// Queues the stages for a frame of the plan's format, as far as its view needs them. Its region,
  /// if it has one, is in words like candidate(). If the plan measures thresholds, waits for the
  /// pixels' histogram.
  Status run(const Plan& plan, const Image& image, const Buffer* region);

  /// Queues writing what a view of the gradient or of luma shows, a byte a pixel, row by row, after
  /// run() with the same plan.
  Status show(const Plan& plan, const Buffer& values);

  /// Runs each stage by itself, where one kernel could compute them all.
  void separate() { has_tiles_ = false; }

  /// Sets the thresholds for plans that have measured ones, but do not measure them.
  void set_measured(const Measured& measured) { measured_ = measured; }
  /// The thresholds that were set or measured last.
  const Measured& measured() const { return measured_; }

  /// A bit for each pixel, row by row: bit i of word k of a row is pixel 32 k + i. Bits to the
  /// right of the last pixel are 0.
  Buffer& candidate() { return candidate_; }
  Buffer& strong() { return strong_; }
  int words_per_row() const { return (width_ + kWordBits - 1) / kWordBits; }

 private:
  // The kernels for samples of one depth.
  struct Kernels {
    bool are_open = false;
    Program program;
    Kernel sample, blur_rows, blur_columns, gradient, count_lengths, count_luma, suppress,
        show_gradient, show_samples;
  };

  // Thresholds as the kernels get them.
  struct Limits {
    cl_long low, high;
  };
  Limits limits(const Plan& plan) const;

  Status find_kernels(bool is_deep, const Kernels** found);
  Status open(bool is_deep, Kernels* kernels);
  Status open_tiles();
  Status reserve_samples(const Plan& plan);
  Status reserve(const Plan& plan);
  Status find_blurred(const Plan& plan, const Kernels& kernels, const Image& image);
  Status count_luma(const Plan& plan, const Kernels& kernels, const Image& image,
                    const Buffer* region);
  Status count_lengths(const Plan& plan, const Kernels& kernels, const Buffer* region);
  Status measure(const Plan& plan, bool has_region);
  Status suppress(const Plan& plan, const Kernels& kernels, const Buffer* region);
  bool takes_tiles(const Plan& plan) const;
  Status run_tiles(const Plan& plan, const Image& image, const Buffer* region);
  Status write_taps(const Taps& taps);
  std::size_t pixels() const { return static_cast<std::size_t>(width_) * height_; }

  const Queue* queue_ = nullptr;
  Kernels shallow_, deep_;
  static constexpr int kTileKernels = 4;
  Program tile_program_;
  Kernel tiles_[kTileKernels];  // all stages of most frames
  int tile_items_ = 0;
  bool has_tiles_ = true;
  int width_ = 0, height_ = 0;
  Measured measured_;
  Taps written_taps_;      // in taps_
  bool has_taps_ = false;  // whether taps_ has them
  Buffer samples_, sums_, taps_, magnitudes_, sectors_, histogram_, candidate_, strong_;
};

}  // namespace canny::opencl

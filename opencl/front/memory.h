// SPDX-License-Identifier: LGPL-2.1-or-later
// What the kernels of front ends share: memory, and what they are told.
#pragma once

#include <cstddef>
#include <string>

#include "canny/auto_threshold.h"
#include "canny/plan.h"
#include "opencl/image.h"
#include "opencl/numbers.h"
#include "opencl/queue.h"
#include "opencl/signals.h"

namespace canny::opencl {

/// How a frame lies in its buffer. As in pixels.cl.
struct Source {
  cl_long offset[3], stride[3];
  cl_int width, height, channels;
  cl_int planes, bytes, bits, green_bits, group, is_big_endian;
  cl_int place[3];
  cl_int type, unused;
};
Source source_of(PixelFormat format, int channels, const Image& image, int width, int height);

/// An operator. As in gradient.cl.
struct Weights {
  cl_int form, reach, shift, is_l2;
  cl_int smooth[kMaxOperatorSize], difference[kMaxOperatorSize], east[8];
};
Weights weights_of(const Plan& plan);

/// The compiler's options of all kernels of front ends.
std::string options_of_front(bool is_deep);

/// Opens kernels at their first use, and keeps the process's signals meanwhile.
template <class Open>
Status open_once(bool* are_open, Open open) {
  if (*are_open) return {};
  const SignalActions kept;
  CANNY_TRY(open());
  *are_open = true;
  return {};
}

/// Memory for frames of one size, and the thresholds that were measured.
struct FrontMemory {
  const Queue* queue = nullptr;
  int width = 0, height = 0;
  Buffer samples;    // blurred, of 16 bits, each channel in an image of its own
  Buffer sums;       // of rows of samples, for kBlurMultipass
  Buffer histogram;  // the bins, the largest length, and the number of pixels in a region
  Buffer candidate, strong;
  Measured measured;
  Buffer derived;           // a DeviceMeasured
  bool is_derived = false;  // whether it has the thresholds of the last frame

  Status open(const Queue& queue);
  /// After a failure the size is 0.
  Status set_size(int width, int height);
  std::size_t pixels() const { return static_cast<std::size_t>(width) * height; }
  Status clear_histogram();
  /// Sets `measured` from the histogram, on the host, when the device has counted.
  Status measure(const Plan& plan, bool has_region);
};

/// A region's words, or any buffer in their place, and whether there is a region.
struct RegionArgument {
  const Buffer& words;
  cl_int is_there;
};
inline RegionArgument region_argument(const Buffer* region, const Buffer& other) {
  return {region != nullptr ? *region : other, region != nullptr};
}

/// Thresholds for magnitudes.
struct Limits {
  cl_long low, high;
};
/// Those that the host knows: the plan's, or `measured`.
Limits limits_of(const Plan& plan, const Measured& measured);

}  // namespace canny::opencl

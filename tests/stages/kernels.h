// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for every combination of kernels.
#pragma once

#include <iterator>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "reference/random.h"

namespace kernels {

struct Size {
  int width, height;
};

/// The settings that select a frame's kernels.
struct Kernels {
  double sigma;
  unsigned passes;
  canny::PixelFormat input;
  canny::Norm norm;
  bool aligned;
  canny::PixelFormat output;
};

/// Every combination in a random order; the outputs are random.
std::vector<Kernels> shuffled_kernels(reference::Random& random);

/// A frame that uses these kernels, with any arguments.
cases::Case any_frame(const Kernels& kernels, Size size, reference::Random& random);

/// One of the values, at random.
template <class Values>
auto any(const Values& values, reference::Random& random) {
  return values[random.between(0, static_cast<int>(std::size(values)) - 1)];
}

}  // namespace kernels

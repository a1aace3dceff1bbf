// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of every combination of kernels.
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

/// What decides which kernels a frame is made of.
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

/// A frame that is made of these kernels, with any arguments.
cases::Case any_frame(const Kernels& kernels, Size size, reference::Random& random);

/// One of them.
template <class Values>
auto any(const Values& values, reference::Random& random) {
  return values[random.between(0, static_cast<int>(std::size(values)) - 1)];
}

}  // namespace kernels

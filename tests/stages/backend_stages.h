// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of a backend, one call each, on host data whatever the backend.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "canny.h"
#include "harness.h"
#include "params.h"

namespace stages {

/// One byte a pixel, 0 or 1.
struct Planes {
  std::vector<std::uint8_t> candidate, strong;
};

class BackendStages {
 public:
  virtual ~BackendStages() = default;
  virtual canny::Backend backend() const = 0;

  /// Prepares for frames of this size, with this many threads on the CPU.
  virtual canny::Status set_size(int width, int height, unsigned threads) = 0;
  /// Pixels to planes. `frame` may not change.
  virtual canny::Status front(const canny::Settings& settings, const harness::GuardedFrame& frame,
                              Planes* planes) = 0;
  /// Planes to edges, one byte a pixel, 0 or 1.
  virtual canny::Status hysteresis(unsigned passes, const Planes& planes,
                                   std::vector<std::uint8_t>* edges) = 0;
  /// Edges to the pixels of `frame`, which this overwrites as the backend does, and their number.
  virtual canny::Status store(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                              std::uint64_t* count) = 0;
};

std::unique_ptr<BackendStages> cpu_stages();

/// The CUDA stages, or why there are none.
canny::Status cuda_stages(std::unique_ptr<BackendStages>* result);

}  // namespace stages

// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of a backend, one call each, and whole frames, on host data whatever the backend.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "canny/canny.h"
#include "canny/plan.h"
#include "harness.h"

namespace stages {

/// One byte a pixel, 0 or 1.
struct Planes {
  std::vector<std::uint8_t> candidate, strong;
};

/// How fail_frame() fails.
enum class Failure {
  kLaunch,   ///< the last kernel is refused, when those before it are queued
  kCapture,  ///< the stream is in another use, and none is queued
};

/// A frame of frames().
struct Job {
  canny::Plan plan;
  const harness::GuardedFrame* input = nullptr;
  harness::GuardedFrame* output = nullptr;
  std::uint64_t edges = 0;  ///< their number, which frames() sets
};

class BackendStages {
 public:
  virtual ~BackendStages() = default;
  virtual canny::Backend backend() const = 0;

  /// Prepares for frames of this size, with this many threads on the CPU, and for this many frames
  /// in flight.
  virtual canny::Status set_size(int width, int height, unsigned threads,
                                 unsigned frames_in_flight) = 0;
  /// Leaves thresholds where front() looks for them if its plan says that they were measured.
  virtual canny::Status set_measured(const canny::Thresholds& thresholds) = 0;
  /// Pixels to planes. `frame` may not change.
  virtual canny::Status front(const canny::Plan& plan, const harness::GuardedFrame& frame,
                              Planes* planes) = 0;
  /// Planes to edges, one byte a pixel, 0 or 1.
  virtual canny::Status hysteresis(unsigned passes, const Planes& planes,
                                   std::vector<std::uint8_t>* edges) = 0;
  /// Edges to the pixels of `frame`, which this overwrites as the backend does, and their number.
  virtual canny::Status output(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                               std::uint64_t* count) = 0;

  /// A whole frame, with input and output in these memories where the backend has both.
  virtual canny::Status frame(const canny::Plan& plan, const harness::GuardedFrame& input,
                              canny::Memory input_memory, harness::GuardedFrame* output,
                              canny::Memory output_memory, std::uint64_t* count) = 0;

  /// Whole frames, in order, as many of them in flight as set_size() prepared for.
  virtual canny::Status frames(std::vector<Job>& jobs) = 0;

  /// The memory between front and output whose contents no frame may depend on.
  virtual std::size_t workspace_bytes() const = 0;
  /// Overwrites all of it.
  virtual canny::Status fill_workspace(const std::vector<std::uint8_t>& bytes) = 0;

  /// Has a frame fail. Ok, without doing anything, where no frame can.
  virtual canny::Status fail_frame(Failure failure, const canny::Plan& plan,
                                   const harness::GuardedFrame& input) = 0;
};

std::unique_ptr<BackendStages> cpu_stages();

/// The CUDA stages, or why there are none.
canny::Status cuda_stages(std::unique_ptr<BackendStages>* result);

}  // namespace stages

// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of a backend, one call each, and whole frames, on host data with every backend.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/plan.h"
#include "harness.h"
#include "reference/reference.h"

namespace stages {

using Planes = reference::Candidates;

/// The way in which fail_frame() fails.
enum class Failure {
  kLaunch,   ///< the last kernel is refused after the others are queued
  kCapture,  ///< the stream is in use elsewhere, and no kernel is queued
};

/// A frame of frames().
struct Job {
  canny::Plan plan;
  const harness::GuardedFrame* input = nullptr;
  harness::GuardedFrame* output = nullptr;
  canny::Result result;  ///< of the frame, which frames() sets
};

class BackendStages {
 public:
  virtual ~BackendStages() = default;
  virtual canny::Backend backend() const = 0;

  /// Prepares for frames of this size, with this many threads on the CPU, and for this many frames
  /// in flight.
  virtual canny::Status set_size(int width, int height, unsigned threads,
                                 unsigned frames_in_flight) = 0;
  /// Turns pixels into planes. `frame` must not change.
  virtual canny::Status front(const canny::Plan& plan, const harness::GuardedFrame& frame,
                              Planes* planes) = 0;
  /// Turns planes into edges, one byte per pixel, 0 or 1.
  virtual canny::Status hysteresis(unsigned passes, const Planes& planes,
                                   std::vector<std::uint8_t>* edges) = 0;
  /// Turns edges into the pixels of `frame`, overwritten as by the backend, and counts the edges.
  virtual canny::Status output(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                               std::uint64_t* count) = 0;

  /// Runs a whole frame, with input and output in these memories if the backend has both.
  virtual canny::Status frame(const canny::Plan& plan, const harness::GuardedFrame& input,
                              canny::Memory input_memory, harness::GuardedFrame* output,
                              canny::Memory output_memory, canny::Result* result) = 0;

  /// Runs whole frames in order, as many of them in flight as set_size() prepared for.
  virtual canny::Status frames(std::vector<Job>& jobs) = 0;

  /// The memory between front and output whose contents no frame may depend on.
  virtual std::size_t workspace_bytes() const = 0;
  /// Overwrites all of it.
  virtual canny::Status fill_workspace(const std::vector<std::uint8_t>& bytes) = 0;

  /// Makes a frame fail. Returns ok without doing anything if no frame can fail.
  virtual canny::Status fail_frame(Failure failure, const canny::Plan& plan,
                                   const harness::GuardedFrame& input) = 0;
};

std::unique_ptr<BackendStages> cpu_stages();

/// Creates the CUDA stages, or returns why there are none.
canny::Status cuda_stages(std::unique_ptr<BackendStages>* result);

}  // namespace stages

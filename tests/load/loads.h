// SPDX-License-Identifier: LGPL-2.1-or-later
// The loads, and what they have in common.
#pragma once

#include <chrono>
#include <string>

#include "figures.h"
#include "stream.h"

namespace load {

using Clock = std::chrono::steady_clock;

/// One run of a load.
struct Run {
  std::string backend;  ///< cpu or cuda
  bool is_short = false;
  double minutes = 60;  ///< of full-speed

  /// Whether to measure memory of the device, which is that of all processes together.
  bool with_device = true;

  Score score;
  Growth growth;
  Clock::time_point begin = Clock::now();

  /// A hundredth in a short run, at least 1.
  std::uint64_t count(std::uint64_t whole) const;
  std::string settings(const std::string& more = "") const;  ///< of the element

  void warm_up_begins();  ///< the time counts from here
  void warm_up_ends();    ///< reads the first figures
  void ends();            ///< reads the last figures
};

/// Why backend=cuda can't start here, empty if it can.
std::string no_cuda_reason();

/// A load pushes a tenth of its frames before warm_up_ends(), and all others between this call and
/// ends(). It throws std::runtime_error if it can't go on.
void run_elements(Run* run);
void run_process(Run* run);  ///< one of those that run_processes() starts
void run_processes(Run* run, const std::string& program);
void run_caps(Run* run);
void run_properties(Run* run);
void run_states(Run* run);
void run_full_speed(Run* run);

}  // namespace load

// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend: the stages over strips of rows, several at a time.
#pragma once

#include <tbb/task_arena.h>

#include <vector>

#include "backend.h"
#include "cpu/front.h"
#include "cpu/hysteresis.h"

namespace canny::cpu {

class CpuDetector final : public DetectorBackend {
 public:
  explicit CpuDetector(int threads);

  Status set_size(int width, int height) override;
  Status detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                Result* result) override;

  // The stages, in the order of a frame.

  /// Pixels to the planes `candidate` and `strong`.
  void front(const Settings& settings, const ConstFrame& input);
  /// `candidate` and `strong` to the plane returned, which is one of the detector's own.
  const Plane& hysteresis(unsigned passes);
  /// The plane to pixels; returns the number of edges.
  std::uint64_t store(const Plane& edges, const Frame& output);

  const Plane& candidate() const { return candidate_; }
  const Plane& strong() const { return strong_; }

 private:
  template <class Run>
  void for_strips(Run run);
  void front(const Settings& settings, const ConstFrame& input, int first, int last);
  void flood_strip(int first, int last);
  void join_strips();
  const Plane& run_passes(unsigned passes);

  const int threads_;
  tbb::task_arena arena_;
  int height_ = 0;
  std::vector<int> borders_;   // the first rows of strips, but for the topmost one
  std::vector<Front> fronts_;  // one a thread
  // The three planes, or two and what the flood takes.
  std::vector<Plane::Word> plane_words_;
  Plane candidate_, strong_, other_;  // strong becomes the edges, or takes turns with other
  Flood flood_;
};

}  // namespace canny::cpu

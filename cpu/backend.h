// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU backend: runs the stages over strips of rows, several at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "canny/arena.h"
#include "canny/auto_threshold.h"
#include "canny/backend.h"
#include "cpu/front/front.h"
#include "cpu/hysteresis/hysteresis.h"
#include "cpu/region.h"
#include "cpu/threads/bands.h"
#include "cpu/threads/borders.h"

namespace canny::cpu {

class CpuBackend final : public BackendImpl {
 public:
  explicit CpuBackend(int threads) : threads_(threads) {}

  Status set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) override;
  Status submit(Job* job) override;
  /// Computes the frame.
  Status finish(const Job& job, Result* results) override;
  Status drop(const Job&, Result*) override { return {}; }  // nothing has started
  Status find_offsets(const Job& job, const ConstFrame& input, Chains* chains) override;

  // The stages, in the order of a frame.

  /// Turns pixels into the planes `candidate` and `strong`. Measures thresholds if the plan says
  /// how.
  void front(const Plan& plan, const ConstFrame& input);
  /// Turns `candidate` and `strong` into edges, in a plane of the backend.
  const Plane& hysteresis(unsigned passes);
  /// Removes the components with fewer pixels than `min_length` from the edges. The result is in
  /// the place of the candidates.
  const Plane& remove_short(const Plane& edges, unsigned min_length);
  /// Turns the plane into pixels and returns the number of edges.
  std::uint64_t output(const Plane& edges, const Frame& output);

  /// Returns the number of 8-connected components of edges, which it may overwrite.
  std::uint64_t count_components(const Plane& edges);

  const Plane& candidate() const { return candidate_; }
  const Plane& strong() const { return strong_; }

 private:
  class FrameStages;

  int strips() const { return static_cast<int>(missing_pieces_.size()); }
  int pieces() const;
  std::uint64_t pixels(int step = 1) const;
  void front_of_region(Front& front, const FrontPiece& piece);
  void front_of_piece(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                      const SampleImage* blurred, int i);
  void set_thresholds(FrontPiece* piece) const;
  void start_fronts(const Plan& plan);
  void run_front(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                 const SampleImage* blurred = nullptr);
  const SampleImage* blurred_image(const Plan& plan) const;
  ConstFrame begin(const Plan& plan, const ConstFrame& input);
  void measure(const Plan& plan, const ConstFrame& input);
  Histogram count(const FrontSink& sink, const Plan& plan, const ConstFrame& input,
                  const SampleImage* blurred = nullptr);
  FrameThresholds measure_quantile(const Plan& plan, const ConstFrame& input);
  ConstFrame source(const Plan& plan, const ConstFrame& input) const;
  template <class FrontOfPiece, class Done>
  void flood(FrontOfPiece front_of_piece, Done done);
  template <class Done>
  void join_strips(int strip, Done done);
  template <class Run>
  void for_pieces(Run run);
  void label(const Plane& candidate, const Plane& edges);
  template <class Run>
  void for_rows(Run run);
  const Plane& apart_from_flood(const Plane& edges);
  bool run_pass(const Plane& from, const Plane& to);
  template <class Added>
  const Plane& run_passes(unsigned passes, Added added);
  std::uint64_t run_until_stable(const Plan& plan, const Picture& picture);
  Status finish_picture(const Plan& plan, const Picture& picture, Result* result);
  Status open_alone();
  void fill(const Frame& rows, std::uint8_t value);
  std::uint64_t count() const;

  const int threads_;
  Arena arena_;
  std::vector<int> first_rows_;                   // first row of each strip, then the height
  std::vector<std::atomic<int>> missing_pieces_;  // unfinished pieces of each strip
  Bands bands_;
  Borders borders_;
  std::vector<std::uint32_t> row_counts_;  // edges per row
  std::vector<Front> fronts_;              // one per thread
  // Memory of the three planes, or of two planes and the flood.
  std::vector<Plane::Word> plane_words_;
  Plane candidate_, strong_, other_;  // the edges replace strong, or alternate with other
  Flood flood_;
  RegionBits region_;
  EdgeBits* kept_strong_ = nullptr;  // gets the strong pixels, which hysteresis overwrites
  FrameThresholds measured_;
  // What a frame that measures thresholds continues with: its blurred channels or, for
  // ThresholdMode::kMedian, its luma. The first such frame allocates the memory.
  SampleImage image_;
  std::vector<Offset> offsets_;  // one per pixel, once a frame needs them
  // For batches: what each thread computes a picture with. The first such batch creates it.
  Arena arena_of_pictures_;
  std::vector<std::unique_ptr<CpuBackend>> alone_;
};

}  // namespace canny::cpu

// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame on the CPU. Strips share nothing that they write, so that the number of threads
// changes the time alone.
#include "cpu/detector.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "bits.h"
#include "cpu/grow.h"
#include "cpu/store.h"

namespace canny::cpu {
namespace {

constexpr int kStripsPerThread = 2;  // of several: evens out strips of unequal work
constexpr int kMinStripRows = 32;    // below, the rows that two strips both compute weigh

}  // namespace

CpuDetector::CpuDetector(int threads) : threads_(threads) {}

Status CpuDetector::set_size(int width, int height) {
  height_ = height;
  const int wanted_strips = threads_ == 1 ? 1 : kStripsPerThread * threads_;
  const int strips = std::clamp(height / kMinStripRows, 1, wanted_strips);
  borders_.clear();
  for (int i = 1; i < strips; ++i)
    borders_.push_back(static_cast<int>(std::int64_t{height} * i / strips));
  // More threads than cores would only take turns.
  const int used_threads = std::min({threads_, strips, tbb::info::default_concurrency()});
  arena_.terminate();
  arena_.initialize(used_threads);
  fronts_ = std::vector<Front>(used_threads);
  for (Front& front : fronts_) front.set_size(width, height);

  candidate_ = strong_ = other_ = Plane{nullptr, width, height};
  const std::size_t size = candidate_.memory_words();
  const std::size_t other_size = std::max(size, Flood::scratch_words(candidate_));
  plane_words_.assign(2 * size + other_size, 0);
  candidate_.place(plane_words_.data());
  strong_.place(plane_words_.data() + size);
  other_.place(plane_words_.data() + 2 * size);
  flood_.set_size(candidate_, plane_words_.data() + 2 * size);
  return {};
}

// Calls run(first_row, last_row) for every strip.
template <class Run>
void CpuDetector::for_strips(Run run) {
  const int last = static_cast<int>(borders_.size());
  arena_.execute([&] {
    tbb::parallel_for(0, last + 1, [&](int strip) {
      run(strip == 0 ? 0 : borders_[strip - 1], strip == last ? height_ : borders_[strip]);
    });
  });
}

// Within a strip, by one of the threads of for_strips().
void CpuDetector::front(const Settings& settings, const ConstFrame& input, int first, int last) {
  Front& front = fronts_[tbb::this_task_arena::current_thread_index()];
  front.run(input, settings, first, last, candidate_, strong_);
}

void CpuDetector::front(const Settings& settings, const ConstFrame& input) {
  for_strips([&](int first, int last) { front(settings, input, first, last); });
}

void CpuDetector::flood_strip(int first, int last) { flood_.run(candidate_, strong_, first, last); }

// Across the borders of strips, from the middle of one to the middle of the next, and then, if that
// was not enough, as far as it takes.
void CpuDetector::join_strips() {
  const int borders = static_cast<int>(borders_.size());
  const auto border = [&](int i) { return i < 0 ? 0 : i < borders ? borders_[i] : height_; };
  const auto middle = [&](int i) { return (border(i) + border(i + 1)) / 2; };
  arena_.execute([&] {
    tbb::parallel_for(0, borders,
                      [&](int i) { flood_.go_on(candidate_, strong_, middle(i - 1), middle(i)); });
  });
  flood_.finish(candidate_, strong_, borders == 0);
}

const Plane& CpuDetector::hysteresis(unsigned passes) {
  if (passes > 0) return run_passes(passes);
  for_strips([&](int first, int last) { flood_strip(first, last); });
  join_strips();
  return strong_;
}

const Plane& CpuDetector::run_passes(unsigned passes) {
  const int tile_rows = (height_ + kTile - 1) / kTile;
  const Plane *from = &strong_, *to = &other_;
  // The flood leaves its work there, and no pass writes around rows.
  std::fill_n(other_.words - 1, other_.memory_words(), 0);
  for (std::atomic<bool> grew = true; passes > 0 && grew; --passes) {
    grew = false;
    arena_.execute([&] {
      tbb::parallel_for(0, tile_rows, [&](int tile_row) {
        if (tile_pass(candidate_, *from, *to, tile_row)) grew = true;
      });
    });
    std::swap(from, to);
  }
  return *from;
}

std::uint64_t CpuDetector::store(const Plane& edges, const Frame& output) {
  std::atomic<std::uint64_t> count = 0;
  for_strips([&](int first, int last) { count += cpu::store(edges, output, first, last); });
  return count;
}

Status CpuDetector::detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                           Result* result) {
  if (input.memory != Memory::kHost || output.memory != Memory::kHost)
    return {StatusCode::kInvalidFrame, "the CPU backend takes frames in host memory only"};
  if (settings.passes > 0) {
    front(settings, input);
    result->edge_pixels = store(run_passes(settings.passes), output);
    return {};
  }
  // What a strip has just written is still in its thread's cache.
  for_strips([&](int first, int last) {
    front(settings, input, first, last);
    flood_strip(first, last);
  });
  join_strips();
  result->edge_pixels = store(strong_, output);
  return {};
}

}  // namespace canny::cpu

namespace canny {

Status create_cpu_backend(const Options& options, std::unique_ptr<DetectorBackend>* backend,
                          Info* info) {
  const unsigned cores = tbb::info::default_concurrency();
  const unsigned threads = options.threads > 0 ? std::min(options.threads, cores) : cores;
  *backend = std::make_unique<cpu::CpuDetector>(static_cast<int>(threads));
  *info = {Backend::kCpu,
           "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads"),
           "chosen by the backend option", -1, threads};
  return {};
}

}  // namespace canny

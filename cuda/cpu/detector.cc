// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame on the CPU. Strips share nothing that they write, so that the number of threads
// changes the time alone.
#include "cpu/detector.h"

#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "cpu/store.h"

namespace canny::cpu {
namespace {

constexpr int kStripsPerThread = 4;       // of several: evens out strips of unequal work
constexpr int kMinStripRows = 2 * kTile;  // below, the rows that two strips both compute weigh

int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

CpuDetector::CpuDetector(int threads) : threads_(threads) {}

Status CpuDetector::set_size(int width, int height) {
  height_ = height;
  const int wanted_strips = threads_ == 1 ? 1 : kStripsPerThread * threads_;
  strip_rows_ =
      std::max(kMinStripRows, round_up((height + wanted_strips - 1) / wanted_strips, kTile));
  const int strips = (height + strip_rows_ - 1) / strip_rows_;
  // More threads than cores would only take turns.
  const int used_threads = std::min({threads_, strips, tbb::info::default_concurrency()});
  arena_.terminate();
  arena_.initialize(used_threads);
  fronts_ = std::vector<Front>(used_threads);
  for (Front& front : fronts_) front.set_size(width, height);

  candidate_ = strong_ = other_ = BitPlane{nullptr, width, height};
  const std::size_t size = candidate_.size_words();
  plane_words_.assign(2 * size + std::max(size, Flood::scratch_words(candidate_)), 0);
  candidate_.words = plane_words_.data();
  strong_.words = candidate_.words + size;
  other_.words = strong_.words + size;
  flood_.set_size(candidate_, other_.words);  // which only bounded passes need as a plane
  return {};
}

// Calls run(first_row, last_row) for every strip.
template <class Run>
void CpuDetector::for_strips(Run run) {
  const int strips = (height_ + strip_rows_ - 1) / strip_rows_;
  arena_.execute([&] {
    tbb::parallel_for(0, strips, [&](int strip) {
      const int first = strip * strip_rows_;
      run(first, std::min(first + strip_rows_, height_));
    });
  });
}

void CpuDetector::front(const Settings& settings, const ConstFrame& input) {
  for_strips([&](int first, int last) {
    Front& front = fronts_[tbb::this_task_arena::current_thread_index()];
    front.run(input, settings, first, last, candidate_, strong_);
  });
}

const BitPlane& CpuDetector::hysteresis(unsigned passes) {
  if (passes == 0) {
    for_strips([&](int first, int last) { flood_.run(candidate_, strong_, first, last); });
    flood_.join(candidate_, strong_, strip_rows_);
    return strong_;
  }
  const BitPlane *from = &strong_, *to = &other_;
  for (std::atomic<bool> grew = true; passes > 0 && grew; --passes) {
    grew = false;
    for_strips([&](int first, int last) {
      for (int y = first; y < last; y += kTile)
        if (tile_pass(candidate_, *from, *to, y / kTile)) grew = true;
    });
    std::swap(from, to);
  }
  return *from;
}

std::uint64_t CpuDetector::store(const BitPlane& edges, const Frame& output) {
  std::atomic<std::uint64_t> count = 0;
  for_strips([&](int first, int last) { count += cpu::store(edges, output, first, last); });
  return count;
}

Status CpuDetector::detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                           Result* result) {
  if (input.memory != Memory::kHost || output.memory != Memory::kHost)
    return {StatusCode::kInvalidFrame, "the CPU backend takes frames in host memory only"};
  front(settings, input);
  const BitPlane& edges = hysteresis(settings.passes);
  result->edge_pixels = store(edges, output);
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

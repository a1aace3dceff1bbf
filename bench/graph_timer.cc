// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues whole and shortened graphs.
#include "graph_timer.h"

#include <string>

#include "canny/frame.h"
#include "device_work.h"

namespace bench {
namespace {

constexpr unsigned kHold = 60;  // microseconds; the host queues a graph in less than 20

/// Turns "front kernel" into "front".
std::string short_name(const std::string& name) {
  const std::size_t end = name.rfind(" kernel");
  return name.substr(0, end);
}

KernelCost cost_of(const canny::cuda::Launcher::Kernel& kernel) {
  KernelCost cost;
  cost.name = short_name(kernel.name);
  const char* function = nullptr;
  check(cudaFuncGetName(&function, kernel.function));
  cost.function = function;
  return cost;
}

}  // namespace

GraphTimer::GraphTimer(canny::cuda::Stages& stages, const canny::Params& params,
                       const DeviceFrames& frames, unsigned slots, unsigned min_pixels)
    : stages_(stages), frames_(frames), slots_(slots), has_components_(min_pixels > 0) {
  const canny::ConstFrame shape = frames.input(0);
  check(make_plan(params, shape.format, frames.output(0).format, &plan_));
  check(stages_.set_size(shape.width, shape.height, slots, shape.batch.count));
  if (shape.region != nullptr) {
    check(upload_.queue(*shape.region, shape.width, shape.height, stages_.stream(0), &source_));
    stages_.synchronize();
    region_ = &source_;
  }
  for (unsigned i = 0; i < slots; ++i) {
    check(stages_.reserve(i, plan_, {region_ != nullptr, false, has_components_}));
    if (has_components_)
      check(
          memories_[i].place(shape.width, shape.height, shape.batch.count, min_pixels, &lists_[i]));
  }
}

// Queues the next frame where the frames of so many slots take turns.
void GraphTimer::queue(unsigned slots) {
  const unsigned slot = static_cast<unsigned>(next_) % slots;
  const int i = next_++ % frames_.count();
  canny::cuda::StageFrame frame = {plan_, frames_.input(i), region_, frames_.output(i)};
  if (has_components_) frame.components = &lists_[slot];
  check(stages_.run(slot, slots - 1, frame));
}

std::vector<KernelCost> GraphTimer::run() {
  next_ = 0;
  queue(1);
  stages_.synchronize();
  std::vector<KernelCost> kernels;
  for (const auto& kernel : stages_.kernels(0)) kernels.push_back(cost_of(kernel));
  return kernels;
}

// Times one graph with alone(), and sequences.
template <class Alone>
KernelTimes GraphTimer::time(Alone alone) {
  const auto sequence = [&](int count) {
    const Stopwatch watch;
    for (int i = 0; i < count; ++i) queue(slots_);
    stages_.synchronize();
    return watch.microseconds() / count;
  };
  const double one = warm_up(alone);
  return {median_of_series(one, alone), median_of_rounds(one, 16, sequence)};
}

KernelTimes GraphTimer::time() {
  return time([&] { return events_.time(stages_.stream(0), [&] { queue(1); }); });
}

KernelTimes GraphTimer::time_first(std::size_t kernels) {
  stages_.end_after(kernels);
  return time([&] {
    check(hold(kHold, stages_.stream(0)));
    return events_.time(stages_.stream(0), [&] { queue(1); });
  });
}

void GraphTimer::time_kernels(std::vector<KernelCost>* kernels) {
  KernelTimes before;
  for (std::size_t i = 0; i < kernels->size(); ++i) {
    const KernelTimes after = time_first(i + 1);
    (*kernels)[i].times = {after.alone - before.alone, after.thr - before.thr};
    before = after;
  }
  stages_.end_after(canny::cuda::kAllKernels);
  KernelCost frame;
  frame.name = "frame";
  frame.times = before;
  kernels->push_back(frame);
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues one kernel after the other.
#include "opencl/plain_front.h"

#include "canny/view.h"

namespace canny::opencl {
namespace {

constexpr char kSource[] =
#include "pixels.inc"

#include "gradient.inc"

#include "front.inc"
    ;

}  // namespace

Status PlainFront::prepare(const Queue& queue, bool is_deep) {
  return open_once(&kernels_[is_deep].are_open, [&] { return open(queue, is_deep); });
}

Status PlainFront::open(const Queue& queue, bool is_deep) {
  Kernels& kernels = kernels_[is_deep];
  CANNY_TRY(kernels.program.build(queue, kSource, options_of_any_plan(is_deep)));
  CANNY_TRY(kernels.sample.open(queue, kernels.program, "sample"));
  CANNY_TRY(kernels.blur_rows.open(queue, kernels.program, "blur_rows"));
  CANNY_TRY(kernels.blur_columns.open(queue, kernels.program, "blur_columns"));
  CANNY_TRY(kernels.gradient.open(queue, kernels.program, "gradient"));
  CANNY_TRY(kernels.count_lengths.open(queue, kernels.program, "count_lengths"));
  CANNY_TRY(kernels.count_luma.open(queue, kernels.program, "count_luma"));
  CANNY_TRY(kernels.show_gradient.open(queue, kernels.program, "show_gradient"));
  CANNY_TRY(kernels.show_samples.open(queue, kernels.program, "show_samples"));
  return kernels.suppress.open(queue, kernels.program, "suppress");
}

void PlainFront::release() {
  for (Buffer* buffer : {&sums_, &magnitudes_, &sectors_}) buffer->release();
}

Status PlainFront::write_taps(const Queue& queue, const Taps& taps) {
  if (has_taps_ && taps == written_taps_) return {};
  has_taps_ = false;
  CANNY_TRY(taps_.reserve(queue, sizeof taps.weight));
  CANNY_TRY(taps_.write(queue, taps.weight, taps.count * sizeof taps.weight[0]));
  written_taps_ = taps;
  has_taps_ = true;
  return {};
}

Status PlainFront::find_blurred(const Plan& plan, const Image& image, FrontMemory* memory) {
  const Queue& queue = *memory->queue;
  const int width = memory->width, height = memory->height;
  CANNY_TRY(memory->reserve_samples(plan));
  CANNY_TRY(kernels(plan).sample.run(queue, width, height, 1, *image.buffer,
                                     source_of(plan.input, plan.channels, image, width, height),
                                     memory->samples));
  const Taps& taps = plan.blur;
  if (taps.is_identity()) return {};
  CANNY_TRY(sums_.reserve(queue, plan.channels * memory->pixels() * sizeof(cl_uint)));
  CANNY_TRY(write_taps(queue, taps));
  CANNY_TRY(kernels(plan).blur_rows.run(queue, width, height, plan.channels, memory->samples, width,
                                        height, taps_, taps.radius(), sums_));
  return kernels(plan).blur_columns.run(queue, width, height, plan.channels, sums_, width, height,
                                        taps_, taps.radius(), memory->samples);
}

// The luma before the blur.
Status PlainFront::count_luma(const Plan& plan, const Image& image, const Buffer* region,
                              FrontMemory* memory) {
  const Queue& queue = *memory->queue;
  const Source source = source_of(plan.input, 1, image, memory->width, memory->height);
  CANNY_TRY(memory->reserve_samples(plan));
  CANNY_TRY(memory->clear_histogram());
  CANNY_TRY(kernels(plan).sample.run(queue, memory->width, memory->height, 1, *image.buffer, source,
                                     memory->samples));
  const RegionArgument of_region = region_argument(region, memory->samples);
  return kernels(plan).count_luma.run(queue, memory->width, memory->height, 1, memory->samples,
                                      memory->width, of_region.words, of_region.is_there,
                                      memory->histogram);
}

Status PlainFront::count_lengths(const Plan& plan, const Buffer* region, FrontMemory* memory) {
  CANNY_TRY(memory->clear_histogram());
  const RegionArgument of_region = region_argument(region, memory->samples);
  return kernels(plan).count_lengths.run(
      *memory->queue, memory->width, memory->height, 1, magnitudes_, sectors_, memory->width,
      memory->height, static_cast<cl_int>(plan.auto_threshold.mode),
      static_cast<cl_int>(plan.is_squared()), plan.auto_threshold.bin_shift, of_region.words,
      of_region.is_there, memory->histogram);
}

Status PlainFront::suppress(const Plan& plan, const Buffer* region, const FrontMemory& memory) {
  const auto [low, high] = limits_of(plan, memory.measured);
  const RegionArgument of_region = region_argument(region, memory.samples);
  return kernels(plan).suppress.run(*memory.queue, memory.words_per_row(), memory.height, 1,
                                    magnitudes_, sectors_, memory.width, memory.height,
                                    static_cast<cl_int>(plan.is_thin), low, high, of_region.words,
                                    of_region.is_there, memory.candidate, memory.strong);
}

Status PlainFront::run(const Plan& plan, const Image& image, const Buffer* region,
                       FrontMemory* memory) {
  const Queue& queue = *memory->queue;
  const ThresholdMode mode = plan.auto_threshold.mode;
  if (mode == ThresholdMode::kMedian) CANNY_TRY(count_luma(plan, image, region, memory));
  CANNY_TRY(find_blurred(plan, image, memory));
  if (shows_luma(plan.view)) return {};
  CANNY_TRY(magnitudes_.reserve(
      queue, memory->pixels() * (plan.is_deep ? sizeof(cl_ulong) : sizeof(cl_uint))));
  CANNY_TRY(sectors_.reserve(queue, memory->pixels()));
  CANNY_TRY(kernels(plan).gradient.run(queue, memory->width, memory->height, 1, memory->samples,
                                       memory->width, memory->height, plan.channels,
                                       weights_of(plan), magnitudes_, sectors_));
  if (!needs_thresholds(plan.view)) return {};
  if (mode != ThresholdMode::kAbsolute && mode != ThresholdMode::kMedian)
    CANNY_TRY(count_lengths(plan, region, memory));
  if (mode != ThresholdMode::kAbsolute) CANNY_TRY(memory->measure(plan, region != nullptr));
  return suppress(plan, region, *memory);
}

Status PlainFront::show(const Plan& plan, const FrontMemory& memory, const Buffer& values) {
  const int width = memory.width, height = memory.height;
  if (shows_luma(plan.view))
    return kernels(plan).show_samples.run(*memory.queue, width, height, 1, memory.samples, width,
                                          values);
  return kernels(plan).show_gradient.run(*memory.queue, width, height, 1, magnitudes_, sectors_,
                                         width, height, static_cast<cl_int>(plan.view),
                                         static_cast<cl_int>(plan.is_squared()),
                                         static_cast<cl_int>(operator_gain(plan.weights)), values);
}

}  // namespace canny::opencl

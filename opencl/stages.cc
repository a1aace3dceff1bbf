// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of a frame.
#include "opencl/stages.h"

#include "canny/view.h"

namespace canny::opencl {

Status Stages::open(const Device& device) {
  CANNY_TRY(queue_.open(device));
  CANNY_TRY(front_.open(queue_));
  CANNY_TRY(hysteresis_.open(queue_));
  CANNY_TRY(output_.open(queue_));
  if (!is_told("CANNY_OPENCL_KERNELS", "plain")) return {};
  front_.separate();
  output_.write_bytes();
  return {};
}

Status Stages::set_size(int width, int height) {
  width_ = height_ = 0;
  values_.release();
  CANNY_TRY(front_.set_size(width, height));
  CANNY_TRY(hysteresis_.set_size(width, height));
  width_ = width;
  height_ = height;
  return {};
}

// Writes the values of a view that shows neither edges nor the input.
Status Stages::show(const Plan& plan, const StageFrame& frame) {
  CANNY_TRY(values_.reserve(queue_, static_cast<std::size_t>(width_) * height_));
  switch (plan.view) {
    case View::kClasses:
      CANNY_TRY(hysteresis_.show_classes(front_.candidate(), front_.strong(), values_));
      break;
    case View::kPasses:
      CANNY_TRY(hysteresis_.show_passes(front_.candidate(), front_.strong(), plan.passes, values_));
      break;
    default:
      CANNY_TRY(front_.show(plan, values_));
  }
  return output_.show(plan, values_, width_, height_, frame.to);
}

Status Stages::find_edges(const Plan& plan, const StageFrame& frame) {
  return hysteresis_.run(front_.candidate(), front_.strong(), plan.passes, plan.min_length,
                         *frame.numbers);
}

Status Stages::write_edges(const Plan& plan, const StageFrame& frame) {
  return shows_input(plan.view) ? output_.paint(plan, edges(), frame.output, frame.from, frame.to)
                                : output_.run(edges(), plan.output, width_, height_, frame.to);
}

// Each view counts its last step to the stage that StageTimes says.
Status Stages::run(const Plan& plan, const StageFrame& frame) {
  const auto stage = [&](Span Spans::*span, auto work) {
    return run_timed(queue_, frame.spans != nullptr ? &(frame.spans->*span) : nullptr, work);
  };
  const auto show_all = [&] { return show(plan, frame); };
  const auto run_front = [&]() -> Status {
    CANNY_TRY(front_.run(plan, frame.from, frame.region));
    return needs_thresholds(plan.view) ? Status() : show_all();
  };
  CANNY_TRY(front_.prepare(plan));  // outside of the time of the front end
  CANNY_TRY(frame.numbers->fill(queue_, 0, kNumberBytes));
  CANNY_TRY(stage(&Spans::front, run_front));
  if (!needs_thresholds(plan.view)) return {};
  if (const Buffer* measured = front_.device_measured())
    CANNY_TRY(
        measured->queue_copy(queue_, *frame.numbers, sizeof(DeviceMeasured), kMeasuredOffset));
  if (plan.measures_stages) {
    CANNY_TRY(hysteresis_.count_pixels(front_.candidate(), Number::kCandidates, *frame.numbers));
    CANNY_TRY(hysteresis_.count_pixels(front_.strong(), Number::kStrong, *frame.numbers));
  }
  if (plan.view == View::kClasses) return stage(&Spans::output, show_all);
  if (plan.view == View::kPasses) return stage(&Spans::hysteresis, show_all);
  CANNY_TRY(stage(&Spans::hysteresis, [&] { return find_edges(plan, frame); }));
  CANNY_TRY(stage(&Spans::output, [&] { return write_edges(plan, frame); }));
  if (!plan.measures_stages) return {};
  return hysteresis_.count_components(edges(), *frame.numbers);
}

}  // namespace canny::opencl

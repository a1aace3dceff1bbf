// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of a frame.
#include "opencl/stages.h"

#include "canny/view.h"

namespace canny::opencl {

Status Stages::open(const Device& device) {
  CANNY_TRY(queue_.open(device));
  CANNY_TRY(front_.open(queue_));
  CANNY_TRY(hysteresis_.open(queue_));
  return output_.open(queue_);
}

Status Stages::set_size(int width, int height) {
  width_ = height_ = 0;
  CANNY_TRY(front_.set_size(width, height));
  CANNY_TRY(hysteresis_.set_size(width, height));
  width_ = width;
  height_ = height;
  return {};
}

// Writes the values of a view that shows neither edges nor the input.
Status Stages::show(const Plan& plan) {
  CANNY_TRY(values_.reserve(queue_, static_cast<std::size_t>(width_) * height_));
  switch (plan.view) {
    case View::kClasses:
      return hysteresis_.show_classes(front_.candidate(), front_.strong(), values_);
    case View::kPasses:
      return hysteresis_.show_passes(front_.candidate(), front_.strong(), plan.passes, values_);
    default:
      return front_.show(plan, values_);
  }
}

Status Stages::run(const Plan& plan, const Image& from, const Buffer* region, const Frame& output,
                   const Image& to) {
  CANNY_TRY(front_.run(plan, from, region));
  if (!shows_edges(plan.view)) {
    CANNY_TRY(show(plan));
    return output_.show(plan, values_, width_, height_, to);
  }
  CANNY_TRY(hysteresis_.run(front_.candidate(), front_.strong(), plan.passes, plan.min_length));
  return shows_input(plan.view)
             ? output_.paint(plan, hysteresis_.edges(), output, from, to)
             : output_.run(hysteresis_.edges(), plan.output, width_, height_, to);
}

Status Stages::finish(const Plan& plan, Result* result) {
  *result = {};
  if (shows_edges(plan.view)) {
    cl_uint edges = 0;
    CANNY_TRY(output_.read_count(&edges));
    result->edge_pixels = edges;
  }
  const bool is_measured = plan.threshold_source == ThresholdSource::kMeasured;
  result->low_threshold = is_measured ? front_.measured().low : plan.low;
  result->high_threshold = is_measured ? front_.measured().high : plan.high;
  return queue_.finish();
}

}  // namespace canny::opencl

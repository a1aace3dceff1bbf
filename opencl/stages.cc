// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the stages of a frame.
#include "opencl/stages.h"

#include "canny/recipe.h"
#include "canny/test_choices.h"

namespace canny::opencl {

Status Stages::open(const Device& device) {
  const bool is_generic_only = TestChoices().opencl_kernels == "generic";
  CANNY_TRY(queue_.open(device));
  CANNY_TRY(front_.open(queue_, is_generic_only));
  CANNY_TRY(hysteresis_.open(queue_));
  return output_.open(queue_, !is_generic_only);
}

Status Stages::set_size(int width, int height) {
  values_.release();
  CANNY_TRY(front_.set_size(width, height));
  return hysteresis_.set_size(width, height);
}

// Queues the stages of a frame, for run_recipe().
class Stages::FrameStages {
 public:
  FrameStages(Stages* stages, const Plan& plan, const StageFrame& frame)
      : of_(*stages), plan_(plan), frame_(frame) {}

  Status show_images() {
    CANNY_TRY(front());
    return show_values([&] { return of_.front_.show(plan_, of_.values_); });
  }
  Status front() { return of_.front_.run(plan_, frame_.from, frame_.region); }
  Status count_pixels() {
    CANNY_TRY(of_.hysteresis_.count_pixels(candidate(), Number::kCandidates, *frame_.numbers));
    return of_.hysteresis_.count_pixels(strong(), Number::kStrong, *frame_.numbers);
  }
  Status show_classes() {
    return show_values(
        [&] { return of_.hysteresis_.show_classes(candidate(), strong(), of_.values_); });
  }
  Status show_passes() {
    return show_values([&] {
      return of_.hysteresis_.show_passes(candidate(), strong(), plan_.passes, of_.values_);
    });
  }
  Status hysteresis() {
    if (frame_.strong != nullptr)
      CANNY_TRY(frame_.strong->keep(of_.queue_, strong(), frame_.output));
    return of_.hysteresis_.run(candidate(), strong(), plan_.passes, plan_.min_length,
                               *frame_.numbers);
  }
  Status write() {
    return shows_input(plan_.view)
               ? of_.output_.paint(plan_, edges(), frame_.output, frame_.from, frame_.to)
               : of_.output_.run(edges(), frame_.output, frame_.to);
  }
  Status count_components() { return of_.hysteresis_.count_components(edges(), *frame_.numbers); }

 private:
  Buffer& candidate() { return of_.front_.candidate(); }
  Buffer& strong() { return of_.front_.strong(); }
  const Buffer& edges() { return of_.hysteresis_.edges(); }
  // Writes a view of values, which show() finds.
  template <class Show>
  Status show_values(Show show) {
    const Frame& output = frame_.output;
    CANNY_TRY(of_.values_.reserve(of_.queue_, std::size_t{1} * output.width * output.height));
    CANNY_TRY(show());
    return of_.output_.show(plan_, of_.values_, output, frame_.to);
  }

  Stages& of_;
  const Plan& plan_;
  const StageFrame& frame_;
};

Status Stages::run(const Plan& plan, const StageFrame& frame) {
  CANNY_TRY(front_.prepare(plan));  // outside of the time of the front end
  CANNY_TRY(frame.numbers->fill(queue_, 0, sizeof(Numbers)));
  FrameStages stages(this, plan, frame);
  CANNY_TRY(run_recipe(plan, stages, [&](StageTime time, auto stage) {
    return timed(frame.marks, time, queue_, stage);
  }));
  const Buffer* measured = front_.device_measured();
  if (measured == nullptr) return {};
  return measured->queue_copy(queue_, *frame.numbers, sizeof(DeviceMeasured),
                              offsetof(Numbers, measured));
}

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs jobs on an OpenCL device: upload, stages, download, and the wait for them.
#include "opencl/backend.h"

#include <algorithm>
#include <chrono>

#include "canny/guard.h"
#include "canny/transfer.h"
#include "opencl/signals.h"

namespace canny::opencl {
namespace {

// Pictures of a batch whose copies overlap with kernels. More would only take memory.
constexpr unsigned kPicturesInFlight = 4;
// A number of edges that the device has not written yet: more than a frame has pixels.
constexpr cl_uint kMissing = 0xffffffff;

// Makes later work in `second` wait for all work in `first`.
Status order(const Queue& first, const Queue& second, Event* event) {
  if (&first == &second) return {};
  CANNY_TRY(event->set(first));
  CANNY_TRY(first.flush());
  return event->delay(second);
}

}  // namespace

OpenClBackend::~OpenClBackend() { synchronize(); }

// Waits until no work is left, whether it succeeded or not.
void OpenClBackend::synchronize() {
  for (const Queue* queue : queues())
    if (queue->get() != nullptr) static_cast<void>(queue->finish());
}

Status OpenClBackend::open(const Device& device) {
  CANNY_TRY(stages_.open(device));
  CANNY_TRY(uploads_.open(device, &compute_queue()));
  return downloads_.open(device, &compute_queue());
}

// Memory for frames in other formats, or more frames, than before comes with the first of them.
Status OpenClBackend::set_size(int width, int height, unsigned frames_in_flight,
                               unsigned pictures) {
  for (const Queue* queue : queues()) CANNY_TRY(queue->finish());
  most_pictures = std::min(pictures, kPicturesInFlight);
  slots_ = std::vector<Slot>(std::size_t{1} * frames_in_flight * most_pictures);
  for (Slot& slot : slots_) {
    CANNY_TRY(slot.numbers.reserve(compute_queue(), sizeof(Numbers)));
    CANNY_TRY(slot.host_numbers.reserve(compute_queue(), sizeof(Numbers)));
  }
  return stages_.set_size(width, height);
}

Status OpenClBackend::upload(const ConstFrame& input, Slot* slot) {
  return timed(slot->marks, &StageTimes::upload, upload_queue(), [&] {
    // The host's part comes after the mark.
    if (slot->marks != nullptr) CANNY_TRY(upload_queue().flush());
    CANNY_TRY(slot->input.queue(upload_queue(), input));
    return input.region != nullptr ? slot->region.queue(upload_queue(), input) : Status();
  });
}

Status OpenClBackend::compute(const Plan& plan, const Picture& picture, Slot* slot) {
  const Frame& output = picture.output;
  CANNY_TRY(slot->output.open(compute_queue(), output));
  StageFrame frame;
  frame.from = slot->input.image();
  frame.to = slot->output.image();
  if (picture.input.region != nullptr) frame.region = &slot->region.bits();
  frame.output = output;
  if (picture.components != nullptr) frame.strong = &slot->strong;
  frame.numbers = &slot->numbers;
  frame.marks = slot->marks;
  CANNY_TRY(stages_.run(plan, frame));
  const FrameThresholds& thresholds = plan.thresholds(stages_.front().measured());
  slot->has_device_measured = stages_.front().device_measured() != nullptr;
  slot->result = {};
  slot->result.low_threshold = thresholds.low;
  slot->result.high_threshold = thresholds.high;
  slot->result.route = name(stages_.front().route());
  if (picture.bits == nullptr && picture.components == nullptr) return {};
  return slot->bits.keep(compute_queue(), stages_.hysteresis().edges(), output);
}

Status OpenClBackend::download(const Picture& picture, Slot* slot) {
  CANNY_TRY(timed(slot->marks, &StageTimes::download, download_queue(),
                  [&] { return slot->output.queue(download_queue(), picture.output); }));
  if (picture.bits != nullptr || picture.components != nullptr)
    CANNY_TRY(slot->bits.queue(download_queue()));
  if (picture.components != nullptr) CANNY_TRY(slot->strong.queue(download_queue()));
  slot->found()[Number::kEdges] = kMissing;
  constexpr std::size_t kBytes = sizeof(Numbers);
  return slot->numbers.queue_read(download_queue(), {slot->host_numbers.data(), kBytes, kBytes, 1},
                                  0, kBytes);
}

Status OpenClBackend::begin(const Plan& plan, const Picture& picture, Slot* slot) {
  slot->marks = plan.measures_stages ? &slot->stage_marks : nullptr;
  slot->stage_marks.begin();
  CANNY_TRY(upload(picture.input, slot));
  CANNY_TRY(order(upload_queue(), compute_queue(), &slot->uploaded));
  CANNY_TRY(compute(plan, picture, slot));
  CANNY_TRY(order(compute_queue(), download_queue(), &slot->computed));
  CANNY_TRY(download(picture, slot));
  CANNY_TRY(slot->done.set(download_queue()));
  return download_queue().flush();
}

Status OpenClBackend::submit(Job* job) {
  if (!is_in_host(*job)) {
    return {StatusCode::kInvalidFrame,
            "the OpenCL backend takes frames and masks in host memory only"};
  }
  const std::lock_guard<std::mutex> lock(queueing_);
  Status status = guard([&]() -> Status {
    for (unsigned i = 0; i < job->count; ++i)
      CANNY_TRY(begin(job->plan, job->picture(i), slots_of(*job) + i));
    return {};
  });
  if (!status.ok()) abandon(*job);
  return status;
}

// Gives the memory of a job that failed back to the caller. The caller holds the mutex.
void OpenClBackend::abandon(const Job& job) {
  synchronize();
  for (unsigned i = 0; i < job.count; ++i) {
    slots_of(job)[i].input.finish();
    slots_of(job)[i].output.finish();
  }
}

Status OpenClBackend::finish(const Job& job, Result* results) {
  for_each_fill(job, fill_rows);  // while the device computes
  Status status = guard([&]() -> Status {
    for (unsigned i = 0; i < job.count; ++i)
      CANNY_TRY(finish_picture(job.plan, job.picture(i), slots_of(job) + i, &results[i]));
    return {};
  });
  if (!status.ok()) {
    const std::lock_guard<std::mutex> lock(queueing_);
    abandon(job);
  }
  return status;
}

Status OpenClBackend::finish_picture(const Plan& plan, const Picture& picture, Slot* slot,
                                     Result* result) {
  CANNY_TRY(slot->done.wait());
  Numbers& found = slot->found();
  // Some drivers end work after a failure as if it had succeeded.
  if (found[Number::kEdges] == kMissing) {
    return {StatusCode::kDeviceFailure,
            compute_queue().device().text() + ": the device did not complete the frame"};
  }
  *result = slot->result;
  CANNY_TRY(slot->stage_marks.read(&result->times));
  result->edge_pixels = found[Number::kEdges];
  if (slot->has_device_measured) {
    result->low_threshold = found.measured.low_length;
    result->high_threshold = found.measured.high_length;
  }
  result->uploaded_bytes = slot->input.is_shared() ? 0 : host_bytes(picture.input);
  result->downloaded_bytes = slot->output.is_shared() ? 0 : host_bytes(picture.output);
  result->candidate_pixels = found[Number::kCandidates];
  result->strong_pixels = found[Number::kStrong];
  result->components = found[Number::kComponents];
  const auto copying = std::chrono::steady_clock::now();
  slot->output.copy(picture.output);
  if (plan.measures_stages)
    result->times.download += static_cast<std::uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - copying).count());
  if (picture.bits != nullptr) slot->bits.finish(picture.bits);
  if (picture.components != nullptr) {
    slot->bits.finish(&picture.components->edges);
    slot->strong.finish(&picture.components->strong);
  }
  slot->input.finish();
  slot->output.finish();
  return {};
}

}  // namespace canny::opencl

namespace canny {

Status create_opencl_backend(const Options& options, std::unique_ptr<BackendImpl>* backend) {
  const opencl::SignalActions kept;
  opencl::Device device;
  CANNY_TRY(opencl::find_device(options.opencl_device, &device));
  auto opened = std::make_unique<opencl::OpenClBackend>();
  CANNY_TRY(opened->open(device));
  opened->info = {Backend::kOpenCl,
                  device.name,
                  "OpenCL device of " + device.driver,
                  -1,
                  0,
                  device.shares_frames ? opencl::kSharedAlignment : 0};
  *backend = std::move(opened);
  return {};
}

}  // namespace canny

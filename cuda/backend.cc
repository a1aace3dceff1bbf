// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs jobs on the GPU: upload, stages, download, and the wait for them.
#include "cuda/backend.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <string>

#include "canny/frame.h"
#include "canny/transfer.h"
#include "cuda/check.h"
#include "cuda/waiting.h"

namespace canny::cuda {
namespace {

// Makes later work on `second` wait for all work queued on `first`.
Status order(cudaStream_t first, cudaStream_t second, cudaEvent_t event) {
  if (first == second) return {};
  CANNY_CUDA_TRY(cudaEventRecord(event, first));
  CANNY_CUDA_TRY(cudaStreamWaitEvent(second, event));
  return {};
}

// Sets the bytes beside the pixels of a picture in device memory.
Status queue_fills(const Frame& output, cudaStream_t stream) {
  for (std::size_t i = 0; i < output.fill_count; ++i) {
    const Frame rows = fill_frame(output, i);
    CANNY_CUDA_TRY(cudaMemset2DAsync(lowest_row(rows), std::abs(rows.stride_bytes),
                                     output.fills[i].value, row_bytes(rows), rows.height, stream));
  }
  return {};
}

// Takes a frame out of the numbers of frames in flight at the end of its scope.
struct EndOfFlight {
  std::atomic<unsigned>& of_detector;
  std::atomic<unsigned>& on_device;
  ~EndOfFlight() {
    --of_detector;
    --on_device;
  }
};

// The pictures of a job, without their fills: see part_of().
Frame part_of_output(const Job& job) { return part_of(job.output, job.first, job.count); }

// Whether the reports of a job tell that all of it is complete: the last kernel writes the output
// of the caller.
bool ends_with_report(const Job& job) {
  return shows_edges(job.plan.view) && job.output.memory == Memory::kDevice && job.bits.empty() &&
         !job.plan.measures_stages;
}

// Whether the device finds the chains of a job: those of batches and huge frames would take too
// much memory.
bool is_traced_on_device(const Job& job) {
  const std::size_t pixels = std::size_t{1} * job.output.width * job.output.height;
  return !job.bits.empty() && job.count == 1 && pixels <= kMaxContourPixels;
}

// Rejects addresses of the wrong kind. A kernel that used one would make the device unusable for
// the whole process.
Status check_address(const char* which, const void* data, int device) {
  cudaPointerAttributes attributes;
  CANNY_CUDA_TRY(cudaPointerGetAttributes(&attributes, data));
  if ((attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged) &&
      attributes.device == device)
    return {};
  return {StatusCode::kInvalidFrame,
          std::string(which) + ": data is not in memory of CUDA device " + std::to_string(device)};
}

// Checks all addresses of a picture in device memory; its fills are as in fill_frame().
template <class Byte>
Status check_memory(const char* which, const BasicFrame<Byte>& frame, int device) {
  if (frame.memory == Memory::kHost) return {};
  for (int i = 0; i < plane_count(frame); ++i)
    CANNY_TRY(check_address(which, plane(frame, i).data, device));
  for (std::size_t i = 0; i < frame.fill_count; ++i)
    CANNY_TRY(check_address(which, frame.fills[i].rows.data + frame.batch.stride_bytes, device));
  return {};
}

// Likewise in all pictures of a job, of which those at equal distances lie in one block of memory.
template <class Byte>
Status check_pictures(const char* which, const BasicFrame<Byte>& frame, const Job& job,
                      int device) {
  const unsigned last = job.count - 1;
  const unsigned step = frame.batch.data != nullptr ? 1 : std::max(last, 1u);
  for (unsigned i = 0; i <= last; i += step)
    CANNY_TRY(check_memory(which, picture_of(frame, job.first + i), device));
  return {};
}

Status check_mask(const ConstFrame& input, int device) {
  for (unsigned i = 0; i < input.batch.count && input.region != nullptr; ++i) {
    if (input.region[i].mask.data == nullptr) continue;
    CANNY_TRY(check_memory("input frame, mask of the region",
                           mask_frame(input.region[i], input.width, input.height), device));
  }
  return {};
}

Status check_contours(const Job& job, int device) {
  for (unsigned i = 0; i < job.count && !job.chains.empty(); ++i) {
    const Chains& chains = *job.chains[job.first + i];
    if (!chains.is_for_device()) continue;
    CANNY_TRY(check_address("points of contours", chains.memory.points, device));
    CANNY_TRY(check_address("ends of contours", chains.memory.ends, device));
  }
  return {};
}

}  // namespace

CudaBackend::~CudaBackend() {
  const DeviceScope scope(device());
  synchronize();
  frames_on_device(device().id) -= in_flight_;
  release();
  upload_stream_.reset();
  download_stream_.reset();
  ready_.reset();
  host_measured_ = {};
  host_counts_ = {};
}

// Waits until no work is left, whether it succeeded or not.
void CudaBackend::synchronize() {
  stages_->synchronize();
  for (const Owned<cudaStream_t>* stream : {&upload_stream_, &download_stream_})
    if (*stream != nullptr) cudaStreamSynchronize(stream->get());
  cudaGetLastError();
}

// Frees what set_size() and the jobs allocated.
void CudaBackend::release() {
  for (Slot& slot : slots_) slot = {};
  stages_->release();
}

Status CudaBackend::open() {
  const DeviceScope scope(device());
  CANNY_TRY(scope.status());
  CANNY_TRY(stages_->open());
  CANNY_TRY(create_stream(&upload_stream_));
  CANNY_TRY(create_stream(&download_stream_));
  return create_event(cudaEventDisableTiming, &ready_);
}

// With one frame in flight, waiting for an event spins, for low latency. With more, it blocks and
// frees the core.
Status CudaBackend::create_events(unsigned frames_in_flight) {
  const unsigned wait = frames_in_flight == 1 ? cudaEventDefault : cudaEventBlockingSync;
  for (unsigned i = 0; i < frames_in_flight; ++i) {
    Slot& slot = slots_[i];
    CANNY_TRY(create_event(cudaEventDisableTiming, &slot.uploaded));
    CANNY_TRY(create_event(cudaEventDisableTiming, &slot.computed));
    CANNY_TRY(create_event(cudaEventDisableTiming | wait, &slot.done));
  }
  return {};
}

Status CudaBackend::set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) {
  const DeviceScope scope(device());
  CANNY_TRY(scope.status());
  for (unsigned i = 0; i < frames_; ++i) CANNY_CUDA_TRY(cudaStreamSynchronize(stages_->stream(i)));
  CANNY_CUDA_TRY(cudaStreamSynchronize(upload_stream()));
  release();
  CANNY_TRY(create_events(frames_in_flight));
  most_pictures = std::min(pictures, Stages::most_pictures(width, height));
  CANNY_TRY(stages_->set_size(width, height, frames_in_flight, most_pictures));
  const std::size_t in_flight = std::size_t{1} * frames_in_flight * most_pictures;
  CANNY_TRY(host_measured_.reserve(in_flight));
  CANNY_TRY(host_counts_.reserve(in_flight));
  frames_ = frames_in_flight;
  return {};
}

// Makes later work on `stream` wait for all work queued on the caller's stream. Fails if that is
// not a stream of this context.
Status CudaBackend::wait_for_caller(void* caller, const char* which, cudaStream_t stream) {
  if (caller == nullptr) return {};
  const cudaError_t recorded =
      CANNY_CUDA_CALL(cudaEventRecord(ready_.get(), static_cast<cudaStream_t>(caller)));
  if (recorded == cudaErrorInvalidResourceHandle) {
    cudaGetLastError();
    return {StatusCode::kInvalidFrame, std::string(which) +
                                           " frame: cuda_stream is not a stream of the detector's "
                                           "CUDA context"};
  }
  CANNY_CUDA_TRY(recorded);
  CANNY_CUDA_TRY(cudaStreamWaitEvent(stream, ready_.get()));
  return {};
}

// Makes `*input` a frame in device memory. What is the first to read it waits for the caller's
// stream: the copy of a frame in host memory, since that may be page-locked, or the kernels.
Status CudaBackend::queue_upload(Slot* slot, cudaStream_t compute, ConstFrame* input) {
  const ConstFrame of_caller = *input;
  const bool is_in_host = input->memory == Memory::kHost;
  if (is_in_host) CANNY_TRY(wait_for_caller(of_caller.cuda_stream, "input", upload_stream()));
  bool is_copied = is_in_host;
  const auto upload = [&]() -> Status {
    if (is_in_host) CANNY_TRY(slot->upload.queue(of_caller, upload_stream(), input));
    return queue_regions(of_caller, slot, &is_copied);
  };
  CANNY_TRY(
      timed(is_in_host ? slot->marks : nullptr, &StageTimes::upload, upload_stream(), upload));
  if (!is_in_host) CANNY_TRY(wait_for_caller(of_caller.cuda_stream, "input", compute));
  if (is_copied) CANNY_TRY(order(upload_stream(), compute, slot->uploaded.get()));
  return is_in_host ? Status() : slot->inputs.queue(compute, input);
}

Status CudaBackend::queue_regions(const ConstFrame& input, Slot* slot, bool* is_copied) {
  if (input.region == nullptr) return {};
  const unsigned pictures = input.batch.count;
  if (slot->regions.size() < pictures) slot->regions.resize(pictures);
  slot->sources.resize(pictures);
  for (unsigned i = 0; i < pictures; ++i) {
    RegionUpload& region = slot->regions[i];
    CANNY_TRY(region.queue(input.region[i], input.width, input.height, upload_stream(),
                           &slot->sources[i]));
    *is_copied |= region.has_copied();
  }
  return {};
}

// Makes later work on the caller's stream wait for the frame. The numbers that it does not report
// are copied after it: queued before it, they would wait for the downloads of other frames and
// delay this frame.
Status CudaBackend::queue_download(const Job& job, Slot* slot) {
  const cudaStream_t compute = compute_stream(job);
  cudaStream_t last = compute;
  if (job.output.memory == Memory::kHost) {
    last = download_stream();
    CANNY_TRY(order(compute, last, slot->computed.get()));
    CANNY_TRY(timed(slot->marks, &StageTimes::download, last,
                    [&] { return slot->download.queue(part_of_output(job), last); }));
  } else if (job.output.cuda_stream != nullptr) {
    CANNY_TRY(
        order(compute, static_cast<cudaStream_t>(job.output.cuda_stream), slot->computed.get()));
  }
  if (ends_with_report(job)) return {};
  if (!job.bits.empty() && !slot->is_traced) CANNY_TRY(slot->bits.queue(last));
  const FrameNumbers& from = stages_->numbers(job.slot);
  const auto copy = [&](auto* to, const auto* numbers) {
    return cudaMemcpyAsync(to, numbers, job.count * sizeof *to, cudaMemcpyDeviceToHost, last);
  };
  if (job.plan.has_measured_thresholds() && !shows_edges(job.plan.view))
    CANNY_CUDA_TRY(copy(host_measured(job.slot), from.measured));
  if (job.plan.measures_stages) CANNY_CUDA_TRY(copy(host_counts(job.slot), from.counts));
  CANNY_CUDA_TRY(cudaEventRecord(slot->done.get(), last));
  return {};
}

Status CudaBackend::begin(const Job& job) {
  Slot& slot = slots_[job.slot];
  slot.is_traced = is_traced_on_device(job);
  const FrameExtras extras = {job.input.region != nullptr, slot.is_traced, !job.components.empty()};
  CANNY_TRY(stages_->reserve(job.slot, job.plan, extras));
  const cudaStream_t compute = compute_stream(job);

  slot.marks = job.plan.measures_stages ? &slot.stage_marks : nullptr;
  slot.stage_marks.begin();
  ConstFrame input = part_of(job.input, job.first, job.count);
  Frame output = part_of_output(job);
  CANNY_TRY(queue_upload(&slot, compute, &input));
  if (output.memory == Memory::kHost) {
    const Frame of_caller = output;
    CANNY_TRY(slot.download.place(of_caller, &output));
  } else {
    CANNY_TRY(wait_for_caller(output.cuda_stream, "output", compute));
    for (unsigned i = 0; i < job.count; ++i) CANNY_TRY(queue_fills(job.picture(i).output, compute));
    CANNY_TRY(slot.outputs.queue(compute, &output));
  }
  StageFrame frame = {job.plan, input};
  if (input.region != nullptr) frame.regions = slot.sources.data();
  frame.output = output;
  frame.marks = slot.marks;
  if (!job.bits.empty())
    CANNY_TRY(slot.bits.place(output.width, output.height, job.count, &frame.bits));
  if (slot.is_traced) {
    const Chains& chains = *job.chains[job.first];
    CANNY_TRY(slot.contours.place(output.width, output.height, chains, &frame.contours));
    frame.min_points = chains.min_points;
  }
  ComponentList components;
  if (!job.components.empty()) {
    CANNY_TRY(slot.components.place(output.width, output.height, job.count,
                                    job.components[0]->min_pixels, &components));
    frame.components = &components;
  }
  CANNY_TRY(stages_->run(job.slot, frames_on_device(device().id), frame));
  return queue_download(job, &slot);
}

Status CudaBackend::submit(Job* job) {
  const DeviceScope scope(device());
  CANNY_TRY(scope.status());
  const ConstFrame input = part_of(job->input, job->first, job->count);
  CANNY_TRY(check_pictures("input frame", job->input, *job, device().id));
  CANNY_TRY(check_pictures("output frame", job->output, *job, device().id));
  CANNY_TRY(check_mask(input, device().id));
  CANNY_TRY(check_contours(*job, device().id));
  const std::lock_guard<std::mutex> lock(launching_);
  Status status;
  try {
    status = begin(*job);
  } catch (...) {
    synchronize();
    throw;
  }
  if (!status.ok()) synchronize();
  if (status.ok()) {
    ++in_flight_;
    ++frames_on_device(device().id);
  }
  return status;
}

// Collects the numbers of a job whose work on the device is done.
Status CudaBackend::read_numbers(const Job& job, const Slot& slot, Result* results) const {
  const bool has_report = shows_edges(job.plan.view);
  StageTimes times;
  if (job.plan.measures_stages) CANNY_TRY(slot.stage_marks.read(&times));
  for (unsigned i = 0; i < job.count; ++i) {
    const Report& report = stages_->reports(job.slot)[i];
    Result& result = results[i] = {};
    result.edge_pixels = has_report ? report.edges : 0;
    result.route = name(stages_->route(job.slot));
    const FrameThresholds& thresholds = job.plan.thresholds(host_measured(job.slot)[i]);
    const bool is_reported = has_report && job.plan.has_measured_thresholds();
    result.low_threshold = is_reported ? report.low : thresholds.low;
    result.high_threshold = is_reported ? report.high : thresholds.high;
    result.uploaded_bytes = host_bytes(job.input);
    result.downloaded_bytes = host_bytes(job.output);
    result.times = times;
    if (!job.plan.measures_stages) continue;
    const FrameCounts& counts = host_counts(job.slot)[i];
    result.candidate_pixels = counts.candidates;
    result.strong_pixels = counts.strong;
    result.components = counts.components;
  }
  return {};
}

// Whether `has` holds for the reports of all pictures.
bool CudaBackend::have_all(const Job& job, bool (*has)(const Report&)) const {
  const Report* reports = stages_->reports(job.slot);
  return std::all_of(reports, reports + job.count, has);
}

// Waits for the event that marks the end of a job. One that ends with a report has none yet.
Status CudaBackend::wait(const Job& job, const Slot& slot) {
  if (ends_with_report(job)) {
    const std::lock_guard<std::mutex> lock(launching_);
    CANNY_CUDA_TRY(cudaEventRecord(slot.done.get(), compute_stream(job)));
  }
  CANNY_TRY(device_status(CANNY_CUDA_CALL(cudaEventSynchronize(slot.done.get())),
                          "the work on the frame"));
  if (!ends_with_report(job) || have_all(job, has_come)) return {};
  return {StatusCode::kDeviceFailure, "the device did not complete the frame"};
}

// Passes the chains on, or the edges for those that the device has not traced.
Status CudaBackend::finish_contours(const Job& job, Slot* slot) {
  if (job.bits.empty()) return {};
  if (slot->is_traced) {
    if (stages_->are_complete(job.slot, slot->contours.numbers()) &&
        stages_->reports(job.slot)[0].edges <= kMaxContourPoints) {
      slot->contours.finish(job.chains[job.first]);
      return {};
    }
    CANNY_TRY(slot->bits.queue(compute_stream(job)));
    CANNY_CUDA_TRY(cudaStreamSynchronize(compute_stream(job)));
  }
  for (unsigned i = 0; i < job.count; ++i) slot->bits.finish(i, job.picture(i).bits);
  return {};
}

void CudaBackend::finish_components(const Job& job, const Slot& slot) {
  for (unsigned i = 0; i < job.count && !job.components.empty(); ++i)
    slot.components.finish(i, job.picture(i).components);
}

Status CudaBackend::finish(const Job& job, Result* results) {
  const EndOfFlight end{in_flight_, frames_on_device(device().id)};
  for_each_fill(job, fill_rows);  // while the device computes
  Slot& slot = slots_[job.slot];
  bool has_finished_components = job.components.empty();
  if (ends_with_report(job)) {
    if (!has_finished_components && slot.components.come_soon(job.count)) {
      try {
        finish_components(job, slot);  // while the device writes the output
        has_finished_components = true;
      } catch (const std::bad_alloc&) {
        // Tried again below, when nothing uses the output anymore.
      }
    }
    if (has_finished_components && have_all(job, comes_soon))
      return read_numbers(job, slot, results);
  }
  // The frame is behind many others, or failed: an event frees the core and has the error.
  const DeviceScope scope(device());
  Status status = scope.status();
  if (status.ok()) status = wait(job, slot);
  if (!status.ok()) {
    const std::lock_guard<std::mutex> lock(launching_);
    synchronize();
    return status;
  }
  CANNY_TRY(read_numbers(job, slot, results));
  CANNY_TRY(finish_contours(job, &slot));
  if (!has_finished_components) finish_components(job, slot);
  if (job.output.memory != Memory::kHost) return {};
  const auto begin = std::chrono::steady_clock::now();
  slot.download.finish(part_of_output(job));
  const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - begin;
  for (unsigned i = 0; i < job.count && job.plan.measures_stages; ++i)
    results[i].times.download += static_cast<std::uint64_t>(time.count());
  return {};
}

Status CudaBackend::write_to_device(const Job& job, const Chains& chains) {
  const DeviceScope scope(device());
  CANNY_TRY(scope.status());
  const cudaStream_t stream = compute_stream(job);
  const auto copy = [&](auto* to, const auto& from, std::size_t count) {
    return cudaMemcpyAsync(to, from.data(), count * sizeof *to, cudaMemcpyHostToDevice, stream);
  };
  const auto copy_both = [&]() -> Status {
    CANNY_CUDA_TRY(copy(chains.memory.points, chains.points, chains.points_there()));
    CANNY_CUDA_TRY(copy(chains.memory.ends, chains.ends, chains.chains_there()));
    return {};
  };
  Status copied = copy_both();
  // The first copy may be under way if the second one has failed.
  Status done =
      device_status(CANNY_CUDA_CALL(cudaStreamSynchronize(stream)), "cudaStreamSynchronize");
  return copied.ok() ? done : copied;
}

Status CudaBackend::copy_to_host(const Job& job, const ConstFrame& input,
                                 std::vector<std::uint8_t>* memory, ConstFrame* in_host) {
  const DeviceScope scope(device());
  CANNY_TRY(scope.status());
  return copy_picture(input, compute_stream(job), memory, in_host);
}

}  // namespace canny::cuda

namespace canny {

Status create_cuda_backend(const Options& options, std::unique_ptr<BackendImpl>* backend) {
  cuda::disarm_fault();
  cuda::Device device;
  if (options.cuda_context != nullptr)
    CANNY_TRY(cuda::find_device_of(static_cast<CUcontext>(options.cuda_context), &device));
  else
    CANNY_TRY(cuda::find_device(options.cuda_device, &device));
  auto opened = std::make_unique<cuda::CudaBackend>(std::make_unique<cuda::Stages>(device));
  CANNY_TRY(opened->open());
  cuda::arm_fault();
  opened->info = {Backend::kCuda, device.name,
                  "CUDA device " + std::to_string(device.id) + " of compute capability " +
                      std::to_string(device.compute_capability / 10) + "." +
                      std::to_string(device.compute_capability % 10),
                  device.id, 0};
  *backend = std::move(opened);
  return {};
}

}  // namespace canny

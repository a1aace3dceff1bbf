// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU: upload, the stages, download, a wait; or the stages alone, side by side.
#include "cuda/backend.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "canny/frame.h"
#include "canny/guard.h"
#include "cuda/check.h"
#include "cuda/output.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t round_up(std::size_t bytes, std::size_t alignment = kAlignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Cuts memory into arrays, one after the other. Without memory it only adds up what they need.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::uint8_t*>(memory)) {}

  template <class T>
  void take(std::size_t count, T** array) {
    if (memory_ != nullptr) *array = reinterpret_cast<T*>(memory_ + size_);
    size_ += round_up(count * sizeof(T));
  }
  std::size_t bytes() const { return size_; }

 private:
  std::uint8_t* memory_;
  std::size_t size_ = 0;
};

// The memory of a slot but for its flags, which come first: planes and components.
void carve_slot(Carver* carver, TilePlane* candidate, TilePlane* strong,
                HysteresisBuffers* buffers) {
  carver->take(candidate->size_words(), &candidate->words);
  carver->take(strong->size_words(), &strong->words);
  Carver other = *carver;
  other.take(candidate->size_words(), &buffers->other);
  carver->take(run_places(*candidate), &buffers->components.of_run);
  carver->take(candidate->tiles(), &buffers->components.count);
  carver->take(forest_nodes(*candidate), &buffers->components.parent);
}

// Has what is queued in one stream from now on wait for what is queued in another.
Status order(cudaStream_t first, cudaStream_t second, cudaEvent_t event) {
  if (first == second) return {};
  CANNY_CUDA_TRY(cudaEventRecord(event, first));
  CANNY_CUDA_TRY(cudaStreamWaitEvent(second, event));
  return {};
}

}  // namespace

CudaBackend::~CudaBackend() {
  const DeviceScope scope(device_);
  synchronize();
  for (Slot& slot : slots_) {
    slot.launcher.close();
    if (slot.launcher.stream() != nullptr) cudaStreamDestroy(slot.launcher.stream());
    if (slot.done != nullptr) cudaEventDestroy(slot.done);
  }
  for (const cudaStream_t stream : {upload_stream_, download_stream_})
    if (stream != nullptr) cudaStreamDestroy(stream);
  if (ready_ != nullptr) cudaEventDestroy(ready_);
  release();
  cudaFreeHost(host_counts_);
  cudaGetLastError();
}

// Returns when nothing is under way, whether it succeeded or not.
void CudaBackend::synchronize() {
  for (const Slot& slot : slots_)
    if (slot.launcher.stream() != nullptr) cudaStreamSynchronize(slot.launcher.stream());
  for (const cudaStream_t stream : {upload_stream_, download_stream_})
    if (stream != nullptr) cudaStreamSynchronize(stream);
  cudaGetLastError();
}

void CudaBackend::release() {
  for (Flight& flight : flights_) {
    flight.upload.release();
    flight.download.release();
    for (cudaEvent_t* event : {&flight.uploaded, &flight.computed, &flight.done}) {
      if (*event != nullptr) cudaEventDestroy(*event);
      *event = nullptr;
    }
  }
  cudaFree(workspace_);
  cudaGetLastError();
  workspace_ = nullptr;
  workspace_bytes_ = 0;
}

Status CudaBackend::open() {
  const char* kernels = std::getenv("CANNY_CUDA_KERNELS");
  portable_ = device_.compute_capability < kStripCapability ||
              (kernels != nullptr && std::string(kernels) == "portable");
  const DeviceScope scope(device_);
  CANNY_TRY(scope.status());
  for (Slot& slot : slots_) {
    cudaStream_t stream;
    CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    slot.launcher.open(stream, !portable_);
    CANNY_CUDA_TRY(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&upload_stream_, cudaStreamNonBlocking));
  CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&download_stream_, cudaStreamNonBlocking));
  CANNY_CUDA_TRY(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  CANNY_CUDA_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_counts_),
                                kMaxFramesInFlight * sizeof *host_counts_));
  return {};
}

// One who waits for a frame alone wants it at once and spins; with more in flight there is time.
Status CudaBackend::create_events(unsigned frames_in_flight) {
  const unsigned wait = frames_in_flight == 1 ? cudaEventDefault : cudaEventBlockingSync;
  for (unsigned i = 0; i < frames_in_flight; ++i) {
    Flight& flight = flights_[i];
    CANNY_CUDA_TRY(cudaEventCreateWithFlags(&flight.uploaded, cudaEventDisableTiming));
    CANNY_CUDA_TRY(cudaEventCreateWithFlags(&flight.computed, cudaEventDisableTiming));
    CANNY_CUDA_TRY(cudaEventCreateWithFlags(&flight.done, cudaEventDisableTiming | wait));
  }
  return {};
}

// The workspace has at most 3 bytes a pixel and a little: room for as many slots as that is enough
// for, about 1 byte a pixel each, and in the same place the images that lie between the portable
// front end's kernels: row sums (2 bytes) and luma or blurred pixels (1 byte). The first slot's
// planes may lie where row sums lay, but not where the blurred pixels are that they are made of.
Status CudaBackend::set_size(int width, int height, unsigned frames_in_flight) {
  constexpr std::size_t kMuchTooSmall = std::size_t{1} << 20;  // to matter
  const DeviceScope scope(device_);
  CANNY_TRY(scope.status());
  CANNY_TRY(join());
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream()));
  release();
  CANNY_TRY(create_events(frames_in_flight));
  frames_ = frames_in_flight;

  const auto carve = [&](void* memory) {
    Carver slots(memory);
    slots.take(kMaxFramesInFlight, &counts_);
    for (int i = 0; i < slot_count_; ++i) {
      slots.take(1 + kMaxHysteresisPasses, &slots_[i].hysteresis.grew);
      slots.take(1, &slots_[i].measured);
      slots_[i].hysteresis.count = counts_ + i;
    }
    Carver images = slots;
    front_buffers_.pitch = static_cast<int>(round_up(width, 4));
    const std::size_t pixels = static_cast<std::size_t>(front_buffers_.pitch) * height;
    for (int i = 0; i < slot_count_; ++i) {
      Slot& slot = slots_[i];
      slot.candidate = slot.strong = TilePlane{nullptr, width, height};
      carve_slot(&slots, &slot.candidate, &slot.strong, &slot.hysteresis);
    }
    // Twice as many bytes as this are at least those of both planes.
    const std::size_t plane_bytes = round_up(slots_[0].candidate.size_words() * 4);
    images.take(std::max(pixels, plane_bytes), &front_buffers_.row_blurred);
    images.take(pixels, &front_buffers_.luma);
    front_buffers_.blurred = front_buffers_.luma;
    return std::max(slots.bytes(), images.bytes());
  };
  slot_count_ = portable_ ? 1 : kFrameSlots;
  const std::size_t most = 3 * static_cast<std::size_t>(width) * height + kMuchTooSmall;
  while (carve(nullptr) > most && slot_count_ > 1) --slot_count_;
  const std::size_t bytes = carve(nullptr);
  CANNY_CUDA_TRY(cudaMalloc(&workspace_, bytes));
  workspace_bytes_ = carve(workspace_);
  next_slot_ = 0;
  return {};
}

Status CudaBackend::front(const Plan& plan, const ConstFrame& input, Slot* slot) {
  const FrontDevice device = front_device();
  const FrontArguments arguments = {plan,         input,          front_buffers_, slot->candidate,
                                    slot->strong, slot->measured, device,         &tap_cache_};
  return cuda::front(arguments, &slot->launcher);
}

Status CudaBackend::front(const Plan& plan, const ConstFrame& input) {
  CANNY_TRY(separate(uses_images(plan, front_device())));
  return front(plan, input, &slots_[0]);
}

Status CudaBackend::hysteresis(unsigned passes, Edges* edges) {
  Slot& slot = slots_[0];
  return cuda::hysteresis(passes, slot.candidate, slot.strong, slot.hysteresis, edges,
                          &slot.launcher);
}

Status CudaBackend::store(const Edges& edges, const Frame& output) {
  return cuda::output(edges, output, slots_[0].hysteresis.count, &slots_[0].launcher);
}

// A kernel that is handed an address of the wrong kind ends the whole process' use of the device.
template <class Byte>
Status CudaBackend::check_memory(const char* which, const BasicFrame<Byte>& frame) const {
  if (frame.memory == Memory::kHost) return {};
  for (int i = 0; i < layout(frame.format).planes; ++i) {
    cudaPointerAttributes attributes;
    CANNY_CUDA_TRY(cudaPointerGetAttributes(&attributes, plane(frame, i).data));
    if ((attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged) ||
        attributes.device != device_.id)
      return {StatusCode::kInvalidFrame, std::string(which) +
                                             " frame: data is not in memory of CUDA device " +
                                             std::to_string(device_.id)};
  }
  return {};
}

Status CudaBackend::join() {
  for (int i = 1; i < slot_count_; ++i) {
    Slot& slot = slots_[i];
    if (!slot.in_use) continue;
    CANNY_CUDA_TRY(cudaEventRecord(slot.done, slot.launcher.stream()));
    CANNY_CUDA_TRY(cudaStreamWaitEvent(stream(), slot.done));
    slot.in_use = false;
  }
  next_slot_ = 0;
  return {};
}

// To be called before a frame is queued: one that is `alone` runs in the first slot, after all
// frames before it and before all after it.
Status CudaBackend::separate(bool alone) {
  if (alone) {
    CANNY_TRY(join());
  } else if (alone_) {
    CANNY_CUDA_TRY(cudaEventRecord(slots_[0].done, stream()));
    for (int i = 1; i < slot_count_; ++i)
      CANNY_CUDA_TRY(cudaStreamWaitEvent(slots_[i].launcher.stream(), slots_[0].done));
  }
  alone_ = alone;
  return {};
}

// Queues the kernels of a frame in a slot.
Status CudaBackend::launch(const Plan& plan, const ConstFrame& input, const Frame& output,
                           Slot* slot) {
  Launcher* launcher = &slot->launcher;
  Edges edges;
  launcher->record();
  CANNY_TRY(front(plan, input, slot));
  CANNY_TRY(cuda::hysteresis(plan.passes, slot->candidate, slot->strong, slot->hysteresis, &edges,
                             launcher));
  CANNY_TRY(cuda::output(edges, output, slot->hysteresis.count, launcher));
  return launcher->submit();
}

Status CudaBackend::enqueue(const Plan& plan, const ConstFrame& input, const Frame& output) {
  const bool alone = uses_images(plan, front_device());
  CANNY_TRY(separate(alone));
  Slot* slot = &slots_[next_slot_];
  CANNY_TRY(launch(plan, input, output, slot));
  slot->in_use = true;
  if (!alone) next_slot_ = (next_slot_ + 1) % slot_count_;
  return {};
}

// Records ready_ in a caller's stream, which tells whether it is one of this context.
Status CudaBackend::record_caller(cudaStream_t caller, const char* which) {
  const cudaError_t recorded = CANNY_CUDA_CALL(cudaEventRecord(ready_, caller));
  if (recorded == cudaErrorInvalidResourceHandle) {
    cudaGetLastError();
    return {StatusCode::kInvalidFrame, std::string(which) +
                                           " frame: cuda_stream is no stream of the detector's "
                                           "CUDA context"};
  }
  CANNY_CUDA_TRY(recorded);
  return {};
}

// Has what is queued in `stream` from now on wait for what is queued in the caller's.
Status CudaBackend::wait_for_caller(void* caller, const char* which, cudaStream_t stream) {
  if (caller == nullptr) return {};
  CANNY_TRY(record_caller(static_cast<cudaStream_t>(caller), which));
  CANNY_CUDA_TRY(cudaStreamWaitEvent(stream, ready_));
  return {};
}

Status CudaBackend::queue_upload(const ConstFrame& input, Flight* flight, cudaStream_t compute,
                                 ConstFrame* on_device) {
  const bool is_in_host = input.memory == Memory::kHost;
  if (is_in_host) CANNY_TRY(flight->upload.queue(input, upload_stream(), on_device));
  if (!is_in_host) CANNY_TRY(wait_for_caller(input.cuda_stream, "input", compute));
  if (is_in_host || is_filling_) CANNY_TRY(order(upload_stream(), compute, flight->uploaded));
  is_filling_ = false;
  return {};
}

// What the caller queues from now on waits for the frame. The count comes after the frame: before
// it, it would wait for the downloads of other frames, and so would this one.
Status CudaBackend::queue_download(const Job& job, Flight* flight, cudaStream_t compute) {
  cudaStream_t last = compute;
  if (job.output.memory == Memory::kHost) {
    last = download_stream();
    CANNY_TRY(order(compute, last, flight->computed));
    CANNY_TRY(flight->download.queue(job.output, last));
  } else if (job.output.cuda_stream != nullptr) {
    CANNY_TRY(order(compute, static_cast<cudaStream_t>(job.output.cuda_stream), flight->computed));
  }
  CANNY_CUDA_TRY(cudaMemcpyAsync(&host_counts_[job.flight], &counts_[job.flight], sizeof *counts_,
                                 cudaMemcpyDeviceToHost, last));
  CANNY_CUDA_TRY(cudaEventRecord(flight->done, last));
  return {};
}

Status CudaBackend::begin(const Job& job) {
  const bool alone = uses_images(job.plan, front_device());
  CANNY_TRY(separate(alone));
  Slot& slot = slots_[alone ? 0 : job.flight % slot_count_];
  Flight& flight = flights_[job.flight];
  const cudaStream_t compute = slot.launcher.stream();
  slot.in_use = true;

  ConstFrame input = job.input;
  Frame output = job.output;
  CANNY_TRY(queue_upload(job.input, &flight, compute, &input));
  if (output.memory == Memory::kHost)
    CANNY_TRY(flight.download.place(job.output, &output));
  else
    CANNY_TRY(wait_for_caller(output.cuda_stream, "output", compute));
  slot.hysteresis.count = counts_ + job.flight;
  CANNY_TRY(launch(job.plan, input, output, &slot));
  return queue_download(job, &flight, compute);
}

Status CudaBackend::submit(const Job& job) {
  const DeviceScope scope(device_);
  CANNY_TRY(scope.status());
  CANNY_TRY(check_memory("input", job.input));
  CANNY_TRY(check_memory("output", job.output));
  const std::lock_guard<std::mutex> lock(launching_);
  Status status;
  try {
    status = begin(job);
  } catch (...) {
    synchronize();
    throw;
  }
  if (!status.ok()) synchronize();
  return status;
}

Status CudaBackend::finish(const Job& job, Result* result) {
  Flight& flight = flights_[job.flight];
  const DeviceScope scope(device_);
  Status status = scope.status();
  if (status.ok()) {
    status =
        device_status(CANNY_CUDA_CALL(cudaEventSynchronize(flight.done)), "the work on the frame");
  }
  if (!status.ok()) {
    const std::lock_guard<std::mutex> lock(launching_);
    synchronize();
    return status;
  }
  if (job.output.memory == Memory::kHost) flight.download.finish(job.output);
  result->edge_pixels = host_counts_[job.flight];
  return {};
}

void CudaBackend::drop(const Job& job) noexcept {
  Result ignored;
  static_cast<void>(guard([&] { return finish(job, &ignored); }));
}

// In the caller's stream, for which the frame waits in any case; or in the one of uploads, for
// which the next frame does.
Status CudaBackend::fill(const Frame& frame, std::uint8_t value) {
  const DeviceScope scope(device_);
  CANNY_TRY(scope.status());
  CANNY_TRY(check_memory("filled", frame));
  const bool is_ordered = frame.cuda_stream != nullptr;
  const cudaStream_t stream =
      is_ordered ? static_cast<cudaStream_t>(frame.cuda_stream) : upload_stream();
  if (is_ordered) CANNY_TRY(record_caller(stream, "filled"));
  for (int i = 0; i < layout(frame.format).planes; ++i) {
    const Frame rows = plane(frame, i);
    CANNY_CUDA_TRY(cudaMemset2DAsync(lowest_row(rows), std::abs(rows.stride_bytes), value,
                                     row_bytes(rows), rows.height, stream));
  }
  if (!is_ordered) is_filling_ = true;
  return {};
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
  auto opened = std::make_unique<cuda::CudaBackend>(device);
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

// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the GPU: upload, the stages, download, one wait; or the stages alone, side by side.
#include "kernels/detector.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "frame.h"
#include "kernels/check.h"
#include "kernels/store.h"
#include "kernels/tuning.h"

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

// A frame with the rows of `frame` in their order of address, in `memory`.
template <class Byte>
BasicFrame<Byte> staged(const BasicFrame<Byte>& frame, Byte* memory, int pitch) {
  BasicFrame<Byte> result = frame;
  const bool bottom_up = frame.stride_bytes < 0;
  result.stride_bytes = bottom_up ? -pitch : pitch;
  result.data = bottom_up ? memory + static_cast<std::size_t>(pitch) * (frame.height - 1) : memory;
  result.memory = Memory::kDevice;
  return result;
}

// The memory of a slot but for its count and flags, which come first: planes and components.
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

}  // namespace

CudaDetector::~CudaDetector() {
  const DeviceScope scope(device_.id);
  for (Slot& slot : slots_) {
    if (slot.launcher.stream() == nullptr) continue;
    cudaStreamSynchronize(slot.launcher.stream());
    slot.launcher.close();
    cudaStreamDestroy(slot.launcher.stream());
    if (slot.done != nullptr) cudaEventDestroy(slot.done);
  }
  release();
  cudaFreeHost(host_count_);
  cudaGetLastError();
}

void CudaDetector::release() {
  cudaFree(workspace_);
  cudaFree(staging_);
  cudaGetLastError();
  workspace_ = nullptr;
  workspace_bytes_ = 0;
  staging_ = nullptr;
}

Status CudaDetector::open() {
  const char* kernels = std::getenv("CANNY_CUDA_KERNELS");
  portable_ = device_.compute_capability < kStripCapability ||
              (kernels != nullptr && std::string(kernels) == "portable");
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  for (Slot& slot : slots_) {
    cudaStream_t stream;
    CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    slot.launcher.open(stream, !portable_);
    CANNY_CUDA_TRY(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  CANNY_CUDA_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_count_), sizeof *host_count_));
  return {};
}

// The workspace has at most 3 bytes a pixel and a little: room for as many slots as that is enough
// for, about 1 byte a pixel each, and in the same place the images that lie between the portable
// front end's kernels: row sums (2 bytes) and luma or blurred pixels (1 byte). The first slot's
// planes may lie where row sums lay, but not where the blurred pixels are that they are made of.
Status CudaDetector::set_size(int width, int height) {
  constexpr std::size_t kMuchTooSmall = std::size_t{1} << 20;  // to matter
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  if (!failure_.ok()) return failure_;
  CANNY_TRY(finish());
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream()));
  release();

  const auto carve = [&](void* memory) {
    Carver slots(memory);
    for (int i = 0; i < slot_count_; ++i) {
      slots.take(1 + kMaxHysteresisPasses, &slots_[i].hysteresis.grew);
      slots.take(1, &slots_[i].hysteresis.count);
    }
    Carver images = slots;
    front_.pitch = static_cast<int>(round_up(width, 4));
    const std::size_t pixels = static_cast<std::size_t>(front_.pitch) * height;
    for (int i = 0; i < slot_count_; ++i) {
      Slot& slot = slots_[i];
      slot.candidate = slot.strong = TilePlane{nullptr, width, height};
      carve_slot(&slots, &slot.candidate, &slot.strong, &slot.hysteresis);
    }
    // Twice as many bytes as this are at least those of both planes.
    const std::size_t plane_bytes = round_up(slots_[0].candidate.size_words() * 4);
    images.take(std::max(pixels, plane_bytes), &front_.row_blurred);
    images.take(pixels, &front_.luma);
    front_.blurred = front_.luma;
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

Status CudaDetector::allocate_staging() {
  if (staging_ != nullptr) return {};
  const int width = candidate().width, height = candidate().height;
  staging_pitch_ = static_cast<int>(round_up(4 * static_cast<std::size_t>(width)));
  const std::size_t bytes = static_cast<std::size_t>(staging_pitch_) * height;
  CANNY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&staging_), 2 * bytes));
  staged_output_ = staging_ + bytes;
  return {};
}

// Whether the front end of these settings keeps images, for which it needs the memory of all slots.
bool CudaDetector::needs_images(const Settings& settings) const {
  return portable_ || settings.taps.count > kStripTaps;
}

Status CudaDetector::front(const Settings& settings, const ConstFrame& input, Slot* slot) {
  if (!needs_images(settings))
    return front_strip(settings, input, device_.multiprocessors, slot->candidate, slot->strong,
                       &tap_cache_, &slot->launcher);
  return cuda::front(settings, input, front_, slot->candidate, slot->strong, &slot->launcher);
}

Status CudaDetector::front(const Settings& settings, const ConstFrame& input) {
  CANNY_TRY(separate(needs_images(settings)));
  return front(settings, input, &slots_[0]);
}

Status CudaDetector::hysteresis(unsigned passes, Edges* edges) {
  Slot& slot = slots_[0];
  return cuda::hysteresis(passes, slot.candidate, slot.strong, slot.hysteresis, edges,
                          &slot.launcher);
}

Status CudaDetector::store(const Edges& edges, const Frame& output) {
  return cuda::store(edges, output, slots_[0].hysteresis.count, &slots_[0].launcher);
}

// A kernel that is handed an address of the wrong kind ends the whole process' use of the device.
Status CudaDetector::check_memory(const char* which, const void* data, Memory memory) const {
  if (memory == Memory::kHost) return {};
  cudaPointerAttributes attributes;
  CANNY_CUDA_TRY(cudaPointerGetAttributes(&attributes, data));
  if ((attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged) &&
      attributes.device == device_.id)
    return {};
  return {StatusCode::kInvalidFrame, std::string(which) +
                                         " frame: data is not in memory of CUDA device " +
                                         std::to_string(device_.id)};
}

Status CudaDetector::upload(const ConstFrame& input, ConstFrame* on_device) {
  *on_device = input;
  if (input.memory == Memory::kDevice) return {};
  *on_device = staged<const std::uint8_t>(input, staging_, staging_pitch_);
  CANNY_CUDA_TRY(cudaMemcpy2DAsync(staging_, staging_pitch_, lowest_row(input),
                                   std::abs(input.stride_bytes), row_bytes(input), input.height,
                                   cudaMemcpyHostToDevice, stream()));
  return {};
}

Status CudaDetector::download(const Frame& on_device, const Frame& output) {
  if (output.memory == Memory::kDevice) return {};
  CANNY_CUDA_TRY(cudaMemcpy2DAsync(lowest_row(output), std::abs(output.stride_bytes),
                                   lowest_row(on_device), staging_pitch_, row_bytes(output),
                                   output.height, cudaMemcpyDeviceToHost, stream()));
  return {};
}

Status CudaDetector::finish() {
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
Status CudaDetector::separate(bool alone) {
  if (alone) {
    CANNY_TRY(finish());
  } else if (alone_) {
    CANNY_CUDA_TRY(cudaEventRecord(slots_[0].done, stream()));
    for (int i = 1; i < slot_count_; ++i)
      CANNY_CUDA_TRY(cudaStreamWaitEvent(slots_[i].launcher.stream(), slots_[0].done));
  }
  alone_ = alone;
  return {};
}

// Queues the kernels of a frame in a slot.
Status CudaDetector::launch(const Settings& settings, const ConstFrame& input, const Frame& output,
                            Slot* slot) {
  Launcher* launcher = &slot->launcher;
  Edges edges;
  launcher->record();
  CANNY_TRY(front(settings, input, slot));
  CANNY_TRY(cuda::hysteresis(settings.passes, slot->candidate, slot->strong, slot->hysteresis,
                             &edges, launcher));
  CANNY_TRY(cuda::store(edges, output, slot->hysteresis.count, launcher));
  return launcher->submit();
}

Status CudaDetector::enqueue(const Settings& settings, const ConstFrame& input,
                             const Frame& output) {
  const bool alone = needs_images(settings);
  CANNY_TRY(separate(alone));
  Slot* slot = &slots_[next_slot_];
  CANNY_TRY(launch(settings, input, output, slot));
  slot->in_use = true;
  if (!alone) next_slot_ = (next_slot_ + 1) % slot_count_;
  return {};
}

Status CudaDetector::run(const Settings& settings, const ConstFrame& input, const Frame& output,
                         Result* result) {
  if (input.memory == Memory::kHost || output.memory == Memory::kHost)
    CANNY_TRY(allocate_staging());
  ConstFrame device_input;
  const Frame device_output =
      output.memory == Memory::kDevice ? output : staged(output, staged_output_, staging_pitch_);
  CANNY_TRY(upload(input, &device_input));
  CANNY_TRY(separate(needs_images(settings)));
  CANNY_TRY(launch(settings, device_input, device_output, &slots_[0]));
  CANNY_TRY(download(device_output, output));
  CANNY_CUDA_TRY(cudaMemcpyAsync(host_count_, device_count(), sizeof *host_count_,
                                 cudaMemcpyDeviceToHost, stream()));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream()));
  result->edge_pixels = *host_count_;
  return {};
}

Status CudaDetector::detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                            Result* result) {
  if (!failure_.ok()) return failure_;
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  CANNY_TRY(check_memory("input", input.data, input.memory));
  CANNY_TRY(check_memory("output", output.data, output.memory));
  Status status;
  try {
    status = run(settings, input, output, result);
  } catch (...) {
    cudaStreamSynchronize(stream());  // nothing may use the caller's frames any more
    throw;
  }
  if (!status.ok()) {
    cudaStreamSynchronize(stream());  // likewise
    cudaGetLastError();
    if (status.code() == StatusCode::kDeviceFailure) failure_ = status;
  }
  return status;
}

}  // namespace canny::cuda

namespace canny {

Status create_cuda_backend(const Options& options, std::unique_ptr<DetectorBackend>* backend,
                           Info* info) {
  cuda::Device device;
  CANNY_TRY(cuda::find_device(options.cuda_device, &device));
  auto detector = std::make_unique<cuda::CudaDetector>(device);
  CANNY_TRY(detector->open());
  *backend = std::move(detector);
  *info = {Backend::kCuda, device.name,
           "CUDA device " + std::to_string(device.id) + " of compute capability " +
               std::to_string(device.compute_capability / 10) + "." +
               std::to_string(device.compute_capability % 10),
           device.id, 0};
  return {};
}

}  // namespace canny

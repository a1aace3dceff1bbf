// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame on the GPU: upload, the stages, download, one wait.
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

}  // namespace

CudaDetector::~CudaDetector() {
  const DeviceScope scope(device_.id);
  if (stream() != nullptr) {
    cudaStreamSynchronize(stream());
    cudaStreamDestroy(stream());
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
  staging_ = nullptr;
}

Status CudaDetector::open() {
  const char* kernels = std::getenv("CANNY_CUDA_KERNELS");
  portable_ = device_.compute_capability < kStripCapability ||
              (kernels != nullptr && std::string(kernels) == "portable");
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  cudaStream_t stream;
  CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  launcher_.open(stream, !portable_);
  CANNY_CUDA_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_count_), sizeof *host_count_));
  return {};
}

Status CudaDetector::set_size(int width, int height) {
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  if (!failure_.ok()) return failure_;
  release();

  workspace_bytes_ = carve(width, height, nullptr);
  CANNY_CUDA_TRY(cudaMalloc(&workspace_, workspace_bytes_));
  carve(width, height, workspace_);
  return {};
}

// Cuts the workspace, and returns the bytes it needs: at most 3 a pixel and a little. Where stages
// never meet, their memory does: the forest (2 bytes a pixel) and the planes lie where row sums
// (2 bytes) and luma or blurred pixels (1 byte) lay, but the planes not where the blurred pixels
// are that suppression makes them of.
std::size_t CudaDetector::carve(int width, int height, void* memory) {
  candidate_ = strong_ = TilePlane{nullptr, width, height};
  front_.pitch = static_cast<int>(round_up(width, 4));
  const std::size_t pixels = static_cast<std::size_t>(front_.pitch) * height;
  Carver common(memory);
  common.take(kMaxHysteresisPasses, &hysteresis_.grew);
  common.take(1, &hysteresis_.count);
  Carver planes = common, images = common;
  planes.take(candidate_.size_words(), &candidate_.words);
  planes.take(candidate_.size_words(), &strong_.words);
  images.take(std::max(pixels, planes.bytes() / 2), &front_.row_blurred);
  images.take(pixels, &front_.luma);
  front_.blurred = front_.luma;
  Carver other = planes;
  other.take(candidate_.size_words(), &hysteresis_.other);
  Components& components = hysteresis_.components;
  planes.take(run_places(candidate_), &components.of_run);
  planes.take(candidate_.tiles(), &components.count);
  planes.take(forest_nodes(candidate_), &components.parent);
  return std::max(planes.bytes(), images.bytes());
}

Status CudaDetector::allocate_staging() {
  if (staging_ != nullptr) return {};
  const int width = candidate_.width, height = candidate_.height;
  staging_pitch_ = static_cast<int>(round_up(4 * static_cast<std::size_t>(width)));
  const std::size_t bytes = static_cast<std::size_t>(staging_pitch_) * height;
  CANNY_CUDA_TRY(cudaMalloc(reinterpret_cast<void**>(&staging_), 2 * bytes));
  staged_output_ = staging_ + bytes;
  return {};
}

Status CudaDetector::front(const Settings& settings, const ConstFrame& input) {
  if (!portable_ && settings.taps.count <= kStripTaps)
    return front_strip(settings, input, candidate_, strong_, &tap_cache_, &launcher_);
  return cuda::front(settings, input, front_, candidate_, strong_, &launcher_);
}

Status CudaDetector::hysteresis(unsigned passes, Edges* edges) {
  return cuda::hysteresis(passes, candidate_, strong_, hysteresis_, edges, &launcher_);
}

Status CudaDetector::store(const Edges& edges, const Frame& output) {
  return cuda::store(edges, output, hysteresis_.count, &launcher_);
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

Status CudaDetector::enqueue(const Settings& settings, const ConstFrame& input,
                             const Frame& output) {
  Edges edges;
  launcher_.record();
  CANNY_TRY(front(settings, input));
  CANNY_TRY(hysteresis(settings.passes, &edges));
  CANNY_TRY(store(edges, output));
  return launcher_.submit();
}

Status CudaDetector::run(const Settings& settings, const ConstFrame& input, const Frame& output,
                         Result* result) {
  if (input.memory == Memory::kHost || output.memory == Memory::kHost)
    CANNY_TRY(allocate_staging());
  ConstFrame device_input;
  const Frame device_output =
      output.memory == Memory::kDevice ? output : staged(output, staged_output_, staging_pitch_);
  CANNY_TRY(upload(input, &device_input));
  CANNY_TRY(enqueue(settings, device_input, device_output));
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
  Status status = run(settings, input, output, result);
  if (!status.ok()) {
    cudaStreamSynchronize(stream());  // nothing may write to the caller's frame any more
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

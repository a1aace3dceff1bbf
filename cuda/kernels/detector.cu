// SPDX-License-Identifier: LGPL-2.1-or-later
// One frame on the GPU: upload, the stages, download, one wait.
#include "kernels/detector.h"

#include <cstdlib>

#include "frame.h"
#include "kernels/check.h"
#include "kernels/store.h"

namespace canny::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t round_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Cuts one allocation into arrays. Without memory it only adds up what they need.
class Carver {
 public:
  explicit Carver(void* memory) : memory_(static_cast<std::uint8_t*>(memory)) {}

  template <class T>
  void take(std::size_t count, T** array) {
    if (memory_ != nullptr) *array = reinterpret_cast<T*>(memory_ + size_);
    size_ += round_up(count * sizeof(T));
  }
  std::size_t size() const { return size_; }

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
  if (stream_ != nullptr) {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  release();
  cudaFreeHost(host_count_);
  cudaGetLastError();
}

void CudaDetector::release() {
  cudaFree(workspace_);
  cudaGetLastError();
  workspace_ = nullptr;
}

Status CudaDetector::open() {
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  CANNY_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  CANNY_CUDA_TRY(cudaMallocHost(reinterpret_cast<void**>(&host_count_), sizeof *host_count_));
  return {};
}

Status CudaDetector::set_size(int width, int height) {
  const DeviceScope scope(device_.id);
  CANNY_TRY(scope.status());
  if (!failure_.ok()) return failure_;
  release();

  candidate_ = strong_ = BitPlane{nullptr, width, height};
  front_.pitch = static_cast<int>(round_up(width));
  staging_pitch_ = static_cast<int>(round_up(4 * static_cast<std::size_t>(width)));
  const auto carve = [&](void* memory) {
    Carver carver(memory);
    carver.take(static_cast<std::size_t>(staging_pitch_) * height, &staged_input_);
    carver.take(static_cast<std::size_t>(staging_pitch_) * height, &staged_output_);
    carver.take(static_cast<std::size_t>(front_.pitch) * height, &front_.luma);
    carver.take(static_cast<std::size_t>(front_.pitch) * height, &front_.row_blurred);
    carver.take(static_cast<std::size_t>(front_.pitch) * height, &front_.blurred);
    carver.take(candidate_.size_words(), &candidate_.words);
    carver.take(candidate_.size_words(), &strong_.words);
    carver.take(candidate_.size_words(), &hysteresis_.other);
    carver.take(forest_nodes(candidate_), &hysteresis_.parent);
    carver.take(kMaxHysteresisPasses, &hysteresis_.grew);
    carver.take(1, &count_);
    return carver.size();
  };
  CANNY_CUDA_TRY(cudaMalloc(&workspace_, carve(nullptr)));
  carve(workspace_);
  return {};
}

Status CudaDetector::front(const Settings& settings, const ConstFrame& input) {
  return cuda::front(settings, input, front_, candidate_, strong_, stream_);
}

Status CudaDetector::hysteresis(unsigned passes, BitPlane* edges) {
  return cuda::hysteresis(passes, candidate_, strong_, hysteresis_, edges, stream_);
}

Status CudaDetector::store(const BitPlane& edges, const Frame& output) {
  CANNY_TRY(cuda::store(edges, output, stream_));
  return cuda::count(edges, count_, stream_);
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
  *on_device = staged<const std::uint8_t>(input, staged_input_, staging_pitch_);
  CANNY_CUDA_TRY(cudaMemcpy2DAsync(staged_input_, staging_pitch_, lowest_row(input),
                                   std::abs(input.stride_bytes), row_bytes(input), input.height,
                                   cudaMemcpyHostToDevice, stream_));
  return {};
}

Status CudaDetector::download(const Frame& on_device, const Frame& output) {
  if (output.memory == Memory::kDevice) return {};
  CANNY_CUDA_TRY(cudaMemcpy2DAsync(lowest_row(output), std::abs(output.stride_bytes),
                                   lowest_row(on_device), staging_pitch_, row_bytes(output),
                                   output.height, cudaMemcpyDeviceToHost, stream_));
  return {};
}

Status CudaDetector::run(const Settings& settings, const ConstFrame& input, const Frame& output,
                         Result* result) {
  ConstFrame device_input;
  const Frame device_output =
      output.memory == Memory::kDevice ? output : staged(output, staged_output_, staging_pitch_);
  BitPlane edges;
  CANNY_TRY(upload(input, &device_input));
  CANNY_TRY(front(settings, device_input));
  CANNY_TRY(hysteresis(settings.passes, &edges));
  CANNY_TRY(store(edges, device_output));
  CANNY_TRY(download(device_output, output));
  CANNY_CUDA_TRY(
      cudaMemcpyAsync(host_count_, count_, sizeof *count_, cudaMemcpyDeviceToHost, stream_));
  CANNY_CUDA_TRY(cudaStreamSynchronize(stream_));
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
    cudaStreamSynchronize(stream_);  // nothing may write to the caller's frame any more
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

// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the stages of the CUDA backend. Guarded frames are copied to the device with their guards,
// so that kernels meet the same alignments there.
#include <cuda_runtime.h>

#include <algorithm>
#include <deque>

#include "backend_stages.h"
#include "cuda/backend.h"
#include "cuda/check.h"
#include "cuda/region.h"
#include "cuda/stages.h"
#include "device_memory.h"
#include "planes.h"
#include "run_alone.h"

namespace stages {
namespace {

using canny::Status;
using canny::cuda::TilePlane;
using device_memory::Block;

// Waits until the bytes have arrived, since the backend's streams do not wait for the default
// stream.
Status copy_to_device(void* destination, const void* source, std::size_t bytes) {
  CANNY_CUDA_TRY(cudaMemcpy(destination, source, bytes, cudaMemcpyHostToDevice));
  CANNY_CUDA_TRY(cudaStreamSynchronize(nullptr));
  return {};
}

// The region of a frame, on its way to the device. Outlives the work on the frame.
class DeviceRegion {
 public:
  Status queue(const canny::ConstFrame& input, cudaStream_t stream) {
    has_region_ = input.region != nullptr;
    if (!has_region_) return {};
    return upload_.queue(*input.region, input.width, input.height, stream, &source_);
  }
  const canny::cuda::RegionSource* source() const { return has_region_ ? &source_ : nullptr; }

 private:
  canny::cuda::RegionUpload upload_;
  canny::cuda::RegionSource source_;
  bool has_region_ = false;
};

// A plane on the host with the size of `on_device`.
struct HostPlane {
  explicit HostPlane(const TilePlane& on_device) : words(on_device.size_words()), plane(on_device) {
    plane.words = words.data();
  }
  std::vector<std::uint32_t> words;
  TilePlane plane;
};

Status to_device(const std::vector<std::uint8_t>& bytes, const TilePlane& on_device) {
  HostPlane host(on_device);
  pack(bytes, host.plane);
  return copy_to_device(on_device.words, host.plane.words, 4 * host.words.size());
}

// Skips the rows below the last one, which hold nothing.
Status from_device(const TilePlane& on_device, reference::Bytes* bytes) {
  constexpr std::size_t kTileBytes = canny::kTile * sizeof(std::uint32_t);
  HostPlane host(on_device);
  const std::size_t columns = on_device.columns(), rows = on_device.height % canny::kTile;
  const std::size_t whole = on_device.height / canny::kTile * columns * canny::kTile;
  CANNY_CUDA_TRY(cudaMemcpy(host.plane.words, on_device.words, whole * sizeof(std::uint32_t),
                            cudaMemcpyDeviceToHost));
  if (rows > 0) {
    CANNY_CUDA_TRY(cudaMemcpy2D(host.plane.words + whole, kTileBytes, on_device.words + whole,
                                kTileBytes, rows * sizeof(std::uint32_t), columns,
                                cudaMemcpyDeviceToHost));
  }
  *bytes = unpack(host.plane);
  return {};
}

// Single stages run in the slots and the workspace of the backend that runs whole frames.
class CudaStages final : public BackendStages {
 public:
  explicit CudaStages(std::unique_ptr<canny::cuda::Stages> of_backend)
      : stages_(*of_backend), backend_(std::move(of_backend)) {}

  Status open() { return backend_.open(); }

  canny::Backend backend() const override { return canny::Backend::kCuda; }

  Status set_size(int width, int height, unsigned, unsigned frames_in_flight) override {
    frames_in_flight_ = frames_in_flight;
    return backend_.set_size(width, height, frames_in_flight, 1);
  }

  Status front(const canny::Plan& plan, const harness::GuardedFrame& frame,
               Planes* planes) override {
    const Block block(frame.block());
    DeviceRegion region;
    const canny::ConstFrame input = frame.const_frame(block.data(), canny::Memory::kDevice);
    CANNY_TRY(region.queue(input, stages_.stream(0)));
    CANNY_TRY(stages_.front(plan, input, region.source()));
    CANNY_CUDA_TRY(cudaStreamSynchronize(stages_.stream(0)));
    CANNY_TRY(from_device(stages_.candidate(), &planes->candidate));
    return from_device(stages_.strong(), &planes->strong);
  }

  Status hysteresis(unsigned passes, const Planes& planes,
                    std::vector<std::uint8_t>* edges) override {
    CANNY_TRY(to_device(planes.candidate.samples, stages_.candidate()));
    CANNY_TRY(to_device(planes.strong.samples, stages_.strong()));
    canny::cuda::Edges result;
    CANNY_TRY(stages_.hysteresis(passes, &result));
    // The output decides which open runs are edges.
    const TilePlane& size = stages_.candidate();
    const Block block(
        std::vector<std::uint8_t>(static_cast<std::size_t>(size.width) * size.height));
    CANNY_TRY(stages_.output(result, {block.data(), size.width, size.width, size.height,
                                      canny::PixelFormat::kGray8, canny::Memory::kDevice}));
    CANNY_CUDA_TRY(cudaStreamSynchronize(stages_.stream(0)));
    *edges = block.bytes();
    for (std::uint8_t& edge : *edges) edge &= 1;
    return {};
  }

  Status output(const std::vector<std::uint8_t>& edges, harness::GuardedFrame* frame,
                std::uint64_t* count) override {
    CANNY_TRY(to_device(edges, stages_.strong()));
    const Block block(frame->block());
    auto* counter = stages_.numbers(0).edges;
    CANNY_CUDA_TRY(cudaMemset(counter, 0, sizeof *counter));
    CANNY_CUDA_TRY(cudaDeviceSynchronize());
    CANNY_TRY(stages_.output({stages_.strong(), {}, {}},
                             frame->frame(block.data(), canny::Memory::kDevice)));
    CANNY_CUDA_TRY(cudaStreamSynchronize(stages_.stream(0)));
    frame->block() = block.bytes();
    *count = stages_.reports(0)->edges;
    return {};
  }

  Status frame(const canny::Plan& plan, const harness::GuardedFrame& input,
               canny::Memory input_memory, harness::GuardedFrame* output,
               canny::Memory output_memory, canny::Result* result) override {
    const Block input_block(input.block()), output_block(output->block());
    const bool device_input = input_memory == canny::Memory::kDevice;
    const bool device_output = output_memory == canny::Memory::kDevice;
    CANNY_TRY(run_alone(
        &backend_, plan,
        device_input ? input.const_frame(input_block.data(), input_memory) : input.const_frame(),
        device_output ? output->frame(output_block.data(), output_memory) : output->frame(),
        result));
    if (device_output) output->block() = output_block.bytes();
    return check_progress();
  }

  Status frames(std::vector<Job>& jobs) override {
    std::deque<Block> inputs, outputs;
    std::vector<canny::Job> flying(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      inputs.emplace_back(jobs[i].input->block());
      outputs.emplace_back(jobs[i].output->block());
      flying[i] = {static_cast<unsigned>(i % frames_in_flight_), jobs[i].plan,
                   jobs[i].input->const_frame(inputs[i].data(), canny::Memory::kDevice),
                   jobs[i].output->frame(outputs[i].data(), canny::Memory::kDevice)};
    }
    for (std::size_t i = 0; i < jobs.size() + frames_in_flight_; ++i) {
      if (i >= frames_in_flight_) {
        const std::size_t oldest = i - frames_in_flight_;
        CANNY_TRY(backend_.finish(flying[oldest], &jobs[oldest].result));
      }
      if (i < jobs.size()) CANNY_TRY(backend_.submit(&flying[i]));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].output->block() = outputs[i].bytes();
    return check_progress();
  }

  std::size_t workspace_bytes() const override { return stages_.workspace_bytes(); }

  Status fill_workspace(const std::vector<std::uint8_t>& bytes) override {
    return copy_to_device(stages_.workspace(), bytes.data(), bytes.size());
  }

  // Unlike a Detector, the backend stays usable after a device failure.
  Status fail_frame(Failure failure, const canny::Plan& plan,
                    const harness::GuardedFrame& input) override {
    const Block block(input.block());
    const canny::ConstFrame frame = input.const_frame(block.data(), canny::Memory::kDevice);
    const TilePlane& size = stages_.candidate();
    // Nothing is written, so the output can be anywhere.
    canny::Frame output{
        block.data(),          size.width, size.width, size.height, canny::PixelFormat::kGray8,
        canny::Memory::kDevice};
    canny::Result ignored;
    if (failure == Failure::kLaunch) {
      output.height = 0;  // no blocks: an invalid grid
      return run_alone(&backend_, plan, frame, output, &ignored);
    }
    CANNY_CUDA_TRY(cudaStreamBeginCapture(stages_.stream(0), cudaStreamCaptureModeRelaxed));
    const Status status = run_alone(&backend_, plan, frame, output, &ignored);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stages_.stream(0), &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    return status;
  }

 private:
  // Whether frames have left all counters of TileProgress at 0.
  Status check_progress() const {
    std::vector<std::uint32_t> progress(stages_.progress_size());
    CANNY_CUDA_TRY(cudaMemcpy(progress.data(), stages_.progress(), 4 * progress.size(),
                              cudaMemcpyDeviceToHost));
    if (std::count(progress.begin(), progress.end(), 0u) ==
        static_cast<std::ptrdiff_t>(progress.size()))
      return {};
    return {canny::StatusCode::kDeviceFailure, "a frame has left progress of tiles"};
  }

  canny::cuda::Stages& stages_;
  canny::cuda::CudaBackend backend_;
  unsigned frames_in_flight_ = 1;
};

}  // namespace

Status cuda_stages(std::unique_ptr<BackendStages>* result) {
  canny::cuda::Device device;
  CANNY_TRY(canny::cuda::find_device(-1, &device));
  device.l2_bytes = 8192;  // outputs of the tests are smaller and larger than it
  CANNY_CUDA_TRY(cudaSetDevice(device.id));
  auto stages = std::make_unique<CudaStages>(std::make_unique<canny::cuda::Stages>(device));
  CANNY_TRY(stages->open());
  *result = std::move(stages);
  return {};
}

}  // namespace stages

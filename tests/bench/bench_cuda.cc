// SPDX-License-Identifier: LGPL-2.1-or-later
// Times the CUDA backend, from device memory to GRAY8 in device memory.
#include <fstream>

#include "bench.h"
#include "copy.h"
#include "cuda/backend.h"
#include "measure_cuda.h"
#include "npp.h"
#include "stages/planes.h"

namespace bench {
namespace {

using canny::cuda::CudaBackend;

/// Queues the frame from its planes on.
void run_from_planes(CudaBackend& detector, unsigned passes, const canny::Frame& output) {
  canny::cuda::Edges edges;
  check(detector.hysteresis(passes, &edges));
  check(detector.store(edges, output));
}

/// The words of a plane in device memory, ready to be copied to a plane of the same size.
class DevicePlane {
 public:
  explicit DevicePlane(const reference::Bytes& flags)
      : plane_{nullptr, flags.width, flags.height}, words_(1, bytes()) {
    std::vector<std::uint32_t> host(plane_.size_words());
    plane_.words = host.data();
    stages::pack(flags.samples, plane_);
    plane_.words = nullptr;
    words_.fill(host.data());
  }

  std::size_t bytes() const { return plane_.size_words() * sizeof(std::uint32_t); }
  void queue_copy_to(const canny::cuda::TilePlane& plane, cudaStream_t stream) const {
    check(cudaMemcpyAsync(plane.words, words_[0], bytes(), cudaMemcpyDeviceToDevice, stream));
  }

 private:
  canny::cuda::TilePlane plane_;
  DeviceBlocks words_;
};

/// Where edge maps go.
class Outputs {
 public:
  Outputs(int count, int width, int height)
      : width_(width), height_(height), blocks_(count, std::size_t{1} * width * height) {}

  canny::Frame operator[](int i) const {
    return {
        blocks_[i], width_, width_, height_, canny::PixelFormat::kGray8, canny::Memory::kDevice};
  }
  int count() const { return blocks_.count(); }
  const DeviceBlocks& blocks() const { return blocks_; }

  /// Whether each of the first `count` holds this edge map. The device must be idle.
  bool hold(const EdgeMap& expected, int count) const {
    EdgeMap edges(expected.size());
    for (int i = 0; i < count; ++i) {
      check(cudaMemcpy(edges.data(), blocks_[i], edges.size(), cudaMemcpyDeviceToHost));
      if (edges != expected) return false;
    }
    return true;
  }

 private:
  int width_, height_;
  DeviceBlocks blocks_;
};

Times operator-(const Times& a, const Times& b) {
  return {a.ev - b.ev, a.thr - b.thr, a.wall - b.wall, a.host - b.host};
}

/// Whether call(i) writes the expected edge map to every output: the first frame alone, and all of
/// them one right after the other.
template <class Call, class Finish>
bool is_right(cudaStream_t stream, Call call, Finish finish, const Outputs& outputs,
              const EdgeMap& expected) {
  call(0);
  finish();
  check(cudaStreamSynchronize(stream));
  if (!outputs.hold(expected, 1)) return false;
  for (int i = 0; i < outputs.count(); ++i) call(i);
  finish();
  check(cudaStreamSynchronize(stream));
  return outputs.hold(expected, outputs.count());
}

class CudaBench final : public Bench {
 public:
  CudaBench(const canny::cuda::Device& device, std::unique_ptr<Npp> npp)
      : detector_(device), npp_(std::move(npp)) {
    check(cudaSetDevice(device.id));
    check(detector_.open());
  }

  canny::Backend backend() const override { return canny::Backend::kCuda; }

  Outcome run(const Picture& picture, const canny::Params& params,
              const EdgeMap& expected) override {
    canny::Plan plan;
    check(make_plan(params, picture.shape.format, canny::PixelFormat::kGray8, &plan));
    const canny::ConstFrame& shape = picture.shape;
    check(detector_.set_size(shape.width, shape.height, 1));
    const int count = rotation(picture.bytes.size() + expected.size());
    DeviceBlocks inputs(count, picture.bytes.size());
    inputs.fill(picture.bytes.data());
    const Outputs outputs(count, shape.width, shape.height);
    const auto frame = [&](int i) {
      const canny::ConstFrame input = picture.frame(inputs[i], canny::Memory::kDevice);
      check(detector_.enqueue(plan, input, outputs[i]));
    };
    const auto finish = [&] { check(detector_.join()); };
    if (!is_right(stream(), frame, finish, outputs, expected)) return {};

    Outcome outcome;
    outcome.times = Measurement(stream(), frame, finish).all();
    outcome.copy_us = time_copy(shape, inputs, outputs);
    if (npp_ && Npp::can_run(picture, params))
      outcome.npp_us = npp_->time(picture, params, inputs, outputs.blocks(), stream());
    return outcome;
  }

  Outcome run(const reference::Candidates& mask, unsigned passes,
              const EdgeMap& expected) override {
    const int width = mask.candidate.width, height = mask.candidate.height;
    check(detector_.set_size(width, height, 1));
    const DevicePlane candidate(mask.candidate), strong(mask.strong);
    const Outputs outputs(rotation(2 * candidate.bytes() + expected.size()), width, height);
    const auto insert = [&](int) {
      candidate.queue_copy_to(detector_.candidate(), stream());
      strong.queue_copy_to(detector_.strong(), stream());
    };
    // The hysteresis may work in its planes, so that every frame needs them anew.
    const auto frame = [&](int i) {
      insert(i);
      run_from_planes(detector_, passes, outputs[i]);
    };
    if (!is_right(
            stream(), frame, [] {}, outputs, expected))
      return {};

    Outcome outcome;
    outcome.times = measurement(stream(), frame).all() - measurement(stream(), insert).all();
    return outcome;
  }

 private:
  cudaStream_t stream() const { return detector_.stream(); }

  double time_copy(const canny::ConstFrame& shape, const DeviceBlocks& inputs,
                   const Outputs& outputs) {
    const std::size_t pixels = std::size_t{1} * shape.width * shape.height;
    const int bytes = canny::bytes_per_pixel(shape.format) * canny::planes(shape.format);
    const auto call = [&](int i) {
      check(copy(inputs[i], outputs.blocks()[i], pixels, bytes, stream()));
    };
    return measurement(stream(), call).throughput();
  }

  CudaBackend detector_;
  std::unique_ptr<Npp> npp_;
};

/// "13.0" of 13000.
std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void describe(const canny::cuda::Device& device, Machine* machine) {
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  std::ifstream("/sys/module/nvidia/version") >> machine->driver;
  machine->device = device.name;
  machine->driver_cuda = cuda_version(driver);
  machine->runtime_cuda = cuda_version(runtime);
}

/// Null, with a line that says so, where NPP can't be loaded.
std::unique_ptr<Npp> open_npp() {
  std::string why;
  std::unique_ptr<Npp> npp = Npp::open(&why);
  std::printf("NPP: %s\n", npp ? npp->version().c_str() : why.c_str());
  return npp;
}

}  // namespace

std::unique_ptr<Bench> open_cuda(bool npp, Machine* machine, std::string* why) {
  canny::cuda::Device device;
  const canny::Status status = canny::cuda::find_device(-1, &device);
  if (!status.ok()) {
    *why = status.message();
    return nullptr;
  }
  describe(device, machine);
  return std::make_unique<CudaBench>(device, npp ? open_npp() : nullptr);
}

}  // namespace bench

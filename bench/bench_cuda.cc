// SPDX-License-Identifier: LGPL-2.1-or-later
// Times a detector on a CUDA device, from device memory to GRAY8 in device memory. For masks, times
// only hysteresis and output.
#include <algorithm>
#include <fstream>
#include <utility>

#include "bench.h"
#include "check_cuda.h"
#include "cuda/stages.h"
#include "device_frames.h"
#include "device_work.h"
#include "graph_timer.h"
#include "measure_cuda.h"
#include "measure_detector.h"
#include "npp.h"
#include "stages/planes.h"

namespace bench {
namespace {

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

Times operator-(const Times& a, const Times& b) {
  return {a.ev - b.ev, a.thr - b.thr, a.wall - b.wall, a.host - b.host};
}

/// Whether call(i) writes the expected edge map to every output: the first frame alone, and all of
/// them one right after the other.
template <class Call>
bool is_right(cudaStream_t stream, Call call, Outputs& outputs, const EdgeMap& expected) {
  for (const int count : {1, outputs.count()}) {
    outputs.clear();
    for (int i = 0; i < count; ++i) call(i);
    check(cudaStreamSynchronize(stream));
    if (!outputs.hold(expected, count)) return false;
  }
  return true;
}

class CudaBench final : public Bench {
 public:
  CudaBench(const canny::cuda::Device& device, std::unique_ptr<Npp> npp, KernelCounts counts,
            const Options& options)
      : options_(options),
        counts_(std::move(counts)),
        one_(open_detector({canny::Backend::kCuda, device.id})),
        several_(open_detector({canny::Backend::kCuda, device.id})),
        stages_(device),
        npp_(std::move(npp)) {
    check(cudaSetDevice(device.id));
    check(stages_.open());
  }

  canny::Backend backend() const override { return canny::Backend::kCuda; }

  Outcome run(const Picture& picture, const canny::Params& params,
              const Output& expected) override {
    const canny::ConstFrame& shape = picture.shape;
    DeviceFrames frames(picture, output_format(params, shape.format));
    if (options_.once) return run_once(params, expected, frames);
    const unsigned pictures = shape.batch.count;
    check(one_.set_size(shape.width, shape.height, 1, pictures));
    const auto in_flight = static_cast<int>(options_.in_flight);
    check(several_.set_size(shape.width, shape.height, options_.in_flight, pictures));
    Turns alone(one_, 1, params, frames, nullptr, options_.components);
    Turns in_stream(one_, 1, params, frames, stream(), options_.components);
    Turns side_by_side(several_, in_flight, params, frames, nullptr, options_.components);
    if (!is_right(alone, 1, frames.outputs(), expected) ||
        !is_right(in_stream, 1, frames.outputs(), expected) ||
        !is_right(side_by_side, frames.count(), frames.outputs(), expected))
      return {};

    Outcome outcome;
    outcome.route = route_of(params, frames);
    outcome.times.emplace();
    time_alone(alone, in_stream, stream(), &*outcome.times);
    outcome.times->thr = throughput(side_by_side);
    outcome.wall_in_flight = time_wall(side_by_side);
    outcome.copy_us = time_copy(shape, frames);
    if (options_.kernels || options_.stages) {
      GraphTimer graphs(stages_, params, frames, options_.in_flight, options_.components);
      if (options_.kernels) outcome.kernels = graphs.time();
      if (options_.stages) {
        outcome.kernel_costs = cost_kernels(graphs, picture, frames, *outcome.copy_us);
        // Frames that end early must not change later ones.
        frames.outputs().clear();
        graphs.run();
        if (!frames.outputs().hold(expected, 1)) return {};
      }
    }
    if (options_.stages) outcome.stages = time_stages(picture, params, frames);
    if (npp_ && Npp::can_run(picture, params))
      outcome.npp_us =
          npp_->time(picture, params, frames.inputs(), frames.outputs().blocks(), stream());
    return outcome;
  }

  Outcome run(const reference::Candidates& mask, unsigned passes,
              const EdgeMap& expected) override {
    const int width = mask.candidate.width, height = mask.candidate.height;
    check(stages_.set_size(width, height, 1));
    const DevicePlane candidate(mask.candidate), strong(mask.strong);
    Outputs outputs(rotation(2 * candidate.bytes() + expected.size()), width, height);
    const auto insert = [&](int) {
      candidate.queue_copy_to(stages_.candidate(), stream());
      strong.queue_copy_to(stages_.strong(), stream());
    };
    // Hysteresis may overwrite its planes, so every frame needs new ones.
    const auto frame = [&](int i) {
      insert(i);
      canny::cuda::Edges edges;
      check(stages_.hysteresis(passes, &edges));
      check(stages_.output(edges, outputs[i]));
    };
    if (!is_right(stream(), frame, outputs, expected)) return {};

    Outcome outcome;
    outcome.times = Measurement(stream(), frame).all() - Measurement(stream(), insert).all();
    return outcome;
  }

 private:
  // The stream of masks, copies and NPP. For the detectors it is a caller's stream.
  cudaStream_t stream() const { return stages_.stream(0); }

  std::string route_of(const canny::Params& params, const DeviceFrames& frames) {
    std::vector<canny::Result> results(frames.input(0).batch.count);
    check(one_.detect(params, frames.input(0), frames.output(0), results.data()));
    return results[0].route;
  }

  double time_copy(const DeviceFrames& frames, std::size_t pixels, int bytes_per_pixel) {
    const auto call = [&](int i) {
      check(copy(frames.inputs()[i], frames.outputs().blocks()[i], pixels, bytes_per_pixel,
                 stream()));
    };
    return Measurement(stream(), call).throughput();
  }

  // A copy of a frame and its edge map. Of larger pixels only a part is copied.
  double time_copy(const canny::ConstFrame& shape, const DeviceFrames& frames) {
    const int all = canny::row_bytes(shape.format, shape.width) * canny::planes(shape.format);
    return time_copy(frames, std::size_t{1} * shape.width * shape.height * shape.batch.count,
                     std::min(all / shape.width, 4));
  }

  // A copy of so many bytes, as far as the frames' memory suffices: mostly reads, as in kernels.
  double time_copy_of(double bytes, const DeviceFrames& frames) {
    constexpr int kRead = 3;
    const auto pixels = static_cast<std::size_t>(bytes / (kRead + 1));
    const std::size_t most =
        std::min(frames.inputs().bytes() / kRead, frames.outputs().blocks().bytes());
    const std::size_t copied = std::min(pixels, most);
    return copied == 0 ? 0 : time_copy(frames, copied, kRead) * bytes / ((kRead + 1.0) * copied);
  }

  // One frame, for tools that count what its kernels do.
  Outcome run_once(const canny::Params& params, const Output& expected, DeviceFrames& frames) {
    frames.outputs().clear();
    GraphTimer graphs(stages_, params, frames, 1, options_.components);
    const Stopwatch watch;
    const std::vector<KernelCost> kernels = graphs.run();
    const double time = watch.microseconds();
    if (!frames.outputs().hold(expected, 1)) return {};
    Outcome outcome;
    outcome.times = Times{time, time, time, time};
    outcome.route = name(stages_.route(0));
    outcome.kernel_costs = kernels;
    return outcome;
  }

  // The costs of each kernel of a frame, and of all.
  std::vector<KernelCost> cost_kernels(GraphTimer& graphs, const Picture& picture,
                                       const DeviceFrames& frames, double frame_copy_us) {
    std::vector<KernelCost> costs = graphs.run();
    const auto counts = counts_.find(stages_.device().compute_capability, picture.subject, costs);
    graphs.time_kernels(&costs);
    KernelCost& frame = costs.back();
    frame.bytes = static_cast<double>(frames.inputs().bytes() + frames.outputs().blocks().bytes());
    frame.copy_us = frame_copy_us;
    if (counts.empty()) return costs;
    double sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sum += counts[i].instructions;
      costs[i].bytes = counts[i].bytes;
      costs[i].copy_us = time_copy_of(counts[i].bytes, frames);
      set_instructions(counts[i].instructions, &costs[i]);
    }
    set_instructions(sum, &frame);
    return costs;
  }

  // Sets the number of instructions and the time in which all multiprocessors issue them, one a
  // cycle on each of their four parts.
  void set_instructions(double count, KernelCost* cost) const {
    int kilohertz = 0;
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, stages_.device().id));
    cost->instructions = count;
    cost->issue_us = count / (4.0 * stages_.device().multiprocessors) / (kilohertz / 1000.0);
  }

  // The stages of frames in device memory, and the copies of a frame in page-locked memory.
  StageMedians time_stages(const Picture& picture, canny::Params params,
                           const DeviceFrames& frames) {
    params.measure_stages = true;
    int next = 0;
    const unsigned pictures = picture.shape.batch.count;
    StageMedians times = bench::time_stages(pictures, [&](canny::Result* result) {
      check(one_.detect(params, frames.input(next), frames.output(next), result));
      next = (next + 1) % frames.count();
    });
    const canny::Frame shape = frames.output(0);
    canny::HostMemory before, after;
    check(canny::HostMemory::allocate(picture.bytes.size(), -1, &before));
    check(canny::HostMemory::allocate(
        tight_bytes(shape.width, shape.height, shape.format) * pictures, -1, &after));
    std::copy(picture.bytes.begin(), picture.bytes.end(), before.data());
    const canny::ConstFrame input = picture.frame(before.data(), canny::Memory::kHost);
    const canny::Frame output = tight_frame(after.data(), shape.width, shape.height, shape.format,
                                            canny::Memory::kHost, pictures);
    const StageMedians copies = bench::time_stages(pictures, [&](canny::Result* result) {
      check(one_.detect(params, input, output, result));
    });
    times.upload = copies.upload;
    times.download = copies.download;
    return times;
  }

  const Options& options_;
  const KernelCounts counts_;
  canny::Detector one_, several_;  // with one frame in flight, and with several
  canny::cuda::Stages stages_;
  std::unique_ptr<Npp> npp_;
};

/// Turns 13000 into "13.0".
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

/// Prints NPP's version. If NPP can't be loaded, prints the reason and returns null.
std::unique_ptr<Npp> open_npp() {
  std::string why;
  std::unique_ptr<Npp> npp = Npp::open(&why);
  std::printf("NPP: %s\n", npp ? npp->version().c_str() : why.c_str());
  return npp;
}

}  // namespace

std::unique_ptr<Bench> open_cuda(const Options& options, Machine* machine, std::string* why) {
  canny::cuda::Device device;
  const canny::Status status = canny::cuda::find_device(-1, &device);
  if (!status.ok()) {
    *why = status.message();
    return nullptr;
  }
  KernelCounts counts;
  if (!options.counts_path.empty()) counts = KernelCounts::read(options.counts_path, why);
  if (!why->empty()) return nullptr;
  describe(device, machine);
  return std::make_unique<CudaBench>(device, options.npp ? open_npp() : nullptr, std::move(counts),
                                     options);
}

}  // namespace bench

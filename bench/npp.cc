// SPDX-License-Identifier: LGPL-2.1-or-later
// Times NPP's RGB to gray, Gaussian blur and Canny.
//
// Types and functions are declared here, so that a build needs no NPP. They are those of nppdefs.h,
// nppcore.h, nppi_color_conversion.h and nppi_filtering_functions.h in CUDA 12 and 13, which
// https://docs.nvidia.com/cuda/npp documents.
#include "npp.h"

#include <dlfcn.h>

#include <array>
#include <cmath>
#include <cstring>

#include "measure_cuda.h"

namespace bench {
namespace {

struct NppSize {
  int width, height;
};
struct NppPoint {
  int x, y;
};
struct NppVersion {
  int major, minor, build;
};
/// NppStreamContext, which functions take by value.
struct NppContext {
  cudaStream_t stream;
  int device;
  int multiprocessors;
  int max_threads_per_multiprocessor;
  int max_threads_per_block;
  std::size_t shared_memory_per_block;
  int compute_capability_major;
  int compute_capability_minor;
  unsigned stream_flags;
  int reserved;
};
static_assert(sizeof(NppContext) == 48, "NppStreamContext has 48 bytes on 64-bit machines");

// NppiDifferentialKernel, NppiMaskSize, NppiNorm, NppiBorderType.
constexpr int kFilterSobel = 0, kMaskSize3x3 = 200, kNormL1 = 1, kNormL2 = 2, kBorderReplicate = 2;

using Status = int;  // NppStatus: 0 is success, a positive value a warning
using Bytes = const std::uint8_t*;

constexpr double kSigma = 1.4;
constexpr int kTaps = 9;     // the detector's number for this sigma
constexpr int kGraphs = 64;  // at most

/// Loads the libraries of a version, such as "" or ".13". The others need the first one.
bool load(const std::string& folder, const std::string& version) {
  for (const char* name : {"libnppc", "libnppicc", "libnppif"})
    if (!dlopen((folder + name + ".so" + version).c_str(), RTLD_NOW | RTLD_GLOBAL)) return false;
  return true;
}

template <class Function>
bool find(const char* name, Function** function) {
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  std::memcpy(function, &symbol, sizeof symbol);
  return symbol != nullptr;
}

NppContext context_of(cudaStream_t stream) {
  NppContext context{};
  context.stream = stream;
  check(cudaGetDevice(&context.device));
  const auto get = [&](cudaDeviceAttr attribute) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, context.device));
    return value;
  };
  context.multiprocessors = get(cudaDevAttrMultiProcessorCount);
  context.max_threads_per_multiprocessor = get(cudaDevAttrMaxThreadsPerMultiProcessor);
  context.max_threads_per_block = get(cudaDevAttrMaxThreadsPerBlock);
  context.shared_memory_per_block =
      static_cast<std::size_t>(get(cudaDevAttrMaxSharedMemoryPerBlock));
  context.compute_capability_major = get(cudaDevAttrComputeCapabilityMajor);
  context.compute_capability_minor = get(cudaDevAttrComputeCapabilityMinor);
  check(cudaStreamGetFlags(stream, &context.stream_flags));
  return context;
}

std::array<float, kTaps> gaussian() {
  std::array<double, kTaps> weights;
  double sum = 0;
  for (int i = 0; i < kTaps; ++i) {
    const int distance = i - kTaps / 2;
    sum += weights[i] = std::exp(-distance * distance / (2 * kSigma * kSigma));
  }
  std::array<float, kTaps> taps;
  for (int i = 0; i < kTaps; ++i) taps[i] = static_cast<float>(weights[i] / sum);
  return taps;
}

/// Graphs, each of a frame in its own buffers.
class Graphs {
 public:
  ~Graphs() {
    for (cudaGraphExec_t graph : graphs_) cudaGraphExecDestroy(graph);
  }
  /// Captures the work that `queue` queues in `stream`. `queue` returns an NppStatus.
  template <class Queue>
  bool capture(cudaStream_t stream, Queue queue) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) != cudaSuccess) return false;
    const Status status = queue();
    const bool captured = cudaStreamEndCapture(stream, &graph) == cudaSuccess && status >= 0 &&
                          cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
    if (graph != nullptr) cudaGraphDestroy(graph);
    if (captured) graphs_.push_back(executable);
    return captured;
  }
  void launch(int i, cudaStream_t stream) const {
    check(cudaGraphLaunch(graphs_[static_cast<unsigned>(i) % graphs_.size()], stream));
  }

 private:
  std::vector<cudaGraphExec_t> graphs_;
};

std::nullopt_t failed(const char* what, int status) {
  std::printf("NPP: %s failed with status %d\n", what, status);
  return std::nullopt;
}

}  // namespace

struct Npp::Functions {
  const NppVersion* (*version)();
  /// `*bytes` is an int or a size_t, depending on the version; a size_t of 0 holds either.
  Status (*canny_buffer_size)(NppSize roi, std::size_t* bytes);
  Status (*rgb_to_gray)(Bytes source, int source_step, std::uint8_t* destination,
                        int destination_step, NppSize roi, NppContext context);
  Status (*gauss)(Bytes source, int source_step, NppSize source_size, NppPoint source_offset,
                  std::uint8_t* destination, int destination_step, NppSize roi, int taps,
                  const float* kernel, int border, NppContext context);
  Status (*canny)(Bytes source, int source_step, NppSize source_size, NppPoint source_offset,
                  std::uint8_t* destination, int destination_step, NppSize roi, int filter,
                  int mask_size, std::int16_t low, std::int16_t high, int norm, int border,
                  std::uint8_t* buffer, NppContext context);

  bool find_all() {
    return find("nppGetLibVersion", &version) && find("nppiRGBToGray_8u_C3C1R_Ctx", &rgb_to_gray) &&
           find("nppiFilterGaussAdvancedBorder_8u_C1R_Ctx", &gauss) &&
           find("nppiFilterCannyBorderGetBufferSize", &canny_buffer_size) &&
           find("nppiFilterCannyBorder_8u_C1R_Ctx", &canny);
  }
};

Npp::Npp() : functions_(std::make_unique<Functions>()) {}
Npp::~Npp() = default;

std::unique_ptr<Npp> Npp::open(std::string* why) {
  for (const std::string folder : {"", "/usr/local/cuda/lib64/"}) {
    for (const std::string version : {".13", ".12", ""}) {
      if (!load(folder, version)) continue;
      std::unique_ptr<Npp> npp(new Npp);
      if (!npp->functions_->find_all()) continue;
      const NppVersion* found = npp->functions_->version();
      npp->version_ = std::to_string(found->major) + "." + std::to_string(found->minor) + "." +
                      std::to_string(found->build);
      return npp;
    }
  }
  *why = "not found (libnppc, libnppicc and libnppif of CUDA 12 or 13 in LD_LIBRARY_PATH)";
  return nullptr;
}

bool Npp::can_run(const Picture& picture, const canny::Params& params) {
  return picture.shape.format == canny::PixelFormat::kRgb && picture.offset == 0 &&
         params.sigma == kSigma && params.hysteresis_passes == 0 && is_plain(params);
}

/// The chain for frames of one size, with the memory between its steps.
class Npp::Chain {
 public:
  /// `buffer_bytes` is the size that Canny asks for.
  Chain(const Functions& functions, NppSize size, std::size_t buffer_bytes,
        const canny::Params& params, cudaStream_t stream)
      : functions_(functions),
        context_(context_of(stream)),
        size_(size),
        low_(static_cast<std::int16_t>(params.low_threshold)),
        high_(static_cast<std::int16_t>(params.high_threshold)),
        norm_(params.norm == canny::Norm::kL2 ? kNormL2 : kNormL1),
        taps_(1, kTaps * sizeof(float)),
        gray_(1, pixels()),
        blurred_(1, pixels()),
        buffer_(1, std::max<std::size_t>(buffer_bytes, 1)) {
    taps_.fill(gaussian().data());
  }

  /// Queues a frame. Both images are tight.
  Status queue(Bytes rgb, std::uint8_t* edges) const {
    const int width = size_.width;
    Status status = functions_.rgb_to_gray(rgb, 3 * width, gray_[0], width, size_, context_);
    if (status < 0) return status;
    status = functions_.gauss(gray_[0], width, size_, {0, 0}, blurred_[0], width, size_, kTaps,
                              reinterpret_cast<const float*>(taps_[0]), kBorderReplicate, context_);
    if (status < 0) return status;
    return functions_.canny(blurred_[0], width, size_, {0, 0}, edges, width, size_, kFilterSobel,
                            kMaskSize3x3, low_, high_, norm_, kBorderReplicate, buffer_[0],
                            context_);
  }

 private:
  std::size_t pixels() const { return std::size_t{1} * size_.width * size_.height; }

  const Functions& functions_;
  NppContext context_;
  NppSize size_;
  std::int16_t low_, high_;
  int norm_;
  DeviceBlocks taps_, gray_, blurred_, buffer_;
};

std::optional<double> Npp::time(const Picture& picture, const canny::Params& params,
                                const DeviceBlocks& inputs, const DeviceBlocks& outputs,
                                cudaStream_t stream) const {
  const NppSize size{picture.shape.width, picture.shape.height};
  std::size_t buffer_bytes = 0;
  Status status = functions_->canny_buffer_size(size, &buffer_bytes);
  if (status < 0) return failed("Canny's buffer size", status);
  const Chain chain(*functions_, size, buffer_bytes, params, stream);
  status = chain.queue(inputs[0], outputs[0]);  // loads the kernels, which a capture can't
  if (status < 0) return failed("the chain", status);
  check(cudaStreamSynchronize(stream));

  Graphs graphs;
  for (int i = 0; i < std::min(inputs.count(), kGraphs); ++i) {
    if (!graphs.capture(stream, [&] { return chain.queue(inputs[i], outputs[i]); }))
      return failed("the capture of the chain", cudaGetLastError());
  }
  const auto launch = [&](int i) { graphs.launch(i, stream); };
  return Measurement(stream, launch).throughput();
}

}  // namespace bench

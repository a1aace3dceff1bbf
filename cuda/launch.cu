// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps the steps of a frame and the graph built from them.
#include "cuda/launch.h"

#include <algorithm>
#include <cstring>

#include "cuda/check.h"
#include "cuda/geometry.h"

namespace canny::cuda {
namespace {

bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

Launcher::~Launcher() { close(); }

void Launcher::open(cudaStream_t stream, bool overlap) {
  stream_ = stream;
  overlap_ = overlap;
}

void Launcher::close() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
  if (graph_ != nullptr) cudaGraphDestroy(graph_);
  executable_ = nullptr;
  graph_ = nullptr;
  valid_ = false;
  cudaGetLastError();
}

void Launcher::record() {
  recording_ = true;
  next_ = 0;
}

// The recorded form of a launch. A kernel's parameters have the same sizes in each launch.
Launcher::Step Launcher::new_step(const Launch& launch, const Argument* arguments,
                                  std::size_t count) {
  Step step;
  static_cast<Launch&>(step) = launch;
  step.count = count;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    step.size[i] = arguments[i].bytes;
    bytes += round_up(arguments[i].bytes, kAlignment);
  }
  step.memory.resize(bytes);
  std::byte* next = step.memory.data();
  for (std::size_t i = 0; i < count; ++i) {
    step.arguments[i] = next;
    std::memcpy(next, arguments[i].data, arguments[i].bytes);
    next += round_up(arguments[i].bytes, kAlignment);
  }
  return step;
}

Status Launcher::add(const Launch& launch, const Argument* arguments, std::size_t count) {
  if (!recording_) {
    void* pointers[kMaxArguments];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = const_cast<void*>(arguments[i].data);
    CANNY_TRY(prepare(launch.kernel));
    return run(launch, pointers);
  }
  if (next_ == most_) return {};
  if (next_ == steps_.size()) steps_.emplace_back();
  Step& step = steps_[next_++];
  if (step.kernel != launch.kernel || !same(step.block, launch.block) ||
      step.shared_bytes != launch.shared_bytes) {
    step = new_step(launch, arguments, count);
    valid_ = false;
    return {};
  }
  if (!same(step.grid, launch.grid)) step.changed = true;
  step.grid = launch.grid;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [data, bytes] = arguments[i];
    if (std::memcmp(step.arguments[i], data, bytes) == 0) continue;
    std::memcpy(step.arguments[i], data, bytes);
    step.changed = true;
  }
  return {};
}

// Kernels run together on a multiprocessor only if they divide its memory in the same way.
Status Launcher::prepare(const void* kernel) {
  CANNY_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared));
  return {};
}

Status Launcher::run(const Launch& launch, void* const* arguments) const {
  cudaLaunchConfig_t config = {};
  config.gridDim = launch.grid;
  config.blockDim = launch.block;
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream_;
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &overlap;
  config.numAttrs = overlap_ ? 1 : 0;
  return device_status(
      CANNY_CUDA_CALL(cudaLaunchKernelExC(&config, launch.kernel, const_cast<void**>(arguments))),
      launch.name);
}

// Whether a node launches the step's kernel with the step's arguments.
bool Launcher::runs(const cudaKernelNodeParams& node, const Step& step) {
  if (node.func != step.kernel || node.kernelParams == nullptr) return false;
  for (std::size_t i = 0; i < step.count; ++i)
    if (std::memcmp(node.kernelParams[i], step.arguments[i], step.size[i]) != 0) return false;
  return true;
}

// Finds the node of each step that no other step equals, so that its arguments can be changed.
Status Launcher::find_nodes() {
  std::size_t count = 0;
  CANNY_CUDA_TRY(cudaGraphGetNodes(graph_, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  CANNY_CUDA_TRY(cudaGraphGetNodes(graph_, nodes.data(), &count));
  for (Step& step : steps_) step.node = nullptr;
  for (const cudaGraphNode_t node : nodes) {
    cudaKernelNodeParams parameters;
    CANNY_CUDA_TRY(cudaGraphKernelNodeGetParams(node, &parameters));
    const auto is_it = [&](const Step& step) { return runs(parameters, step); };
    if (std::count_if(steps_.begin(), steps_.end(), is_it) == 1)
      std::find_if(steps_.begin(), steps_.end(), is_it)->node = node;
  }
  return {};
}

// Captures the steps in the stream. Ends the capture before it returns or throws.
Status Launcher::capture() {
  Status status;
  CANNY_CUDA_TRY(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  try {
    for (const Step& step : steps_) {
      status = run(step, step.arguments.data());
      if (!status.ok()) break;
    }
  } catch (...) {
    cudaStreamEndCapture(stream_, &graph_);
    throw;
  }
  const cudaError_t end = cudaStreamEndCapture(stream_, &graph_);
  const Status ended = device_status(CANNY_CUDA_CALL(end), "graph capture");
  return status.ok() ? ended : status;
}

Status Launcher::build() {
  close();
  for (const Step& step : steps_) CANNY_TRY(prepare(step.kernel));
  CANNY_TRY(capture());
  CANNY_CUDA_TRY(cudaGraphInstantiate(&executable_, graph_, 0));
  CANNY_TRY(find_nodes());
  for (Step& step : steps_) step.changed = false;
  valid_ = true;
  return {};
}

// Passes changed arguments to the graph.
Status Launcher::update() {
  for (Step& step : steps_) {
    if (!step.changed) continue;
    if (step.node == nullptr) return build();
    cudaKernelNodeParams parameters = {};
    parameters.func = const_cast<void*>(step.kernel);
    parameters.gridDim = step.grid;
    parameters.blockDim = step.block;
    parameters.sharedMemBytes = static_cast<unsigned>(step.shared_bytes);
    parameters.kernelParams = step.arguments.data();
    CANNY_CUDA_TRY(cudaGraphExecKernelNodeSetParams(executable_, step.node, &parameters));
    step.changed = false;
  }
  return {};
}

std::vector<Launcher::Kernel> Launcher::kernels() const {
  std::vector<Kernel> kernels;
  for (const Step& step : steps_) kernels.push_back({step.name, step.kernel});
  return kernels;
}

Status Launcher::submit() {
  recording_ = false;
  if (next_ != steps_.size()) {
    steps_.resize(next_);
    valid_ = false;
  }
  Status status = valid_ ? update() : build();
  if (status.ok()) {
    status = device_status(CANNY_CUDA_CALL(cudaGraphLaunch(executable_, stream_)), "graph launch");
  }
  if (!status.ok()) valid_ = false;
  return status;
}

}  // namespace canny::cuda

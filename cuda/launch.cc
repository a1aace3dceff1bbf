// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps the steps of a frame and the graph built from them.
#include "cuda/launch.h"

#include <cstring>

#include "cuda/check.h"

namespace canny::cuda {
namespace {

bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

// The recorded form of a launch. A kernel's parameters have the same sizes in each launch.
Launcher::Step Launcher::new_step(const Launch& launch, const Argument* arguments,
                                  std::size_t count) {
  Step step;
  static_cast<Launch&>(step) = launch;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* data = static_cast<const std::byte*>(arguments[i].data);
    step.memory[i].assign(data, data + arguments[i].bytes);
    step.arguments[i] = step.memory[i].data();
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

cudaKernelNodeParams Launcher::node_parameters(const Step& step) {
  cudaKernelNodeParams parameters = {};
  parameters.func = const_cast<void*>(step.kernel);
  parameters.gridDim = step.grid;
  parameters.blockDim = step.block;
  parameters.sharedMemBytes = static_cast<unsigned>(step.shared_bytes);
  parameters.kernelParams = const_cast<void**>(step.arguments.data());
  return parameters;
}

// Makes the graph node by node, each of which runs after the one before, or with overlap while that
// ends. If the stream were captured, another thread that waits for the whole context meanwhile
// would make the capture fail, and its own wait too.
Status Launcher::build() {
#if CUDART_VERSION >= 13000
  const auto connect = cudaGraphAddDependencies;
#else
  const auto connect = cudaGraphAddDependencies_v2;
#endif
  cudaGraphEdgeData edge = {};
  if (overlap_) {
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
  }
  valid_ = false;
  executable_.reset();
  cudaGraph_t graph;
  CANNY_CUDA_TRY(cudaGraphCreate(&graph, 0));
  graph_.reset(graph);
  cudaGraphNode_t previous = nullptr;
  for (Step& step : steps_) {
    CANNY_TRY(prepare(step.kernel));
    const cudaKernelNodeParams parameters = node_parameters(step);
    CANNY_TRY(device_status(
        CANNY_CUDA_CALL(cudaGraphAddKernelNode(&step.node, graph, nullptr, 0, &parameters)),
        step.name));
    if (previous != nullptr) CANNY_CUDA_TRY(connect(graph, &previous, &step.node, &edge, 1));
    previous = step.node;
    step.changed = false;
  }
  cudaGraphExec_t executable;
  CANNY_CUDA_TRY(cudaGraphInstantiate(&executable, graph, 0));
  executable_.reset(executable);
  valid_ = true;
  return {};
}

// Passes changed arguments to the graph.
Status Launcher::update() {
  for (Step& step : steps_) {
    if (!step.changed) continue;
    const cudaKernelNodeParams parameters = node_parameters(step);
    CANNY_CUDA_TRY(cudaGraphExecKernelNodeSetParams(executable_.get(), step.node, &parameters));
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
    status =
        device_status(CANNY_CUDA_CALL(cudaGraphLaunch(executable_.get(), stream_)), "graph launch");
  }
  if (!status.ok()) valid_ = false;
  return status;
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps the steps of a frame and the graph built from them.
#include "cuda/launch.h"

#include <algorithm>
#include <cstring>

#include "cuda/check.h"

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

// Stores the arguments that changed. Returns whether the step's graph node can stay.
bool Launcher::note(Step* step, const Argument* arguments, std::size_t count) {
  const bool fits = step->arguments.size() == count;
  if (!fits) step->arguments.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::byte>& bytes = step->arguments[i];
    if (bytes.size() == arguments[i].bytes &&
        std::memcmp(bytes.data(), arguments[i].data, bytes.size()) == 0)
      continue;
    const auto* begin = static_cast<const std::byte*>(arguments[i].data);
    bytes.assign(begin, begin + arguments[i].bytes);
    step->changed = true;
  }
  if (step->pointers.size() != count) {
    step->pointers.clear();
    for (auto& bytes : step->arguments) step->pointers.push_back(bytes.data());
  }
  return fits;
}

Status Launcher::add(const char* name, const void* kernel, dim3 grid, dim3 block,
                     std::size_t shared_bytes, const Argument* arguments, std::size_t count) {
  if (!recording_) {
    Step step;
    step.name = name, step.kernel = kernel, step.grid = grid, step.block = block;
    step.shared_bytes = shared_bytes;
    void* pointers[kMaxArguments];
    for (std::size_t i = 0; i < count; ++i) pointers[i] = const_cast<void*>(arguments[i].data);
    CANNY_TRY(prepare(&step));
    return run(step, pointers);
  }
  if (next_ == most_) return {};
  if (next_ == steps_.size()) steps_.emplace_back();
  Step& step = steps_[next_++];
  if (!same(step.grid, grid)) step.changed = true;
  step.grid = grid;
  if (step.kernel != kernel || !same(step.block, block) || step.shared_bytes != shared_bytes) {
    step = {};
    step.name = name, step.kernel = kernel, step.grid = grid, step.block = block;
    step.shared_bytes = shared_bytes;
    valid_ = false;
  }
  if (!note(&step, arguments, count)) valid_ = false;
  return {};
}

// Kernels run together on a multiprocessor only if they divide its memory in the same way.
Status Launcher::prepare(Step* step) {
  if (step->is_prepared) return {};
  CANNY_CUDA_TRY(cudaFuncSetAttribute(step->kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared));
  step->is_prepared = true;
  return {};
}

Status Launcher::run(const Step& step, void* const* arguments) const {
  cudaLaunchConfig_t config = {};
  config.gridDim = step.grid;
  config.blockDim = step.block;
  config.dynamicSmemBytes = step.shared_bytes;
  config.stream = stream_;
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &overlap;
  config.numAttrs = overlap_ ? 1 : 0;
  return device_status(
      CANNY_CUDA_CALL(cudaLaunchKernelExC(&config, step.kernel, const_cast<void**>(arguments))),
      step.name);
}

// Whether a node launches the step's kernel with the step's arguments.
bool Launcher::runs(const cudaKernelNodeParams& node, const Step& step) {
  if (node.func != step.kernel || node.kernelParams == nullptr) return false;
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const std::vector<std::byte>& bytes = step.arguments[i];
    if (std::memcmp(node.kernelParams[i], bytes.data(), bytes.size()) != 0) return false;
  }
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
      status = run(step, step.pointers.data());
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
  for (Step& step : steps_) CANNY_TRY(prepare(&step));
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
    parameters.kernelParams = step.pointers.data();
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

void Launcher::end_record() {
  recording_ = false;
  if (next_ == steps_.size()) return;
  steps_.resize(next_);
  valid_ = false;
}

Status Launcher::submit_kernels() {
  end_record();
  for (Step& step : steps_) {
    CANNY_TRY(prepare(&step));
    CANNY_TRY(run(step, step.pointers.data()));
  }
  return {};
}

Status Launcher::submit_graph() {
  end_record();
  Status status = valid_ ? update() : build();
  if (status.ok()) {
    status = device_status(CANNY_CUDA_CALL(cudaGraphLaunch(executable_, stream_)), "graph launch");
  }
  if (!status.ok()) valid_ = false;
  return status;
}

}  // namespace canny::cuda

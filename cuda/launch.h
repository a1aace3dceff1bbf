// SPDX-License-Identifier: LGPL-2.1-or-later
// Launches the kernels of a frame, one after the other or as one CUDA graph.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <vector>

#include "canny/canny.h"
#include "cuda/geometry.h"
#include "cuda/memory.h"
#include "cuda/plane.h"
#include "cuda/tuning.h"

namespace canny::cuda {

/// Lets the next kernel begin as soon as there is room for it. Its work before
/// wait_for_previous_kernel() must not depend on any other kernel.
__device__ inline void start_next_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Returns when all previous kernels are done and their results can be read.
__device__ inline void wait_for_previous_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Does both, as most kernels do, but lets the next kernel begin only at the end if other frames
/// use the device: its blocks, which wait for this kernel, would take room from theirs.
__device__ inline void wait_and_start_next(bool is_busy = false) {
  wait_for_previous_kernel();
  if (!is_busy) start_next_kernel();
}

/// More kernels than any frame has.
inline constexpr std::size_t kAllKernels = ~std::size_t{0};

/// Launches kernels in a stream. Not thread-safe.
class Launcher {
 public:
  /// Call once, first. With `overlap`, which needs kOverlapCapability, a kernel begins while
  /// the previous one ends. The stream stays the caller's, and must be idle at the end.
  void open(cudaStream_t stream, bool overlap) {
    stream_ = stream;
    overlap_ = overlap;
  }
  cudaStream_t stream() const { return stream_; }

  /// Sets the layers of blocks of all further kernels: one per picture of a batch.
  void set_pictures(unsigned pictures) { pictures_ = pictures; }
  unsigned pictures() const { return pictures_; }

  /// Makes launch() record kernels, without launching them, until submit() or launch_at_once().
  void record() {
    recording_ = true;
    next_ = 0;
  }
  /// Makes launch() launch each kernel by itself. The graph of the previous frame stays.
  void launch_at_once() { recording_ = false; }
  /// Launches the recorded kernels as one graph. If they differ from those of the last graph only
  /// in arguments and numbers of blocks, reuses it.
  Status submit();

  /// Ends frames that are recorded from now on after this many kernels. For benchmarks.
  void end_after(std::size_t kernels) { most_ = kernels; }
  /// Whether end_after() has a number of kernels.
  bool ends_early() const { return most_ != kAllKernels; }
  /// A kernel of a frame: the name that launch() got, and the function.
  struct Kernel {
    const char* name;
    const void* function;
  };
  /// The kernels of the last frame that was recorded.
  std::vector<Kernel> kernels() const;

  /// Launches a kernel, or records it after record(), whose grid has the layers of set_pictures().
  /// The bytes of its parameters are compared with those of the previous frame, so they must have
  /// no padding.
  template <class... Parameters, class... Arguments>
  Status launch(const char* name, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                std::size_t shared_bytes, const Arguments&... arguments) {
    static_assert(sizeof...(Parameters) <= kMaxArguments);
    static_assert(((alignof(Parameters) <= kAlignment) && ...));
    static_assert(((std::has_unique_object_representations_v<Parameters> ||
                    std::is_floating_point_v<Parameters>)&&...));
    const std::tuple<Parameters...> values(arguments...);
    return std::apply(
        [&](const auto&... value) {
          const Argument list[] = {{&value, sizeof value}...};
          return add({name, reinterpret_cast<const void*>(kernel), dim3(grid.x, grid.y, pictures_),
                      block, shared_bytes},
                     list, sizeof list / sizeof *list);
        },
        values);
  }
  /// Likewise, with a warp for each tile of a plane, so many in a block.
  template <class... Parameters, class... Arguments>
  Status launch_tiles(const char* name, void (*kernel)(Parameters...), const TilePlane& plane,
                      int tiles, const Arguments&... arguments) {
    const dim3 grid(blocks(plane.columns(), tiles), plane.rows());
    return launch(name, kernel, grid, dim3(kWarp, tiles), 0, arguments...);
  }

 private:
  static constexpr std::size_t kMaxArguments = 16;
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);  // of each argument
  struct Argument {
    const void* data;
    std::size_t bytes;
  };
  struct Launch {
    const char* name = nullptr;
    const void* kernel = nullptr;
    dim3 grid, block;
    std::size_t shared_bytes = 0;
  };
  // A recorded launch. Its memory holds the arguments themselves.
  struct Step : Launch {
    std::array<void*, kMaxArguments> arguments = {};  // in `memory`
    std::array<std::vector<std::byte>, kMaxArguments> memory;
    cudaGraphNode_t node = nullptr;
    bool changed = false;  // since the node got its arguments
  };

  Status add(const Launch& launch, const Argument* arguments, std::size_t count);
  static Step new_step(const Launch& launch, const Argument* arguments, std::size_t count);
  static Status prepare(const void* kernel);
  Status run(const Launch& launch, void* const* arguments) const;
  static cudaKernelNodeParams node_parameters(const Step& step);
  Status build();
  Status update();

  cudaStream_t stream_ = nullptr;
  bool overlap_ = false;
  bool recording_ = false;
  bool valid_ = false;  // whether the graph consists of the steps
  unsigned pictures_ = 1;
  std::size_t next_ = 0;
  std::size_t most_ = kAllKernels;
  std::vector<Step> steps_;
  Owned<cudaGraph_t> graph_;
  Owned<cudaGraphExec_t> executable_;
};

}  // namespace canny::cuda

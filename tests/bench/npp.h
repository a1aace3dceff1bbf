// SPDX-License-Identifier: LGPL-2.1-or-later
// NVIDIA Performance Primitives, loaded at run time where they are: the same stages on the same
// frames, for comparison.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <optional>
#include <string>

#include "bench.h"
#include "device_blocks.h"

namespace bench {

class Npp {
 public:
  /// Null and one line if the libraries can't be loaded.
  static std::unique_ptr<Npp> open(std::string* why);
  ~Npp();

  /// "13.0.1" or the like.
  const std::string& version() const { return version_; }

  /// Whether the chain does what a detector does with these: tight RGB, sigma 1.4, until stable.
  static bool can_run(const Picture& picture, const canny::Params& params);

  /// Microseconds of a frame, call after call, as one CUDA graph for each buffer. None, and a line
  /// that says why, if NPP fails.
  std::optional<double> time(const Picture& picture, const canny::Params& params,
                             const DeviceBlocks& inputs, const DeviceBlocks& outputs,
                             cudaStream_t stream) const;

 private:
  struct Functions;
  class Chain;
  Npp();

  std::unique_ptr<Functions> functions_;
  std::string version_;
};

}  // namespace bench

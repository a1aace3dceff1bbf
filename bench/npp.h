// SPDX-License-Identifier: LGPL-2.1-or-later
// NVIDIA Performance Primitives, loaded at run time if present: the same steps on the same frames,
// for comparison.
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
  /// Returns null and a line in `*why` if the libraries can't be loaded.
  static std::unique_ptr<Npp> open(std::string* why);
  ~Npp();

  /// "13.0.1" or the like.
  const std::string& version() const { return version_; }

  /// Whether the chain does the same work as a detector with these arguments: tight RGB, sigma 1.4,
  /// until stable.
  static bool can_run(const Picture& picture, const canny::Params& params);

  /// Returns the microseconds of a frame, in back-to-back launches of one CUDA graph for each
  /// buffer. If NPP fails, prints the reason and returns none.
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

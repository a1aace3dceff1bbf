// SPDX-License-Identifier: LGPL-2.1-or-later
// What a Detector asks of the code that runs a frame.
#pragma once

#include <memory>

#include "canny.h"
#include "params.h"

namespace canny {

class DetectorBackend {
 public:
  virtual ~DetectorBackend() = default;

  /// Allocates for frames of a valid size. After a failure the backend has no size.
  virtual Status set_size(int width, int height) = 0;

  /// Runs one frame. Sizes, strides and formats are valid; the memory is for the backend to check.
  virtual Status detect(const Settings& settings, const ConstFrame& input, const Frame& output,
                        Result* result) = 0;
};

/// Creates a CPU backend for `options.threads`, and describes it.
Status create_cpu_backend(const Options& options, std::unique_ptr<DetectorBackend>* backend,
                          Info* info);

/// Creates a CUDA backend on `options.cuda_device`, and describes it. Without CUDA in the library
/// this is kBackendNotBuilt.
Status create_cuda_backend(const Options& options, std::unique_ptr<DetectorBackend>* backend,
                           Info* info);

/// Page-locked memory of CUDA device `device` (-1 = first usable).
Status allocate_page_locked(std::size_t bytes, int device, std::uint8_t** data);
void free_page_locked(std::uint8_t* data);

}  // namespace canny

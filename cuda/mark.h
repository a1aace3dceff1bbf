// SPDX-License-Identifier: LGPL-2.1-or-later
// Points in streams, for the times of stages.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>

#include "canny/stage_marks.h"
#include "cuda/memory.h"

namespace canny::cuda {

/// An event that set() creates unless it exists. The device must be current in every call.
class Mark {
 public:
  Status set(cudaStream_t stream) {
    if (event_ == nullptr) CANNY_TRY(create_event(cudaEventDefault, &event_));
    CANNY_CUDA_TRY(cudaEventRecord(event_.get(), stream));
    return {};
  }
  Status nanoseconds_since(const Mark& first, std::uint64_t* nanoseconds) const {
    float milliseconds = 0;
    CANNY_CUDA_TRY(cudaEventElapsedTime(&milliseconds, first.event_.get(), event_.get()));
    *nanoseconds = static_cast<std::uint64_t>(std::lround(milliseconds * 1e6));
    return {};
  }

 private:
  Owned<cudaEvent_t> event_;
};

using StageMarks = canny::StageMarks<Mark>;

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// Creates, records and reads the events around the stages and copies of a frame.
#include "cuda/stage_events.h"

#include <algorithm>
#include <cmath>

namespace canny::cuda {

Status StageEvents::begin() {
  for (Pair& pair : pairs_) {
    pair.is_recorded = false;
    for (cudaEvent_t* event : {&pair.first, &pair.last})
      if (*event == nullptr) CANNY_CUDA_TRY(cudaEventCreate(event));
  }
  return {};
}

Status StageEvents::record_first(TimedStage timed, cudaStream_t stream) {
  CANNY_CUDA_TRY(cudaEventRecord(pairs_[static_cast<int>(timed)].first, stream));
  return {};
}

Status StageEvents::record_last(TimedStage timed, cudaStream_t stream) {
  Pair& pair = pairs_[static_cast<int>(timed)];
  CANNY_CUDA_TRY(cudaEventRecord(pair.last, stream));
  pair.is_recorded = true;
  return {};
}

Status StageEvents::read(TimedStage timed, std::uint64_t* nanoseconds) const {
  const Pair& pair = pairs_[static_cast<int>(timed)];
  *nanoseconds = 0;
  if (!pair.is_recorded) return {};
  float milliseconds = 0;
  CANNY_CUDA_TRY(cudaEventElapsedTime(&milliseconds, pair.first, pair.last));
  *nanoseconds = static_cast<std::uint64_t>(std::max(std::lround(milliseconds * 1e6), 1L));
  return {};
}

Status StageEvents::read(StageTimes* times) const {
  CANNY_TRY(read(TimedStage::kUpload, &times->upload));
  CANNY_TRY(read(TimedStage::kFront, &times->front));
  CANNY_TRY(read(TimedStage::kHysteresis, &times->hysteresis));
  CANNY_TRY(read(TimedStage::kOutput, &times->output));
  return read(TimedStage::kDownload, &times->download);
}

void StageEvents::release() {
  for (Pair& pair : pairs_) {
    for (cudaEvent_t* event : {&pair.first, &pair.last}) {
      if (*event != nullptr) cudaEventDestroy(*event);
      *event = nullptr;
    }
    pair.is_recorded = false;
  }
  cudaGetLastError();
}

}  // namespace canny::cuda

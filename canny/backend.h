// SPDX-License-Identifier: LGPL-2.1-or-later
// The interface of backends.
#pragma once

#include <memory>

#include "canny/canny.h"
#include "canny/edge_bits.h"
#include "canny/frame.h"
#include "canny/plan.h"

namespace canny {

/// A frame in flight.
struct Job {
  unsigned slot = 0;  ///< index among the frames in flight
  Plan plan;
  ConstFrame input;
  Frame output;
  Frame neutral = {};         ///< a gray frame in host memory whose chroma gets no color, or none
  EdgeBits* bits = nullptr;   ///< gets the edges of a plan that shows edges; null = not wanted
  bool is_on_device = false;  ///< of FallbackBackend: the device has begun it
};

/// Whether all memory of a job is host memory.
inline bool is_in_host(const Job& job) {
  const Region* region = job.input.region;
  const bool mask_is_in_host =
      region == nullptr || region->mask.data == nullptr || region->mask_memory == Memory::kHost;
  return mask_is_in_host && job.input.memory == Memory::kHost && job.output.memory == Memory::kHost;
}

/// Calls write(rows, value) with all rows in host memory that get one value, whatever the input.
template <class Write>
void for_each_fill(const Job& job, Write write) {
  if (job.output.memory != Memory::kHost) return;
  for (int i = 0; i < chroma_planes(job.neutral); ++i)
    write(chroma_plane(job.neutral, i), kNeutral);
  for (std::size_t i = 0; i < job.output.fill_count; ++i)
    write(fill_frame(job.output, i), job.output.fills[i].value);
}

/// Computes frames for a Detector. Sizes, strides and formats of frames are valid; the backend
/// checks their memory. Jobs are finished in the order of submission, possibly by another thread.
class BackendImpl {
 public:
  virtual ~BackendImpl() = default;

  /// Allocates memory for this number of frames of a valid size. After a failure the backend has no
  /// size.
  virtual Status set_size(int width, int height, unsigned frames_in_flight) = 0;

  /// Begins a job. After a failure nothing uses the job's memory anymore.
  virtual Status submit(Job* job) = 0;

  /// Returns when a job is complete. After a failure nothing uses its memory anymore.
  virtual Status finish(const Job& job, Result* result) = 0;

  /// Ends a job. Its output need not be complete.
  virtual Status drop(const Job& job) {
    Result ignored;
    return finish(job, &ignored);
  }

  Info info;  ///< only set_size() and finish() change it
};

/// Creates a CPU backend for `options.threads`.
Status create_cpu_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Creates a CUDA backend on `options.cuda_device`. Returns kBackendNotBuilt if the library was
/// built without CUDA.
Status create_cuda_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Creates an OpenCL backend on `options.opencl_device`. Returns kBackendNotBuilt if the library
/// was built without OpenCL.
Status create_opencl_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Allocates page-locked memory for CUDA device `*device`. If it is -1, uses the first usable
/// device and stores its id.
Status allocate_page_locked(std::size_t bytes, int* device, std::uint8_t** data);
void free_page_locked(int device, std::uint8_t* data);

/// Likewise, memory of the device.
Status allocate_on_device(std::size_t bytes, int* device, std::uint8_t** data);
void free_on_device(int device, std::uint8_t* data);
Status copy_to_host(int device, const std::uint8_t* data, std::size_t bytes, std::uint8_t* to);

}  // namespace canny

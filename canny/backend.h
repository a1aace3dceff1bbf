// SPDX-License-Identifier: LGPL-2.1-or-later
// The interface of backends.
#pragma once

#include <memory>
#include <vector>

#include "canny/batch.h"
#include "canny/canny.h"
#include "canny/chains.h"
#include "canny/edge_bits.h"
#include "canny/frame.h"
#include "canny/frame_components.h"
#include "canny/plan.h"

namespace canny {

/// A picture of a job.
struct Picture {
  ConstFrame input;
  Frame output;
  Frame neutral = {};        ///< a gray frame in host memory whose chroma gets no color, or none
  EdgeBits* bits = nullptr;  ///< gets the edges of a plan that shows edges; null = not wanted
  FrameComponents* components = nullptr;  ///< likewise, what `is_found` says
};

/// A frame in flight, or a part of its batch.
struct Job {
  unsigned slot = 0;  ///< index among the frames in flight
  Plan plan;
  // All pictures of the frame:
  ConstFrame input;
  Frame output;
  Frame neutral = {};                ///< as in Picture
  std::vector<EdgeBits*> bits = {};  ///< likewise, one per picture, or none
  std::vector<Chains*> chains = {};  ///< one for each of `bits`: gets the chains in their place
                                     ///< from a backend that traces edges
  std::vector<FrameComponents*> components = {};  ///< like `bits`

  unsigned first = 0, count = 1;  ///< the pictures to compute
  bool is_on_device = false;      ///< of FallbackBackend: the device has begun it

  /// Picture i of those to compute.
  Picture picture(unsigned i) const {
    i += first;
    return {picture_of(input, i), picture_of(output, i), picture_of(neutral, i),
            bits.empty() ? nullptr : bits[i], components.empty() ? nullptr : components[i]};
  }
};

/// Whether all memory of a job is host memory.
inline bool is_in_host(const Job& job) {
  for (const Chains* chains : job.chains)
    if (chains->is_for_device()) return false;
  for (unsigned i = 0; i < job.count && job.input.region != nullptr; ++i) {
    const Region& region = job.input.region[job.first + i];
    if (region.mask.data != nullptr && region.mask_memory != Memory::kHost) return false;
  }
  return job.input.memory == Memory::kHost && job.output.memory == Memory::kHost;
}

/// Calls write(rows, value) with all rows of a picture in host memory that get one value, whatever
/// the input.
template <class Write>
void for_each_fill(const Picture& picture, Write write) {
  const Frame& output = picture.output;
  if (output.memory != Memory::kHost) return;
  for (int i = 0; i < chroma_planes(picture.neutral); ++i)
    write(chroma_plane(picture.neutral, i), kNeutral);
  for (std::size_t i = 0; i < output.fill_count; ++i)
    write(fill_frame(output, i), output.fills[i].value);
}

/// Likewise of all pictures of a job.
template <class Write>
void for_each_fill(const Job& job, Write write) {
  for (unsigned i = 0; i < job.count; ++i) for_each_fill(job.picture(i), write);
}

/// Computes frames for a Detector. Sizes, strides and formats of frames are valid; the backend
/// checks their memory. Jobs are finished in the order of submission by one thread at a time, while
/// another one may submit. Both may submit at the same time, to different slots.
class BackendImpl {
 public:
  virtual ~BackendImpl() = default;

  /// Allocates memory for this number of frames of a valid size, each of up to so many pictures,
  /// and sets `most_pictures`. After a failure the backend has no size.
  virtual Status set_size(int width, int height, unsigned frames_in_flight, unsigned pictures) = 0;

  /// Begins a job. After a failure nothing uses the job's memory anymore.
  virtual Status submit(Job* job) = 0;

  /// Returns when a job is complete, with a result per picture. After a failure nothing uses its
  /// memory anymore.
  virtual Status finish(const Job& job, Result* results) = 0;

  /// Ends a job. Its output need not be complete.
  virtual Status drop(const Job& job, Result* ignored) { return finish(job, ignored); }

  /// Finds the offsets of the points of a picture of a finished job, in host memory. Backends of
  /// devices need not.
  virtual Status find_offsets(const Job&, const ConstFrame& /*input*/, Chains*) { return {}; }

  /// Copies a picture of a finished job from device memory: `*in_host` describes it in `*memory`.
  /// Backends without device memory need not.
  virtual Status copy_to_host(const Job&, const ConstFrame& /*input*/,
                              std::vector<std::uint8_t>* /*memory*/, ConstFrame* /*in_host*/) {
    return {};
  }

  /// Writes the chains of a finished job to device memory. Backends without need not.
  virtual Status write_to_device(const Job&, const Chains&) { return {}; }

  Info info;                   ///< only set_size() and finish() change it
  unsigned most_pictures = 1;  ///< of a job
};

/// Creates a CPU backend for `options.threads`.
Status create_cpu_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Creates a CUDA backend on `options.cuda_device`. Returns kBackendNotBuilt if the library was
/// built without CUDA.
Status create_cuda_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Creates an OpenCL backend on `options.opencl_device`. Returns kBackendNotBuilt if the library
/// was built without OpenCL.
Status create_opencl_backend(const Options& options, std::unique_ptr<BackendImpl>* backend);

/// Checks the id of a CUDA device, of which -1 is the first usable one.
Status check_cuda_device(int id);

/// Allocates page-locked memory for CUDA device `*device`. If it is -1, uses the first usable
/// device and stores its id.
Status allocate_page_locked(std::size_t bytes, int* device, std::uint8_t** data);
void free_page_locked(int device, std::uint8_t* data);

/// Likewise, memory of the device.
Status allocate_on_device(std::size_t bytes, int* device, std::uint8_t** data);
void free_on_device(int device, std::uint8_t* data);
Status copy_to_host(int device, const std::uint8_t* data, std::size_t bytes, std::uint8_t* to);

}  // namespace canny

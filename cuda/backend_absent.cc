// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the CUDA backend in a library built without it.
#include "canny/backend.h"

namespace canny {
namespace {

Status not_built() {
  return {StatusCode::kBackendNotBuilt,
          "this build has no CUDA backend; install the CUDA toolkit and rebuild"};
}

}  // namespace

Status create_cuda_backend(const Options&, std::unique_ptr<BackendImpl>*) { return not_built(); }

Status allocate_page_locked(std::size_t, int*, std::uint8_t**) { return not_built(); }

void free_page_locked(int, std::uint8_t*) {}

Status allocate_on_device(std::size_t, int*, std::uint8_t**) { return not_built(); }

void free_on_device(int, std::uint8_t*) {}

Status copy_to_host(int, const std::uint8_t*, std::size_t, std::uint8_t*) { return not_built(); }

}  // namespace canny

// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the OpenCL backend in a library built without it.
#include "canny/backend.h"

namespace canny {

Status create_opencl_backend(const Options&, std::unique_ptr<BackendImpl>*) {
  return {StatusCode::kBackendNotBuilt,
          "this build has no OpenCL backend; install opencl-headers and rebuild"};
}

}  // namespace canny

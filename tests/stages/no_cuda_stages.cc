// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the CUDA stages in a build without CUDA.
#include "backend_stages.h"

namespace stages {

canny::Status cuda_stages(std::unique_ptr<BackendStages>*) {
  return {canny::StatusCode::kBackendNotBuilt, "this build has no CUDA backend"};
}

}  // namespace stages

// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests choose in production code, through variables of the environment: CANNY_CUDA_KERNELS,
// and CANNY_OPENCL_ with KERNELS, SUMS, MEMORY and DOUBLES. Each is read when a detector opens its
// device.
#pragma once

#include <cstdlib>
#include <cstring>

namespace canny {

/// Whether a variable has this value. In a program with more rights than its user, none has any.
inline bool is_told(const char* variable, const char* value) {
  const char* told = secure_getenv(variable);
  return told != nullptr && std::strcmp(told, value) == 0;
}

}  // namespace canny

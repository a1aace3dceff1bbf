// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests choose in production code, through variables of the environment.
#pragma once

#include <cstdlib>
#include <string_view>

namespace canny {

/// The value of a variable, or nothing. In a program with more rights than its user, none has any.
inline std::string_view chosen(const char* variable) {
  const char* value = secure_getenv(variable);
  return value != nullptr ? value : "";
}

/// The choices when a detector opens its device. docs/internals/testing.md has their values.
struct TestChoices {
  std::string_view cuda_kernels = chosen("CANNY_CUDA_KERNELS");
  std::string_view opencl_kernels = chosen("CANNY_OPENCL_KERNELS");
  std::string_view opencl_memory = chosen("CANNY_OPENCL_MEMORY");
  std::string_view opencl_doubles = chosen("CANNY_OPENCL_DOUBLES");
};

}  // namespace canny

// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns OpenCL errors into a Status.
#pragma once

#include <string>

#include "canny/try.h"
#include "opencl/device.h"

namespace canny::opencl {

/// The name of an error, without the "CL_": "OUT_OF_RESOURCES".
std::string error_name(cl_int error);

/// The Status of an error of a call on a device, which the message names with its driver.
Status device_status(cl_int error, const char* what, const Device& device);

}  // namespace canny::opencl

/// Returns from the enclosing function with the Status of an error unless it is CL_SUCCESS.
#define CANNY_OPENCL_TRY(device, what, error) \
  CANNY_TRY(::canny::opencl::device_status(error, what, device))

/// Calls a function of the loader. Returns from the enclosing function unless it succeeds.
#define CANNY_OPENCL_CALL(device, function, ...) \
  CANNY_OPENCL_TRY(device, #function, (device).library->function(__VA_ARGS__))

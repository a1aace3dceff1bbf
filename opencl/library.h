// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions of the OpenCL loader, which is loaded on the first use: nothing else needs
// libOpenCL to start.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "canny/status.h"

namespace canny::opencl {

#define CANNY_OPENCL_FUNCTIONS(F) \
  F(clBuildProgram)               \
  F(clCreateBuffer)               \
  F(clCreateCommandQueue)         \
  F(clCreateContext)              \
  F(clCreateKernel)               \
  F(clCreateProgramWithSource)    \
  F(clEnqueueBarrierWithWaitList) \
  F(clEnqueueCopyBuffer)          \
  F(clEnqueueFillBuffer)          \
  F(clEnqueueMapBuffer)           \
  F(clEnqueueMarkerWithWaitList)  \
  F(clEnqueueNDRangeKernel)       \
  F(clEnqueueReadBuffer)          \
  F(clEnqueueReadBufferRect)      \
  F(clEnqueueUnmapMemObject)      \
  F(clEnqueueWriteBuffer)         \
  F(clEnqueueWriteBufferRect)     \
  F(clFinish)                     \
  F(clFlush)                      \
  F(clGetDeviceIDs)               \
  F(clGetDeviceInfo)              \
  F(clGetEventProfilingInfo)      \
  F(clGetPlatformIDs)             \
  F(clGetPlatformInfo)            \
  F(clGetProgramBuildInfo)        \
  F(clReleaseCommandQueue)        \
  F(clReleaseContext)             \
  F(clReleaseEvent)               \
  F(clReleaseKernel)              \
  F(clReleaseMemObject)           \
  F(clReleaseProgram)             \
  F(clRetainContext)              \
  F(clSetKernelArg)               \
  F(clWaitForEvents)

/// Functions of OpenCL 1.2, under their names.
struct Library {
#define CANNY_OPENCL_MEMBER(name) \
  decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  CANNY_OPENCL_FUNCTIONS(CANNY_OPENCL_MEMBER)
#undef CANNY_OPENCL_MEMBER
};

/// Loads the library, unless an earlier call of any thread did. It is never unloaded.
/// @retval kNoDriver  there is none, or one older than OpenCL 1.2
Status load(const Library** library);

/// Has later calls of load() return this library instead, which must stay, until null ends that.
/// For tests.
void replace_library(const Library* library);

}  // namespace canny::opencl

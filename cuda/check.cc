// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes CUDA calls fail on demand, in builds for tests.
#include "cuda/check.h"

#if CANNY_CUDA_FAULTS

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace canny::cuda {
namespace {

std::atomic<long> calls_before_fault{-1};  // negative after the fault, or without one
std::atomic<bool> is_out_of_memory{false};

}  // namespace

void disarm_fault() { calls_before_fault = -1; }

void arm_fault() {
  const char* number = secure_getenv("CANNY_CUDA_FAULT");
  is_out_of_memory = number != nullptr && std::strstr(number, ":memory") != nullptr;
  calls_before_fault = number != nullptr ? std::atol(number) - 1 : -1;
}

cudaError_t fault() {
  return is_out_of_memory ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure;
}

bool is_faulty_call() { return calls_before_fault >= 0 && calls_before_fault-- == 0; }

}  // namespace canny::cuda

#endif

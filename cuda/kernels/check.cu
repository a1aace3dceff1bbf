// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls that fail on demand, in builds for tests.
#include "kernels/check.h"

#if CANNY_CUDA_FAULTS

#include <atomic>
#include <cstdlib>

namespace canny::cuda {
namespace {

std::atomic<long> calls_before_fault{-1};  // negative when it has been, or is not to be

}  // namespace

void disarm_fault() { calls_before_fault = -1; }

void arm_fault() {
  const char* number = std::getenv("CANNY_CUDA_FAULT");
  calls_before_fault = number != nullptr ? std::atol(number) - 1 : -1;
}

bool is_faulty_call() { return calls_before_fault >= 0 && calls_before_fault-- == 0; }

}  // namespace canny::cuda

#endif

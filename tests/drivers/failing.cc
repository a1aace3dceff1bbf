// SPDX-License-Identifier: LGPL-2.1-or-later
// A stand-in for an NVIDIA driver whose functions all fail, cuInit() among them. The environment
// variable DRIVER_RESULT is the CUresult that they return.
#include <cstdlib>
#include <cstring>

static int fail() {
  const char* result = std::getenv("DRIVER_RESULT");
  return result != nullptr ? std::atoi(result) : 0;
}

extern "C" {

int cuInit(unsigned) { return fail(); }

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}

int cuGetProcAddress_v2(const char* name, void** function, int, unsigned long long, int* status) {
  const bool is_version = std::strcmp(name, "cuDriverGetVersion") == 0;
  const bool is_address = std::strcmp(name, "cuGetProcAddress") == 0;
  *function = is_version   ? reinterpret_cast<void*>(cuDriverGetVersion)
              : is_address ? reinterpret_cast<void*>(cuGetProcAddress_v2)
                           : reinterpret_cast<void*>(fail);
  if (status != nullptr) *status = 0;
  return 0;
}

int cuGetProcAddress(const char* name, void** function, int version, unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

}  // extern "C"

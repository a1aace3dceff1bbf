// SPDX-License-Identifier: LGPL-2.1-or-later
// A stand-in for the OpenCL loader, whose calls fail when a test says so. Its SONAME is the
// loader's: where a program has opened it first, opening libOpenCL.so.1 finds it.
#include "failing_loader.h"

#include <dlfcn.h>

extern "C" {

// The functions of the loader, under their names, are those of failing.h.
#define CANNY_EXPORT(function)                                                \
  decltype(&::function) find_##function() { return CANNY_FAILING(function); } \
  __attribute__((ifunc("find_" #function), visibility("default"))) decltype(function) function;
CANNY_OPENCL_FUNCTIONS(CANNY_EXPORT)
#undef CANNY_EXPORT

failing::Fault* open_failing_loader(const char* path) {
  static failing::Library library;
  void* const file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) return nullptr;
#define CANNY_FIND(function) \
  library.function = reinterpret_cast<decltype(&::function)>(dlsym(file, #function));
  CANNY_OPENCL_FUNCTIONS(CANNY_FIND)
#undef CANNY_FIND
  failing::real = &library;
  return &failing::fault;
}

}  // extern "C"

// SPDX-License-Identifier: LGPL-2.1-or-later
// Loads the OpenCL loader.
#include "opencl/library.h"

#include <dlfcn.h>

#include <atomic>
#include <string>

namespace canny::opencl {
namespace {

constexpr const char* kFile = "libOpenCL.so.1";

struct Loaded {
  Library library;
  Status status;
};

Loaded load_once() {
  Loaded loaded;
  void* const file = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    loaded.status = {StatusCode::kNoDriver,
                     std::string("no OpenCL loader; install ocl-icd-libopencl1 and the OpenCL "
                                 "driver of the device: ") +
                         dlerror()};
    return loaded;
  }
#define CANNY_OPENCL_FIND(name)                                                  \
  loaded.library.name = reinterpret_cast<decltype(&::name)>(dlsym(file, #name)); \
  if (loaded.library.name == nullptr)                                            \
    loaded.status = {StatusCode::kNoDriver, std::string(kFile) + " is too old: it has no " #name};
  CANNY_OPENCL_FUNCTIONS(CANNY_OPENCL_FIND)
#undef CANNY_OPENCL_FIND
  return loaded;
}

std::atomic<const Library*> replacement{nullptr};

}  // namespace

void replace_library(const Library* library) { replacement = library; }

Status load(const Library** library) {
  *library = replacement;
  if (*library != nullptr) return {};
  // Never destroyed: objects of the whole process may use it until the end.
  static const Loaded& loaded = *new Loaded(load_once());
  *library = &loaded.library;
  return loaded.status;
}

}  // namespace canny::opencl

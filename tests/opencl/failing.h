// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions of the OpenCL loader, wrapped so that chosen calls fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "opencl/library.h"

namespace failing {

using canny::opencl::Library;

/// The messages of a compiler with CL_BUILD_PROGRAM_FAILURE, and the line that says most.
inline constexpr const char* kLog =
    "warning: nothing of importance\nkernel.cl:7:1: error: no such word\nkernel.cl:8:1: error: too";
inline constexpr const char* kLogError = "kernel.cl:7:1: error: no such word";

/// Which calls fail, and how.
struct Fault {
  std::atomic<cl_int> error{CL_OUT_OF_RESOURCES};
  std::atomic<bool> is_lost{false};     ///< whether all later calls fail as well
  std::atomic<const char*> only{""};    ///< the function whose calls count, or all
  std::atomic<int> calls_before{-1};    ///< -1: no call fails
  std::atomic<const char*> failed{""};  ///< the name of the first one

  void arm(int calls, cl_int with, bool loses, const char* of = "") {
    error = with;
    is_lost = loses;
    only = of;
    failed = "";
    calls_before = calls;
  }
  void disarm() { calls_before = -1; }

  bool fails(const char* name) {
    int before = calls_before;
    do {
      if (before < 0 || (*only.load() != '\0' && std::strcmp(only, name) != 0)) return false;
    } while (!calls_before.compare_exchange_weak(before, before > 0 || !is_lost ? before - 1 : 0));
    if (before > 0) return false;
    if (*failed.load() == '\0') failed = name;
    return true;
  }
};
inline Fault fault;

inline const Library* real;

/// References to objects that were not released yet.
inline std::atomic<int> objects{0};

template <auto kMember>
inline constexpr const char* kName = "";
#define CANNY_NAME(function) \
  template <>                \
  inline constexpr const char* kName<&Library::function> = #function;
CANNY_OPENCL_FUNCTIONS(CANNY_NAME)
#undef CANNY_NAME

// The argument that gets the error of a call, if it is one.
template <class Argument>
void find_error(Argument, cl_int**) {}
inline void find_error(cl_int* argument, cl_int** error) { *error = argument; }

// The result of a call that fails. Objects are null, and the last argument gets the error.
template <class Result>
struct Failure {
  template <class... Arguments>
  static Result of(Arguments... arguments) {
    cl_int* error = nullptr;
    (find_error(arguments, &error), ...);
    *error = fault.error;
    return nullptr;
  }
};
template <>
struct Failure<cl_int> {
  template <class... Arguments>
  static cl_int of(Arguments...) {
    return fault.error;
  }
};

inline cl_int read_log(cl_program, cl_device_id, cl_program_build_info, std::size_t size, void* log,
                       std::size_t* needed) {
  if (needed != nullptr) *needed = std::strlen(kLog) + 1;
  if (log != nullptr) std::memcpy(log, kLog, std::min(size, std::strlen(kLog) + 1));
  return CL_SUCCESS;
}

template <auto kMember, class Function>
struct Wrapped;
/// What frees memory does not fail. A wait that fails has ended the work all the same.
template <auto kMember, class Result, class... Arguments>
struct Wrapped<kMember, Result (*)(Arguments...)> {
  static Result call(Arguments... arguments) {
    constexpr std::string_view name = kName<kMember>;
    constexpr bool is_release = name.substr(0, 9) == "clRelease";
    constexpr bool is_wait = name == "clFinish" || name == "clWaitForEvents";
    if constexpr (name == "clGetProgramBuildInfo") {
      if (fault.error == CL_BUILD_PROGRAM_FAILURE && fault.calls_before >= 0)
        return read_log(arguments...);
    }
    if (is_release || !fault.fails(name.data())) {
      constexpr bool is_new = name.substr(0, 8) == "clCreate" || name.substr(0, 8) == "clRetain" ||
                              name == "clEnqueueMarkerWithWaitList";
      const Result result = (real->*kMember)(arguments...);
      const bool has_failed = (result == Result{}) != std::is_same_v<Result, cl_int>;
      if (!has_failed) objects += int{is_new} - int{is_release};
      return result;
    }
    if (is_wait) (real->*kMember)(arguments...);
    return Failure<Result>::of(arguments...);
  }
};

#define CANNY_FAILING(function) \
  (failing::Wrapped<&failing::Library::function, decltype(failing::Library::function)>::call)

}  // namespace failing

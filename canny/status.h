// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// The outcomes of calls of libcudacanny. canny.h includes this header.
#pragma once

#include <string>
#include <utility>

#define CANNY_API __attribute__((visibility("default")))

namespace canny {

/// The outcome of a call.
enum class StatusCode {
  kOk,               ///< done
  kInvalidParams,    ///< a member of Params is out of range or not a number
  kInvalidOptions,   ///< a member of Options or another argument, such as a number of frames, is
                     ///< out of range or null
  kInvalidSize,      ///< a width or height is outside 1..kMaxSide
  kInvalidFrame,     ///< data is null, a stride is shorter than a row, the detector was not set up
                     ///< for the size or memory, or a plane of the output overlaps another one or
                     ///< the input, or interleaves with it at another stride; with kOverlay and
                     ///< kMasked, the formats or the chroma of input and output differ; the Region
                     ///< has both rectangles and a mask, or a mask that breaks these rules
  kNotConfigured,    ///< create() or set_size() is missing, or there are too many frames in flight,
                     ///< or none
  kOutOfMemory,      ///< not enough host or device memory
  kBackendNotBuilt,  ///< the library was built without CUDA, or without OpenCL
  kNoDriver,         ///< no NVIDIA driver, or no OpenCL driver, on this machine
  kDriverTooOld,     ///< the driver is older than the CUDA runtime in this library
  kNoDevice,         ///< the driver finds no CUDA device, or no OpenCL GPU
  kDeviceOutOfRange,  ///< Options::cuda_device or opencl_device names a device that does not exist
  kDeviceUnusable,    ///< the device exists but can't run this library (too old, or reserved)
  kDeviceFailure,     ///< the device failed, and a Detector on it can no longer be used; or the
                      ///< threads of the CPU backend failed or could not start
  kLibraryTooOld,     ///< the library is older than the headers of the program
};

/// A StatusCode. Unless it is kOk, a message of one line states the rule and the value that broke
/// it.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const noexcept { return code_ == StatusCode::kOk; }
  StatusCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }  ///< empty if ok()

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

}  // namespace canny

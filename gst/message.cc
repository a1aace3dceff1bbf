// SPDX-License-Identifier: LGPL-2.1-or-later
/// Posts errors with advice.
#include "message.h"

namespace {

/// The place of a fault, and advice to the user.
struct Advice {
  GQuark domain;
  gint code;
  const char* text;
};

/// Why CUDA can't be used.
const char* cuda_advice(canny::StatusCode code) {
  switch (code) {
    case canny::StatusCode::kBackendNotBuilt:
      return "This build of the plugin has no CUDA backend. Set backend=auto or backend=cpu, or "
             "install a build that has one.";
    case canny::StatusCode::kNoDriver:
      return "No NVIDIA driver was found. Install one, or set backend=auto or backend=cpu.";
    case canny::StatusCode::kDriverTooOld:
      return "The NVIDIA driver is older than the CUDA runtime of this plugin. Update the driver, "
             "or set backend=auto or backend=cpu.";
    case canny::StatusCode::kNoDevice:
      return "No CUDA device was found. Set backend=auto or backend=cpu.";
    case canny::StatusCode::kDeviceOutOfRange:
      return "No CUDA device has this id. Set cuda-device-id=-1 for the first usable device, or "
             "set backend=auto or backend=cpu.";
    default:  // kDeviceUnusable
      return "The CUDA device can't run this plugin. Set cuda-device-id to another device, or set "
             "backend=auto or backend=cpu.";
  }
}

/// Why OpenCL can't be used.
const char* opencl_advice(canny::StatusCode code) {
  switch (code) {
    case canny::StatusCode::kBackendNotBuilt:
      return "This build of the plugin has no OpenCL backend. Set backend=auto or backend=cpu, or "
             "install a build that has one.";
    case canny::StatusCode::kNoDriver:
      return "No OpenCL driver was found. Install ocl-icd-libopencl1 and the driver of the device, "
             "or set backend=auto or backend=cpu.";
    case canny::StatusCode::kNoDevice:
      return "No OpenCL GPU was found. Set opencl-device to another device, or set backend=auto or "
             "backend=cpu.";
    default:  // kDeviceOutOfRange, the last one that OpenCL has
      return "No OpenCL device has this number or name. Set opencl-device to one that clinfo -l "
             "lists, or set backend=auto or backend=cpu.";
  }
}

const char* failure_advice(canny::Backend backend) {
  switch (backend) {
    case canny::Backend::kCuda:
      return "The CUDA device failed. Restart the pipeline, or set backend=cpu.";
    case canny::Backend::kOpenCl:
      return "The OpenCL device failed. Restart the pipeline, or set backend=cpu.";
    default:  // a start with backend=auto fails only where the CPU does
      return "The detector's threads failed. Restart the pipeline.";
  }
}

Advice advice(canny::StatusCode code, canny::Backend backend) {
  switch (code) {
    case canny::StatusCode::kOutOfMemory:
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
              backend == canny::Backend::kCpu || backend == canny::Backend::kAuto
                  ? "Not enough memory. Reduce the video size."
                  : "Not enough memory. Reduce the video size, or set backend=cpu."};
    case canny::StatusCode::kDeviceFailure:
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED, failure_advice(backend)};
    case canny::StatusCode::kLibraryTooOld:
      return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_INIT,
              "libcudacanny is older than this plugin. Install both from the same release."};
    case canny::StatusCode::kInvalidFrame:
    case canny::StatusCode::kNotConfigured:
      return {GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
              "The detector refused a frame. Check the buffers of the neighboring elements."};
    default:  // no backend; the ranges of properties and caps rule out the codes not named here
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
              backend == canny::Backend::kOpenCl ? opencl_advice(code) : cuda_advice(code)};
  }
}

}  // namespace

void gst_cuda_canny_post_error(GstElement* element, const canny::Status& status,
                               canny::Backend backend, GstClockTime pts) {
  const Advice told = advice(status.code(), backend);
  const char* message = status.message().c_str();
  gchar* debug = GST_CLOCK_TIME_IS_VALID(pts) ? g_strdup_printf("frame at %" GST_TIME_FORMAT ": %s",
                                                                GST_TIME_ARGS(pts), message)
                                              : g_strdup(message);
  gst_element_message_full(element, GST_MESSAGE_ERROR, told.domain, told.code, g_strdup(told.text),
                           debug, __FILE__, GST_FUNCTION, __LINE__);
}

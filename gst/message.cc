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

Advice not_found(const char* text) {
  return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, text};
}

Advice cuda_advice(canny::StatusCode code) {
  switch (code) {
    case canny::StatusCode::kBackendNotBuilt:
      return not_found(
          "This build of the plugin has no CUDA backend. Set backend=auto or backend=cpu, or "
          "install a build that has one.");
    case canny::StatusCode::kNoDriver:
      return not_found(
          "No NVIDIA driver was found. Install one, or set backend=auto or backend=cpu.");
    case canny::StatusCode::kDriverTooOld:
      return not_found(
          "The NVIDIA driver is older than the CUDA runtime of this plugin. Update the driver, or "
          "set backend=auto or backend=cpu.");
    case canny::StatusCode::kNoDevice:
      return not_found("No CUDA device was found. Set backend=auto or backend=cpu.");
    case canny::StatusCode::kDeviceOutOfRange:
      return not_found(
          "No CUDA device has this id. Set cuda-device-id=-1 for the first usable device, or set "
          "backend=auto or backend=cpu.");
    default:
      return not_found(
          "The CUDA device can't run this plugin. Set cuda-device-id to another device, or set "
          "backend=auto or backend=cpu.");
  }
}

Advice opencl_advice(canny::StatusCode code) {
  switch (code) {
    case canny::StatusCode::kBackendNotBuilt:
      return not_found(
          "This build of the plugin has no OpenCL backend. Set backend=auto or backend=cpu, or "
          "install a build that has one.");
    case canny::StatusCode::kNoDriver:
      return not_found(
          "No OpenCL driver was found. Install ocl-icd-libopencl1 and the driver of the device, or "
          "set backend=auto or backend=cpu.");
    case canny::StatusCode::kNoDevice:
      return not_found(
          "No OpenCL GPU was found. Set opencl-device to another device, or set backend=auto or "
          "backend=cpu.");
    case canny::StatusCode::kDeviceOutOfRange:
      return not_found(
          "No OpenCL device has this number or name. Set opencl-device to one that clinfo -l "
          "lists, or set backend=auto or backend=cpu.");
    default:
      return {GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED,
              "The OpenCL device failed. Restart the pipeline, or set backend=cpu."};
  }
}

const char* failure_advice(canny::Backend backend) {
  switch (backend) {
    case canny::Backend::kCuda:
      return "The CUDA device failed. Restart the pipeline, or set backend=cpu.";
    case canny::Backend::kOpenCl:
      return opencl_advice(canny::StatusCode::kDeviceFailure).text;
    default:  // a start with backend=auto fails only where the CPU does
      return "The detector's threads failed. Restart the pipeline.";
  }
}

Advice advice(canny::StatusCode code, canny::Backend backend) {
  switch (code) {
    case canny::StatusCode::kInvalidParams:
    case canny::StatusCode::kInvalidOptions:
      return {GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
              "A property is out of range. Set it to a value within its range."};
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
    case canny::StatusCode::kOk:
    case canny::StatusCode::kInvalidSize:
    case canny::StatusCode::kInvalidFrame:
    case canny::StatusCode::kNotConfigured:
      return {GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
              "The detector refused a frame. Check the buffers of the neighboring elements."};
    default:
      return backend == canny::Backend::kOpenCl ? opencl_advice(code) : cuda_advice(code);
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

void gst_cuda_canny_post_broken_input(GstElement* element, const char* problem) {
  GST_ELEMENT_ERROR(
      element, STREAM, FORMAT,
      ("An input buffer does not match its caps. Check the element upstream of cudacanny."),
      ("%s", problem));
}

void gst_cuda_canny_post_broken_output(GstElement* element, const char* problem) {
  GST_ELEMENT_ERROR(element, RESOURCE, WRITE,
                    ("An output buffer does not match the caps. Check the element downstream of "
                     "cudacanny, which provided the buffer pool."),
                    ("%s", problem));
}

void gst_cuda_canny_post_foreign_input(GstElement* element, const char* problem) {
  GST_ELEMENT_ERROR(element, STREAM, FORMAT,
                    ("An input buffer is not in CUDA memory of the element's device. Set "
                     "cuda-device-id to -1, or check the element upstream of cudacanny."),
                    ("%s", problem));
}

void gst_cuda_canny_post_no_context(GstElement* element, gint device_id) {
  GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND,
                    ("No CUDA context was found for frames in CUDA memory. Set cuda-device-id to "
                     "the device of the neighboring elements, or put cudadownload before "
                     "cudacanny."),
                    ("no context of device %d", device_id));
}

void gst_cuda_canny_post_no_device(GstElement* element, const char* reason) {
  GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND,
                    ("Frames in CUDA memory need the CUDA device. Put cudadownload before "
                     "cudacanny."),
                    ("%s", reason));
}

void gst_cuda_canny_report_refused(GstElement* element, const char* property, const char* problem) {
  GstBus* bus = gst_element_get_bus(element);
  if (bus == nullptr) {
    g_warning("Property %s keeps its value: %s", property, problem);
    return;
  }
  gst_object_unref(bus);
  GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS,
                      ("Property %s keeps its value: %s", property, problem), (nullptr));
}

void gst_cuda_canny_post_swap(GstElement* element, double low, double high) {
  GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS,
                      ("low-threshold is above high-threshold, so the two are swapped. Set "
                       "high-threshold to the larger number."),
                      ("low-threshold is %g, high-threshold %g", low, high));
}

void gst_cuda_canny_post_full(GstElement* element) {
  static_assert(canny::kMaxContourPoints == 16777216);
  GST_ELEMENT_WARNING(element, LIBRARY, SETTINGS,
                      ("The contours of a frame are cut at 16777216 points. Raise the thresholds "
                       "or min-length."),
                      (nullptr));
}

void gst_cuda_canny_post_many(GstElement* element) {
  static_assert(canny::kMaxComponents == 65536);
  GST_ELEMENT_WARNING(
      element, LIBRARY, SETTINGS,
      ("A frame has more than 65536 components. Raise the thresholds or components."), (nullptr));
}

void gst_cuda_canny_post_fallback(GstElement* element, canny::Backend failed, const char* reason) {
  const char* text = failed == canny::Backend::kOpenCl
                         ? "The OpenCL device failed and the CPU took over. Restart the pipeline "
                           "to try the device again."
                         : "The CUDA device failed and the CPU took over. Restart the pipeline to "
                           "try the device again.";
  GST_ELEMENT_WARNING(element, RESOURCE, FAILED, ("%s", text), ("%s", reason));
}

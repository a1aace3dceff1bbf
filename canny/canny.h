// SPDX-License-Identifier: LGPL-2.1-or-later
/// Canny edge detection on the GPU (CUDA) or on the CPU: the public interface of libcudacanny.
///
/// The detector follows J. Canny, "A computational approach to edge detection" (PAMI 1986), in
/// integer arithmetic whose result is the same to the bit on every backend and equals OpenCV
/// 4.6's `cvtColor` + `GaussianBlur` + `Canny`. The passes of a bounded hysteresis are those of
/// Luo and Duraiswami, "Canny edge detection on NVIDIA CUDA" (CVPRW 2008), section 3.
/// docs/design.md defines the result.
///
///     canny::Detector detector;
///     canny::Status status = canny::Detector::create({}, &detector);
///     if (status.ok()) status = detector.set_size(width, height);
///     if (status.ok()) status = detector.detect(params, input, output, nullptr);
///
/// A frame takes its way to a CUDA device, through it and back while others are on theirs: submit()
/// and wait() are detect() for several frames in flight.
///
/// No function of this library throws, prints or terminates. Every failure is a Status, also where
/// memory runs out: then its message may be shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#define CANNY_API __attribute__((visibility("default")))

namespace canny {

inline constexpr int kMaxSide = 16384;            ///< largest width and height of a frame, pixels
inline constexpr double kMaxThreshold = 32767.0;  ///< largest threshold, gradient magnitude
inline constexpr double kMaxSigma = 20.0;         ///< largest Gaussian blur, pixels
inline constexpr unsigned kMaxHysteresisPasses = 64;
inline constexpr unsigned kMaxFramesInFlight = 8;

/// What became of a call.
enum class StatusCode {
  kOk,               ///< done
  kInvalidParams,    ///< a member of Params is outside its range, or not a number
  kInvalidOptions,   ///< a member of Options, or a number of frames, is outside its range
  kInvalidSize,      ///< a width or height outside 1..kMaxSide
  kInvalidFrame,     ///< null data, a stride shorter than a row, a size or memory that the detector
                     ///< was not set up for, or a plane of the output that overlaps another one or
                     ///< the input, or interleaves with it at another stride
  kNotConfigured,    ///< a Detector without create() or set_size(), or with too many frames in
                     ///< flight, or none
  kOutOfMemory,      ///< host or device memory does not suffice
  kBackendNotBuilt,  ///< the library was built without CUDA
  kNoDriver,         ///< no NVIDIA driver on this machine
  kDriverTooOld,     ///< the driver is older than the CUDA runtime in this library
  kNoDevice,         ///< a driver, but no CUDA device
  kDeviceOutOfRange,  ///< Options::cuda_device names a device that does not exist
  kDeviceUnusable,    ///< the device exists but can't run this library (too old, or reserved)
  kDeviceFailure,     ///< the device failed at work, and a Detector on CUDA can't be used any more;
                      ///< or the CPU backend's threads did, or could not start
};

/// A StatusCode and, unless it is kOk, one line that states the rule and the value that broke it.
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

/// How a gradient (gx, gy) is measured.
enum class Norm {
  kL1,  ///< |gx| + |gy|
  kL2,  ///< sqrt(gx^2 + gy^2), compared as its square
};

/// What a frame's edge map depends on. May differ from frame to frame.
struct Params {
  double low_threshold = 50.0;    ///< gradient magnitude a candidate exceeds (0..kMaxThreshold)
  double high_threshold = 150.0;  ///< gradient magnitude a strong pixel exceeds (0..kMaxThreshold);
                                  ///< the two are swapped if low is above high
  double sigma = 1.4;             ///< Gaussian blur in pixels (0..kMaxSigma, 0 = none)
  unsigned hysteresis_passes = 0;  ///< passes over 32x32 tiles (0..64, 0 = until stable)
  Norm norm = Norm::kL2;
};

/// The order of a pixel's bytes in memory. X is a byte that is ignored on input and 255 on output
/// (an opaque alpha). Chroma is ignored on input and 128 on output. Components of 5 and 6 bits are
/// widened to 8 by repeating their highest bits. The luma plane of a planar or semi-planar YUV
/// format is a gray frame.
enum class PixelFormat {
  kGray8,
  kRgb,
  kBgr,
  kRgbx,
  kBgrx,
  kXrgb,
  kXbgr,
  kYuy2,       ///< luma, and a byte of chroma; YVYU has the same
  kUyvy,       ///< the same two in the other order; VYUY has the same
  kAyuv,       ///< X, luma, two bytes of chroma
  kVuya,       ///< two bytes of chroma, luma, X
  kRgb16,      ///< 16 bits, little-endian: from the highest on, 5 of red, 6 of green, 5 of blue
  kBgr16,      ///< 5 of blue, 6 of green, 5 of red
  kRgb15,      ///< one that is ignored on input and 0 on output, 5 of red, 5 of green, 5 of blue
  kBgr15,      ///< the same one, 5 of blue, 5 of green, 5 of red
  kRgbPlanes,  ///< a byte of each color, in three planes
  kGray10Le,   ///< 10 bits in the low bits of 16, little-endian; their 8 highest count; input only
  kGray16Le,   ///< 16 bits, likewise; input only
  kGray16Be,   ///< 16 bits, big-endian, likewise; input only
};

/// Where a frame's bytes are.
enum class Memory {
  kHost,    ///< memory of the process
  kDevice,  ///< memory of the CUDA device that the Detector runs on; unless the frame names a
            ///< cuda_stream, the device must have finished all other work on it when submit() or
            ///< detect() is called
};

/// The rows of a plane besides the first one. As BasicFrame's.
template <class Byte>
struct BasicPlane {
  Byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};

/// A view of a frame's pixels, which it does not own. `data` is the first byte of the top row;
/// row y starts at data + y * stride_bytes, and a negative stride is a frame stored bottom-up.
/// Only the width * bytes-per-pixel bytes of each row are read or written, whatever the stride
/// and the alignment. A frame in planes has red there, and may have a stride for each plane.
template <class Byte>
struct BasicFrame {
  Byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;  ///< in absolute value at least a row's bytes, at most 2^31 - 1
  int width = 0;                    ///< pixels
  int height = 0;                   ///< pixels
  PixelFormat format = PixelFormat::kGray8;
  Memory memory = Memory::kHost;

  /// A CUstream of the detector's context, or null; for frames in device memory alone. The device
  /// begins to work on the frame after all that was queued in this stream before the call, and what
  /// is queued there after submit() of an output comes after that work: the caller can go on with
  /// the output before wait(). An input belongs to the detector until wait() has returned.
  void* cuda_stream = nullptr;

  BasicPlane<Byte> green = {}, blue = {};  ///< of kRgbPlanes
};
using ConstFrame = BasicFrame<const std::uint8_t>;
using Frame = BasicFrame<std::uint8_t>;

enum class Backend {
  kAuto,  ///< CUDA where a usable device is found, else the CPU; and the CPU from the frame on in
          ///< which the device fails or its memory does not suffice
  kCuda,
  kCpu,
};

/// What a Detector is created with.
struct Options {
  Backend backend = Backend::kAuto;
  int cuda_device = -1;          ///< CUDA device id, -1 = the first usable one
  unsigned threads = 0;          ///< threads of the CPU backend (0..1024, 0 = one for each core;
                                 ///< more than cores count as cores)
  void* cuda_context = nullptr;  ///< the CUcontext to run in, on its device instead of
                                 ///< cuda_device, which must exist as long as the detector;
                                 ///< null = the primary context of cuda_device
};

/// What a Detector runs on.
struct Info {
  Backend backend = Backend::kAuto;  ///< kCuda or kCpu; kAuto before create()
  std::string device;                ///< the device's name
  std::string reason;                ///< why this backend, in one line
  int cuda_device = -1;              ///< CUDA device id, -1 on the CPU
  unsigned threads = 0;              ///< threads a frame uses at most, 0 with CUDA
};

/// What is known of a frame besides its pixels.
struct Result {
  std::uint64_t edge_pixels = 0;  ///< pixels of the output that are edges
};

/// Detects edges in frames of one size. Any number of Detectors work side by side. Of one, submit()
/// and fill() may be called by one thread, and wait() or drop() by another at the same time; all
/// else is for one thread at a time. The destructor waits for the device.
class CANNY_API Detector {
 public:
  Detector() noexcept;
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  /// Chooses and starts the backend of `options`, and puts the new detector in `*detector`.
  /// @retval kInvalidOptions, kOutOfMemory, kDeviceFailure
  /// @retval kBackendNotBuilt, kNoDriver, kDriverTooOld, kNoDevice, kDeviceOutOfRange,
  ///         kDeviceUnusable  with Backend::kCuda only
  static Status create(const Options& options, Detector* detector) noexcept;

  /// Allocates what frames of this size need, with any Params, `frames_in_flight` (1..
  /// kMaxFramesInFlight) at a time; but what copies of frames in host memory need on a CUDA device,
  /// with the first of them. No frame may be in flight. After a failure the detector has no size.
  /// @retval kInvalidSize, kInvalidOptions, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status set_size(int width, int height, unsigned frames_in_flight = 1) noexcept;

  /// Writes the edge map of `input` to `output`: all bits of an edge pixel's colors or luma are 1,
  /// those of other pixels 0; the rest is as PixelFormat says, whether edge or not. Both have the
  /// detector's size; each may have any format. Returns when `output` is complete: submit() and
  /// wait() in one, with no other frame in flight. `result` may be null. After a failure the
  /// contents of `output` are undefined.
  /// @retval kInvalidParams, kInvalidFrame, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status detect(const Params& params, const ConstFrame& input, const Frame& output,
                Result* result) noexcept;

  /// Puts a frame in flight, as of detect(), and returns: a CUDA device works on it from now on,
  /// the CPU backend when wait() is called. Its memory must stay as it is until wait() has returned
  /// it. After a failure the frame is not in flight.
  /// @retval kInvalidParams, kInvalidFrame, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status submit(const Params& params, const ConstFrame& input, const Frame& output) noexcept;

  /// Returns when the frame that has been in flight the longest is complete, or has failed; it is
  /// in flight no longer. With Backend::kAuto, frames in host memory that the device fails to
  /// complete are completed by the CPU, as are all after them; info() says so then. `result` may be
  /// null.
  /// @retval kNotConfigured, kInvalidFrame, kOutOfMemory, kDeviceFailure
  Status wait(Result* result) noexcept;

  /// As wait(), for a frame that nobody wants any more: its output is undefined, and may never have
  /// been begun.
  void drop() noexcept;

  /// Sets all bytes of the rows of `frame`, of any size, to `value`; those in device memory in the
  /// order of its cuda_stream or, without one, before the next frame of submit() is complete.
  /// @retval kNotConfigured, kInvalidFrame, kDeviceFailure
  Status fill(const Frame& frame, std::uint8_t value) noexcept;

  /// Changes in set_size() and wait() only.
  const Info& info() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Page-locked host memory: a CUDA device copies frames from and to it at the speed of the bus,
/// without a detour through the driver's own buffers. Ordinary memory in every other respect.
class CANNY_API HostMemory {
 public:
  HostMemory() noexcept = default;
  ~HostMemory();
  HostMemory(HostMemory&& other) noexcept;
  HostMemory& operator=(HostMemory&& other) noexcept;

  /// Allocates `bytes` (at least 1) bytes for CUDA device `cuda_device` (-1 = the first usable
  /// one) into `*memory`, replacing what it held.
  /// @retval kInvalidOptions, kOutOfMemory, kBackendNotBuilt, kNoDriver, kDriverTooOld,
  ///         kNoDevice, kDeviceOutOfRange, kDeviceUnusable, kDeviceFailure
  static Status allocate(std::size_t bytes, int cuda_device, HostMemory* memory) noexcept;

  std::uint8_t* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  int cuda_device_ = -1;
};

/// Bytes from one pixel of `format` to the next, in each plane: 1 to 4, and 0 if it is no
/// PixelFormat.
CANNY_API int bytes_per_pixel(PixelFormat format) noexcept;

/// Planes of a frame of `format`: 1 or 3, and 0 if it is no PixelFormat.
CANNY_API int planes(PixelFormat format) noexcept;

/// "cuda", "cpu" or "auto".
CANNY_API const char* name(Backend backend) noexcept;

}  // namespace canny

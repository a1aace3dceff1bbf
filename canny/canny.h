// SPDX-License-Identifier: LGPL-2.1-or-later
/// \file
/// Canny edge detection on a GPU (CUDA or OpenCL) or on the CPU: the public interface of
/// libcudacanny.
///
/// The detector follows J. Canny, "A computational approach to edge detection" (PAMI 1986), in
/// integer arithmetic. Every backend gives the same result to the bit, which equals OpenCV 4.6's
/// `cvtColor` + `GaussianBlur` + `Canny`. The bounded hysteresis follows Luo and Duraiswami,
/// "Canny edge detection on NVIDIA CUDA" (CVPRW 2008), section 3. docs/reference/edge-map.md
/// defines the result.
///
///     canny::Detector detector;
///     canny::Status status = canny::Detector::create({}, &detector);
///     if (status.ok()) status = detector.set_size(width, height);
///     if (status.ok()) status = detector.detect(params, input, output, nullptr);
///
/// detect() processes one frame at a time. With submit() and wait() several frames are in flight: a
/// device copies some of them while it computes others.
///
/// No function of this library throws, prints or terminates. Every failure is a Status. When memory
/// runs out, the message of the Status may be shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "frame_memory.h"
#include "pixel_format.h"
#include "status.h"

namespace canny {

/// The version of these headers: 10000 * major + 100 * minor + micro.
inline constexpr unsigned kVersion = 100;

inline constexpr int kMaxSide = 16384;              ///< largest width and height of a frame, pixels
inline constexpr double kMaxThreshold = 1000000.0;  ///< largest threshold, gradient magnitude
inline constexpr double kMaxSigma = 20.0;           ///< largest Gaussian blur, pixels
inline constexpr double kMaxHighRatio = 16.0;       ///< largest Params::high_ratio
inline constexpr double kMaxLowRatio = 1.0;         ///< largest Params::low_ratio
inline constexpr unsigned kMaxHysteresisPasses = 64;
inline constexpr unsigned kMaxMinLength = 65535;  ///< largest Params::min_length, pixels
inline constexpr unsigned kMaxFramesInFlight = 8;
inline constexpr unsigned kMaxPictures = 65535;          ///< most pictures of a batch
inline constexpr unsigned kMaxThreads = 1024;            ///< largest Options::threads
inline constexpr unsigned kMaxContourPoints = 1u << 24;  ///< most points of a Contours
inline constexpr unsigned kMaxComponents = 1u << 16;     ///< most components of a Components
inline constexpr int kMaxChromaShift = 2;  ///< largest BasicChroma::shift_x and shift_y

/// The magnitude of a gradient (gx, gy).
enum class Norm {
  kL1,  ///< |gx| + |gy|
  kL2,  ///< sqrt(gx^2 + gy^2), compared as its square
};

/// The operator that computes the gradient. Weights follow the brightness across an edge
/// (difference) and smooth along it; the border is replicated.
enum class Operator {
  kSobel,     ///< 3x3 pixels: smoothing 1 2 1, difference -1 0 1
  kSobel5,    ///< 5x5: 1 4 6 4 1, -1 -2 0 2 1; OpenCV's aperture 5
  kSobel7,    ///< 7x7: 1 6 15 20 15 6 1, -1 -4 -5 0 5 4 1, the sums divided by 16 and rounded,
              ///< halves to even; thresholds of kAbsolute are divided by 16 as well; OpenCV's
              ///< aperture 7
  kScharr,    ///< 3x3: 3 10 3, -1 0 1
  kPrewitt,   ///< 3x3: 1 1 1, -1 0 1
  kKroon,     ///< 3x3: 17 61 17, -1 0 1
  kRoberts,   ///< 2x2: the differences along both diagonals
  kRobinson,  ///< 3x3 compass: the largest response of Sobel's gx turned into eight directions
  kKirsch,    ///< 3x3 compass, likewise: -3 -3 5 in the outer rows, -3 0 5 in the middle one
};

/// The image or images that a gradient is computed of.
enum class ColorMode {
  kLuma,
  kLargestChannel,  ///< red, green and blue are blurred and differentiated each by itself; a
                    ///< pixel's gradient is the one of the largest magnitude. Among equals it is
                    ///< the first in memory where colors have bytes of their own in a plane, else
                    ///< the first of red, green and blue. Input without these colors counts as
                    ///< luma.
};

/// The bits of samples that count, in formats of more than 8 bits. Thresholds keep their unit: a
/// step of one in the highest 8 bits. A float x counts as 65535 x, or with k8 as 255 x, rounded.
enum class LumaDepth {
  kFull,  ///< all: samples count as numbers of 16 bits, those of 10 and 12 bits shifted up
  k8,     ///< the highest 8
};

/// The source of the thresholds. Apart from kAbsolute, they follow from the pixels of each frame:
/// high = high_ratio * x, low = low_ratio * high. Magnitudes count as lengths there: with kL2
/// rounded down to an integer.
enum class ThresholdMode {
  kAbsolute,  ///< low_threshold and high_threshold
  kRelative,  ///< x is the largest magnitude of the frame
  kQuantile,  ///< high is the smallest magnitude that more than a share high_ratio of the pixels
              ///< does not exceed, in steps of a histogram of 2048 bins
  kOtsu,      ///< x is Otsu's threshold of the magnitudes that non-maximum suppression keeps, or
              ///< would keep, in steps of a histogram of 2048 bins
  kMedian,    ///< x is the median of the luma before the blur
};

/// The contents of the output. kOverlay and kMasked need input and output of one PixelFormat that
/// is not deep. The views from kGradient on show a number of 0..255 at each pixel: as luma, or in
/// formats of red, green and blue in each color. kDirection and kPasses have colors there. In
/// kGray16Le the number is multiplied by 257, in floats divided by 255. Magnitudes count as
/// lengths: with kL2 rounded down to an integer.
enum class View {
  kEdges,       ///< the edge map
  kOverlay,     ///< the input, with Params::edge_color on edges
  kMasked,      ///< the input on edges, black elsewhere: 0; with chroma, luma 16 and chroma 128
  kGradient,    ///< the magnitude over the operator's gain, at most 255: a step's height
  kSuppressed,  ///< likewise where non-maximum suppression keeps the pixel, or would keep it; else
                ///< 0
  kDirection,   ///< of the gradient: 64 (red) horizontal, 128 (green) falling to the right, 192
                ///< (blue) vertical, 255 (yellow) rising to the right, 0 where the magnitude is 0
  kClasses,     ///< 255 strong pixels, 128 other candidates, 0 other pixels
  kPasses,      ///< the hysteresis pass over 32x32 tiles that finds the edge; until stable counts
                ///< as 64 passes. 255 (white) strong pixels; 255 - 16 k, at least 32, pass k, or a
                ///< color for each of passes 1 to 15 and one for all later passes; 0 other pixels
  kLuma,        ///< the luma, whatever the ColorMode
  kBlurred,     ///< the luma after the blur, whatever the ColorMode
};

/// Whether a view is made of the input's pixels and edges.
constexpr bool shows_input(View view) noexcept {
  return view == View::kOverlay || view == View::kMasked;
}

/// Whether a view shows edges, and Result counts them.
constexpr bool shows_edges(View view) noexcept { return view == View::kEdges || shows_input(view); }

/// Whether a view depends on thresholds. For others none is measured, and Result states 0 instead.
constexpr bool needs_thresholds(View view) noexcept {
  return shows_edges(view) || view == View::kClasses || view == View::kPasses;
}

/// The parameters of an edge map. They may differ from frame to frame.
struct Params {
  double low_threshold = 50.0;     ///< candidates exceed this magnitude (0..kMaxThreshold)
  double high_threshold = 150.0;   ///< strong pixels exceed this magnitude (0..kMaxThreshold);
                                   ///< the two are swapped if low is above high. With kL2, those
                                   ///< above 32767 (kSobel7: 524272) count as that number.
  double sigma = 1.4;              ///< Gaussian blur in pixels (0..kMaxSigma, 0 = none)
  unsigned hysteresis_passes = 0;  ///< passes over 32x32 tiles (0..64, 0 = until stable)
  Norm norm = Norm::kL2;           ///< without effect on kRobinson and kKirsch
  Operator gradient_operator = Operator::kSobel;
  bool thin_edges = true;  ///< false skips non-maximum suppression, which thins edges: every pixel
                           ///< above the thresholds can become an edge
  ColorMode color_mode = ColorMode::kLuma;
  LumaDepth luma_depth = LumaDepth::kFull;  ///< for input of more than 8 bits
  ThresholdMode threshold_mode = ThresholdMode::kAbsolute;
  double high_ratio = 0.0;  ///< (0..kMaxHighRatio, 0 = the mode's usual_ratios())
  double low_ratio = 0.0;   ///< (0..kMaxLowRatio, likewise)
  unsigned min_length = 0;  ///< edges of fewer connected pixels are removed (0..kMaxMinLength)
  View view = View::kEdges;
  std::uint32_t edge_color =
      0xffff0000;  ///< for kOverlay: alpha in the highest byte, then the output format's red, green
                   ///< and blue, or Y, U and V; Y alone for kGray8 without chroma. On edges, a
                   ///< component c over a sample p gives (alpha c + (255 - alpha) p + 127) / 255,
                   ///< rounded down; 5 and 6 bits are widened first and lose their low bits again.
  bool measure_stages = false;  ///< measures Result::times and counts what Result says. This takes
                                ///< time, and stages run one after the other, but no pixel changes.
};

/// The ratios that stand for 0 in Params::high_ratio and low_ratio; kAbsolute has none.
struct Ratios {
  double high, low;
};
constexpr Ratios usual_ratios(ThresholdMode mode) noexcept {
  switch (mode) {
    case ThresholdMode::kAbsolute:
      break;
    case ThresholdMode::kRelative:
      return {0.2, 0.25};
    case ThresholdMode::kQuantile:
      return {0.7, 0.4};
    case ThresholdMode::kOtsu:
      return {1.0, 0.5};
    case ThresholdMode::kMedian:
      return {1.33, 0.5};
  }
  return {0, 0};
}

/// The location of a frame's bytes.
enum class Memory {
  kHost,    ///< memory of the process
  kDevice,  ///< memory of the device that the Detector runs on: on CUDA, addresses in the memory of
            ///< the CUDA device; the other backends have none. Unless the frame names a queue of
            ///< work (cuda_stream), the device must have finished all other work on this memory
            ///< when submit() or detect() is called.
};

/// The rows of a plane after the first, with `data` and `stride_bytes` as in BasicFrame.
template <class Byte>
struct BasicPlane {
  Byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;
};

/// The chroma of a gray frame that is the luma of a planar or semi-planar YUV picture.
/// View::kOverlay and kMasked read that of the input and write that of the output. Other views
/// ignore that of the input and set that of the output to 128, which has no color.
template <class Byte>
struct BasicChroma {
  BasicPlane<Byte> u, v;         ///< null data in `u` = no chroma
  int step_bytes = 1;            ///< from one sample to the next; 2 = U and V in alternating bytes,
                                 ///< so that u and v are one byte apart at the same stride
  int shift_x = 0, shift_y = 0;  ///< log2 of the pixels that share a sample (0..kMaxChromaShift);
                                 ///< at the right and lower border fewer pixels may share one
};

/// A rectangle of pixels; columns count to the right, rows downwards. Any numbers are valid: only
/// pixels of the frame count. A width or height below 1 means no pixels.
struct Rectangle {
  int x = 0;  ///< left column
  int y = 0;  ///< top row
  int width = 0;
  int height = 0;
};

/// The pixels of a frame that may be edges: those in any of the rectangles, or those of a mask.
/// Blur, gradient and non-maximum suppression take the whole frame into account; then the
/// candidates outside the region are dropped, before hysteresis. The ThresholdModes that measure
/// take the pixels of the region alone. Without any pixel there are no edges: the largest magnitude
/// and the median are 0, the quantile is in the last bin, and kOtsu finds no threshold, as for a
/// flat picture. Views that do not depend on thresholds show the whole frame.
struct Region {
  const Rectangle* rectangles = nullptr;  ///< they may overlap and exceed the frame
  std::size_t rectangle_count = 0;        ///< 0 without a mask = no pixels
  BasicPlane<const std::uint8_t> mask;    ///< instead of rectangles: a byte for each pixel of the
                                          ///< frame, 0 = outside; null data = no mask
  Memory mask_memory = Memory::kHost;     ///< kDevice: the device reads the mask after the work in
                                          ///< the input's cuda_stream
};

/// Bytes of an output beside its pixels that get one value: an alpha plane, or what follows the
/// last pixel of each row.
struct Fill {
  BasicPlane<std::uint8_t> rows;
  int row_bytes = 0;  ///< of a row, at least 1
  int height = 0;     ///< rows, at least 1
  std::uint8_t value = 0;
};

class Components;  // components.h
class Contours;    // contours.h

/// The number of pictures that a frame stands for, and where they are: a batch of more than one
/// picture. BasicFrame describes the first one; the others have the same size, format and strides,
/// and their planes and fills are as far from their first bytes as those of the first picture.
template <class Byte>
struct BasicBatch {
  unsigned count = 1;               ///< pictures (1..kMaxPictures)
  std::ptrdiff_t stride_bytes = 0;  ///< from the first byte of a picture to that of the next one;
                                    ///< times `count`, within the range of its type
  Byte* const* data = nullptr;  ///< instead of a stride: the first bytes of all `count` pictures,
                                ///< in host memory; data[0] is BasicFrame::data
};

/// Describes a frame's pixels, which it does not own. `data` is the first byte of the top row. Row
/// y starts at data + y * stride_bytes; a negative stride means a frame stored bottom-up. Only the
/// row_bytes() bytes of each row are read or written, whatever the stride and the alignment. For
/// formats of three planes, `data` and `stride_bytes` describe the red plane; each plane may have
/// its own stride.
template <class Byte>
struct BasicFrame {
  Byte* data = nullptr;
  std::ptrdiff_t stride_bytes = 0;  ///< absolute value: at least a row's bytes, at most 2^31 - 1
  int width = 0;                    ///< pixels
  int height = 0;                   ///< pixels
  PixelFormat format = PixelFormat::kGray8;
  Memory memory = Memory::kHost;

  /// For inputs, and for outputs in device memory: a queue of work on the device, or null; on CUDA
  /// a CUstream of the detector's context, and 1 for its default stream. The device starts on the
  /// frame after all work that was queued there before the call. Work that the caller adds to the
  /// queue of an output after submit() starts when the output is complete, so the caller can use
  /// the output before wait(); of a batch in parts (set_size()), when the first part is. An input
  /// belongs to the detector until wait() has returned. No stream may be capturing a graph.
  void* cuda_stream = nullptr;

  BasicPlane<Byte> green = {}, blue = {};  ///< for formats of three planes
  BasicChroma<Byte> chroma = {};           ///< for kGray8

  /// For inputs: where edges may lie, null = in the whole frame; of a batch, a Region for each
  /// picture. Like the memory of the frame, these, their rectangles and their masks must stay until
  /// wait() has returned.
  const Region* region = nullptr;

  /// For outputs: other bytes in the frame's memory, which are complete when the pixels are. Like
  /// Region, they must stay until wait() has returned.
  const Fill* fills = nullptr;
  std::size_t fill_count = 0;

  /// For outputs: gets the chains of the edges that Result::edge_pixels counts, when wait()
  /// returns, or none after a failure; null = not wanted; of a batch, a Contours for each picture.
  /// Must stay, for this frame alone, until then.
  Contours* contours = nullptr;

  /// Likewise, the components of these edges. Of a batch, set_min_pixels() of the first Components
  /// counts for all pictures.
  Components* components = nullptr;

  /// More pictures than one, of both frames equally many: a batch. An array of addresses must stay
  /// until wait() has returned.
  BasicBatch<Byte> batch = {};
};
using ConstFrame = BasicFrame<const std::uint8_t>;
using Frame = BasicFrame<std::uint8_t>;

/// The kind of device that computes edge maps.
enum class Backend {
  kAuto,  ///< a CUDA device if a usable one is found, else an OpenCL GPU, else the CPU. If the
          ///< device fails or runs out of memory, the CPU takes over from that frame on.
  kCuda,  ///< a CUDA device
  kCpu,
  kOpenCl,  ///< an OpenCL device; for frames in host memory
};

/// Options for creating a Detector.
struct Options {
  Backend backend = Backend::kAuto;
  int cuda_device = -1;  ///< id of the CUDA device, -1 = the first usable one
  unsigned threads = 0;  ///< threads of the CPU backend, and those that trace contours or find
                         ///< components where no CUDA device does, or offsets (0..1024, 0 = one
                         ///< for each core); the number of cores limits them
  void* cuda_context = nullptr;    ///< CUcontext to run in, on its device instead of cuda_device;
                                   ///< must outlive the detector; null = the primary context of
                                   ///< cuda_device
  std::string opencl_device = "";  ///< the OpenCL device, for any Backend that may use one: its
                                   ///< number in the order of `clinfo -l`, from 0 on, of all
                                   ///< platforms' devices with OpenCL 1.2 and a compiler; or a part
                                   ///< of its name, in upper or lower case; empty = the first GPU
};

/// The backend and device of a Detector.
struct Info {
  Backend backend = Backend::kAuto;  ///< kCuda, kOpenCl or kCpu; kAuto before create()
  std::string device;                ///< name of the device
  std::string reason;                ///< reason for choosing this backend, in one line
  int cuda_device = -1;              ///< CUDA device id, -1 on other devices
  unsigned threads = 0;              ///< most threads that a frame uses, 0 on a device
  /// An OpenCL device that shares the host's memory reads and writes frames where they are
  /// (zero-copy) if they begin at a multiple of this many bytes, their size is a multiple of 64
  /// bytes and, for outputs, no byte lies between their rows and planes; other frames are copied.
  /// 0: no frame is shared.
  std::size_t zero_copy_alignment = 0;
};

/// Nanoseconds that the stages of a frame took. A stage that ran took at least 1; others have 0.
/// On CUDA and OpenCL, each is the time between two events on the device, which other frames in
/// flight make longer. On the CPU, each is the time until all threads were done.
struct StageTimes {
  std::uint64_t upload = 0;      ///< copies to the device, including those to page-locked memory;
                                 ///< 0 for input in device memory and on the CPU
  std::uint64_t front = 0;       ///< luma, blur, measured thresholds, gradient, suppression; with a
                                 ///< View that needs no thresholds, also writing the output
  std::uint64_t hysteresis = 0;  ///< including Params::min_length; with View::kPasses, also writing
                                 ///< the output
  std::uint64_t output = 0;      ///< writing the output in all other cases
  std::uint64_t download = 0;    ///< copies from the device, including those from page-locked
                                 ///< memory; 0 for output in device memory and on the CPU
};

/// Statistics of a frame.
struct Result {
  std::uint64_t edge_pixels = 0;  ///< number of edge pixels in the output, 0 unless its View
                                  ///< shows_edges()
  double low_threshold = 0.0;     ///< the smaller threshold that was used: with kAbsolute that of
                                  ///< Params, else a length, with kSobel7 after the division, or
                                  ///< 0 unless the View needs_thresholds()
  double high_threshold = 0.0;    ///< the larger one
  std::uint64_t uploaded_bytes = 0;    ///< bytes of pixels copied to the device: 0 for input in
                                       ///< device memory or shared (Info::zero_copy_alignment)
                                       ///< and on the CPU
  std::uint64_t downloaded_bytes = 0;  ///< likewise from the device
  const char* route = "";  ///< the device's kernels before hysteresis, for logs: "strip",
                           ///< "luma+strip"; "cpu" on the CPU. Valid until the process ends

  // With Params::measure_stages, else 0:
  StageTimes times;
  std::uint64_t strong_pixels = 0;     ///< 0 with a View that needs no thresholds
  std::uint64_t candidate_pixels = 0;  ///< strong ones included; likewise
  std::uint64_t components = 0;        ///< 8-connected components of the edges that edge_pixels
                                       ///< counts
};

/// Detects edges in frames of one size. Any number of Detectors work side by side. On one Detector,
/// a thread may call submit() while another one calls wait() or drop(); all other functions take
/// one thread at a time. The destructor waits for the device.
class CANNY_API Detector {
 public:
  Detector() noexcept;
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  /// Chooses and starts a backend according to `options` and stores the new detector in
  /// `*detector`. OpenCL drivers may replace the actions of signals while they are loaded; the call
  /// restores them, so no other thread should set one meanwhile. `version` is that of the caller's
  /// headers: later releases add members to Info, which an older library does not have.
  /// @retval kLibraryTooOld, kInvalidOptions, kOutOfMemory, kDeviceFailure
  /// @retval kBackendNotBuilt, kNoDriver, kDriverTooOld, kNoDevice, kDeviceOutOfRange,
  ///         kDeviceUnusable  with Backend::kCuda and kOpenCl only
  static Status create(const Options& options, Detector* detector,
                       unsigned version = kVersion) noexcept;

  /// Allocates memory for frames of this size with any Params, `frames_in_flight` (1..
  /// kMaxFramesInFlight) at a time, each of up to `pictures` (1..kMaxPictures) pictures. The first
  /// frames that need more allocate it, and it stays until the next call: buffers for copies
  /// between host and device, and memory for a large sigma, operators other than kSobel,
  /// color_mode, luma_depth, threshold_mode, min_length, measure_stages, regions, components and
  /// offsets of contours, and on OpenCL all but bits. A CUDA device needs 1 byte a pixel for each
  /// picture of each frame in flight, and 1 MiB, besides. A device computes a batch of more
  /// pictures in parts, of which wait() begins all but the first: those of so many pictures on
  /// CUDA, of up to 4 of them on OpenCL. No frame may be in flight. After a failure the detector
  /// has no size.
  /// @retval kInvalidSize, kInvalidOptions, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status set_size(int width, int height, unsigned frames_in_flight = 1,
                  unsigned pictures = 1) noexcept;

  /// Writes the edge map of `input`, or another View, to `output` and returns when it is complete:
  /// submit() and wait() in one call, with no other frame in flight. In an edge map, all color or
  /// luma bits of an edge pixel are 1, those of any other pixel are 0; floats are 1 and 0.
  /// PixelFormat defines the other bits, which are the same for both. The frames have the
  /// detector's size, and each may have any format. `result` may be null; for a batch, it has as
  /// many elements as pictures, each with what its picture alone would give, except that times on
  /// CUDA are those of all pictures of a part of the batch. After a failure the contents of
  /// `output` are undefined.
  /// @retval kInvalidParams, kInvalidFrame, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status detect(const Params& params, const ConstFrame& input, const Frame& output,
                Result* result) noexcept;

  /// Puts a frame in flight, with arguments as in detect(), and returns. A device starts on it
  /// at once; the CPU backend computes it in wait(). On OpenCL, the call waits for the device where
  /// a view other than that of the last frame is shown, or the device has no double precision to
  /// measure thresholds with; and for kernels that no earlier frame needed: drivers compile them as
  /// in create(). The memory of the frame must stay as it is until wait() has returned. After a
  /// failure the frame is not in flight.
  /// @retval kInvalidParams, kInvalidFrame, kNotConfigured, kOutOfMemory, kDeviceFailure
  Status submit(const Params& params, const ConstFrame& input, const Frame& output) noexcept;

  /// Waits until the oldest frame in flight is complete or has failed, and takes it out of flight.
  /// For an output in device memory it looks for the result for about a millisecond before it
  /// blocks. Between looks it yields its core, or sleeps if enough other threads of the process
  /// poll. With Backend::kAuto, the CPU completes a frame in host memory that the device fails to
  /// complete, and all frames after it; info() then describes the CPU. `result` is as in detect().
  /// @retval kNotConfigured, kInvalidFrame, kOutOfMemory, kDeviceFailure
  Status wait(Result* result) noexcept;

  /// Like wait(), but gives up on the frame: the contents of its output are undefined, and the
  /// backend may never have started on it.
  void drop() noexcept;

  /// The backend and device in use. Only set_size() and wait() change them.
  const Info& info() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Bytes of a row of `width` pixels in each plane of `format`, or 0 if `format` is not a
/// PixelFormat, `width` is below 1 or the bytes are more than 2^31 - 1.
CANNY_API int row_bytes(PixelFormat format, int width) noexcept;

/// Bytes from one pixel to the next in each plane of `format`: 1 to 12, or 0 for kV210, whose
/// pixels share words, and if `format` is not a PixelFormat.
CANNY_API int bytes_per_pixel(PixelFormat format) noexcept;

/// Number of planes of `format`: 1 or 3, or 0 if `format` is not a PixelFormat.
CANNY_API int planes(PixelFormat format) noexcept;

/// The name of an enumerator, as in the element's properties: "sobel-5", "largest-channel", "cuda".
/// Null if `value` is not an enumerator; those of each type count from 0 without gaps.
CANNY_API const char* name(Norm value) noexcept;
CANNY_API const char* name(Operator value) noexcept;
CANNY_API const char* name(ColorMode value) noexcept;
CANNY_API const char* name(LumaDepth value) noexcept;
CANNY_API const char* name(ThresholdMode value) noexcept;
CANNY_API const char* name(View value) noexcept;
CANNY_API const char* name(Backend value) noexcept;

}  // namespace canny

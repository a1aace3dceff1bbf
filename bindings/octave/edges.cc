// SPDX-License-Identifier: LGPL-2.1-or-later
// The MEX functions CudaEdgeGray and CudaEdgeRGB: find edges in pictures in Octave's column-major
// order, with one detector for many calls.
//
// A column-major picture is the row-major picture of its transpose, without a copy. The edges of
// the transpose are the transposed edges, to the bit, if is_symmetric(); docs/guide/octave.md
// proves it. Other pictures are copied to row-major order, and their edges back.
#include <cudacanny/canny.h>
#include <cudacanny/contours.h>
#include <mex.h>

#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include "argument.h"
#include "settings.h"
#include "transpose.h"

#ifdef CANNY_MEX_SOVERSION
/// Octave 10 and later load only MEX files with this symbol.
extern "C" {
extern const int __octave_mex_soversion__ __attribute__((visibility("default")));
const int __octave_mex_soversion__ = CANNY_MEX_SOVERSION;  // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace mex {
namespace {

using canny::Operator;
using canny::PixelFormat;
using canny::Status;
using canny::StatusCode;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "deep formats are little-endian here");

/// Of the picture A: 1 in CudaEdgeGray, 3 in CudaEdgeRGB.
constexpr int kChannels = CANNY_MEX_CHANNELS;
constexpr bool kIsColor = kChannels == 3;

struct Picture {
  const std::uint8_t* samples;
  int rows, columns;
  int sample_bytes;  ///< 1 or 2

  std::size_t pixels() const { return std::size_t(rows) * std::size_t(columns); }
};

/// What stays from call to call.
struct State {
  canny::Detector detector;
  canny::Options options;
  int width = 0, height = 0;         ///< of the detector, 0 without one
  std::vector<std::uint8_t> pixels;  ///< a picture in row-major order
  std::vector<std::uint8_t> edges;   ///< likewise
  canny::Contours contours;
};

/// Exists from the first call until Octave clears the function or ends.
State* state = nullptr;

void release() {
  delete state;
  state = nullptr;
}

/// How an array of another class becomes one of uint8.
std::string conversion(const mxArray* array) {
  if (mxIsCell(array)) return "; A{1} is the array in its first cell";
  if (mxIsStruct(array)) return "; pass the field that has the picture";
  if (mxIsChar(array)) return "; imread(A) reads the file of this name";
  if (mxIsSparse(array)) return "; full(A) is not sparse";
  if (mxIsComplex(array)) return "; abs(A) is not complex";
  if (mxIsLogical(array)) return "; uint8(255*A) converts it";
  if (mxIsDouble(array) || mxIsSingle(array))
    return "; uint8(A) converts it, uint8(255*A) if white is 1";
  return mxIsNumeric(array) ? "; uint8(A) converts it if white is 255" : "";
}

/// The advice for an array that is no picture of this kind.
std::string remedy(bool is_class, const mxArray* array) {
  const mwSize dimensions = mxGetNumberOfDimensions(array);
  if (!is_class) return conversion(array);
  if (kIsColor && dimensions == 2) return "; CudaEdgeGray takes MxN arrays";
  if (!kIsColor && dimensions == 3) return "; CudaEdgeRGB takes MxNx3 arrays";
  return "";
}

Picture picture_of(const mxArray* array) {
  const mwSize dimensions = mxGetNumberOfDimensions(array);
  const mwSize* sizes = mxGetDimensions(array);
  const bool is_class = (mxIsUint8(array) || mxIsUint16(array)) && !mxIsComplex(array);
  if (!is_class || (kIsColor ? dimensions != 3 || sizes[2] != 3 : dimensions != 2)) {
    throw Error{"picture", std::string("A must be an ") + (kIsColor ? "MxNx3" : "MxN") +
                               " array of uint8 or uint16, but is a " + describe(array) +
                               remedy(is_class, array)};
  }
  constexpr mwSize kMax = canny::kMaxSide;
  if (sizes[0] < 1 || sizes[0] > kMax || sizes[1] < 1 || sizes[1] > kMax) {
    throw Error{"picture", "A must have 1 to " + std::to_string(kMax) +
                               " rows and columns, but is a " + describe(array)};
  }
  return {static_cast<const std::uint8_t*>(mxGetData(array)), static_cast<int>(sizes[0]),
          static_cast<int>(sizes[1]), mxIsUint8(array) ? 1 : 2};
}

/// Whether the edges of a transposed picture are the transposed edges. Only the directions of
/// suppression may differ. Those of gradients are symmetric while |gx| and |gy| are below 1393,
/// which 8 bits and these operators guarantee: the largest is Sobel's, 1020.
bool is_symmetric(const Picture& picture, const canny::Params& params) {
  const bool is_deep = picture.sample_bytes == 2 && params.luma_depth == canny::LumaDepth::kFull;
  switch (params.gradient_operator) {
    case Operator::kSobel:
    case Operator::kPrewitt:
    case Operator::kRoberts:
      return !is_deep;
    default:
      return false;
  }
}

void check(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return;
    case StatusCode::kOutOfMemory:
      throw Error{"memory", status.message()};
    case StatusCode::kInvalidParams:
    case StatusCode::kInvalidOptions:
      throw Error{"value", status.message()};
    default:
      throw Error{"backend", status.message()};
  }
}

/// Gives the state a detector with these options for frames of this size.
void prepare(const canny::Options& options, int width, int height) {
  if (state == nullptr) {
    state = new State;
    mexAtExit(release);
  }
  const bool is_new = state->width == 0 || state->options.backend != options.backend ||
                      state->options.cuda_device != options.cuda_device ||
                      state->options.opencl_device != options.opencl_device ||
                      state->options.threads != options.threads;
  if (!is_new && state->width == width && state->height == height) return;
  state->width = state->height = 0;
  if (is_new) {
    check(canny::Detector::create(options, &state->detector));
    state->options = options;
  }
  check(state->detector.set_size(width, height));
  state->width = width;
  state->height = height;
}

/// Detects the edges of a frame of the detector's size and writes bytes of 0 and 255.
canny::Result detect(const canny::Params& params, canny::ConstFrame input, std::uint8_t* edges) {
  input.width = state->width;
  input.height = state->height;
  canny::Frame output;
  output.data = edges;
  output.stride_bytes = output.width = state->width;
  output.height = state->height;
  canny::Result result;
  const Status status = state->detector.detect(params, input, output, &result);
  if (!status.ok()) state->width = state->height = 0;  // the next call tries a new detector
  check(status);
  return result;
}

/// The picture's transpose, where it is.
canny::ConstFrame transposed_frame(const Picture& picture) {
  canny::ConstFrame frame;
  frame.data = picture.samples;
  frame.stride_bytes = picture.rows * picture.sample_bytes;
  if (kIsColor) {
    frame.format = PixelFormat::kRgbPlanes;
    frame.green = {frame.data + picture.pixels(), frame.stride_bytes};
    frame.blue = {frame.data + 2 * picture.pixels(), frame.stride_bytes};
  } else if (picture.sample_bytes == 2) {
    frame.format = PixelFormat::kGray16Le;
  }
  return frame;
}

/// Copies the picture to state->pixels, row by row and pixel by pixel. Colors get a fourth sample,
/// which is ignored, since deep formats have one.
template <class Sample>
canny::ConstFrame row_major_frame(const Picture& picture) {
  const std::size_t step = kIsColor ? 4 : 1;
  state->pixels.resize(picture.pixels() * step * sizeof(Sample));
  Sample* to = reinterpret_cast<Sample*>(state->pixels.data());
  const Sample* from = reinterpret_cast<const Sample*>(picture.samples);
  for (int channel = 0; channel < kChannels; ++channel) {
    transpose(from + std::size_t(channel) * picture.pixels(), std::size_t(picture.columns),
              std::size_t(picture.rows), to + channel, step);
  }
  canny::ConstFrame frame;
  frame.data = state->pixels.data();
  frame.stride_bytes = picture.columns * std::ptrdiff_t(step * sizeof(Sample));
  if (kIsColor) {
    frame.format = sizeof(Sample) == 2 ? PixelFormat::kRgbx64Le : PixelFormat::kRgbx;
  } else if (sizeof(Sample) == 2) {
    frame.format = PixelFormat::kGray16Le;
  }
  return frame;
}

/// Writes the edges of the picture, in its own order, as bytes of 0 and 255.
canny::Result detect(const Settings& settings, const Picture& picture, std::uint8_t* edges) {
  const bool has_transposed_frame = !kIsColor || picture.sample_bytes == 1;
  if (has_transposed_frame && is_symmetric(picture, settings.params)) {
    prepare(settings.options, picture.rows, picture.columns);
    return detect(settings.params, transposed_frame(picture), edges);
  }
  prepare(settings.options, picture.columns, picture.rows);
  const canny::ConstFrame frame = picture.sample_bytes == 2
                                      ? row_major_frame<std::uint16_t>(picture)
                                      : row_major_frame<std::uint8_t>(picture);
  state->edges.resize(picture.pixels());
  const canny::Result result = detect(settings.params, frame, state->edges.data());
  transpose(state->edges.data(), std::size_t(picture.rows), std::size_t(picture.columns), edges);
  return result;
}

/// The second output.
mxArray* info_of(const canny::Result& result) {
  const char* names[] = {"edge_pixels", "low_threshold", "high_threshold", "backend", "device"};
  const canny::Info& info = state->detector.info();
  mxArray* values[] = {
      mxCreateDoubleScalar(static_cast<double>(result.edge_pixels)),
      mxCreateDoubleScalar(result.low_threshold), mxCreateDoubleScalar(result.high_threshold),
      mxCreateString(canny::name(info.backend)), mxCreateString(info.device.c_str())};
  mxArray* fields = mxCreateStructMatrix(1, 1, 5, names);
  for (int i = 0; i < 5; ++i) mxSetFieldByNumber(fields, 0, i, values[i]);
  return fields;
}

/// The third output: a cell for each chain, with the columns and rows of its points, from 1 on.
mxArray* contours_of(const Picture& picture, const std::uint8_t* edges) {
  canny::Contours& contours = state->contours;
  state->edges.resize(picture.pixels());
  transpose(edges, std::size_t(picture.columns), std::size_t(picture.rows), state->edges.data());
  check(contours.trace({state->edges.data(), picture.columns, picture.columns, picture.rows}));
  if (contours.is_full())
    mexWarnMsgIdAndTxt("cudacanny:contours", "contours are cut at %u points",
                       canny::kMaxContourPoints);
  mxArray* cells = mxCreateCellMatrix(mwSize(contours.size()), 1);
  for (std::size_t i = 0; i < contours.size(); ++i) {
    mxArray* points = mxCreateDoubleMatrix(mwSize(contours[i].size), 2, mxREAL);
    double* x = mxGetPr(points);
    double* y = x + contours[i].size;
    for (const canny::Point& point : contours[i]) {
      *x++ = point.x + 1;
      *y++ = point.y + 1;
    }
    mxSetCell(cells, mwIndex(i), points);
  }
  return cells;
}

/// Runs [C, info, contours] = NAME(A, thresL, thresH, hyster, name, value, ...).
void run(int output_count, mxArray** outputs, int input_count, const mxArray* const* inputs) {
  if (input_count < 1 || output_count > 3) {
    const std::string name = kIsColor ? "CudaEdgeRGB" : "CudaEdgeGray";
    throw Error{"usage", "usage: [C, info, contours] = " + name +
                             "(A, thresL, thresH, hyster, name, value, ...); see help " + name};
  }
  const Picture picture = picture_of(inputs[0]);
  const Settings settings = settings_of(input_count - 1, inputs + 1);
  mxArray* edges = mxCreateLogicalMatrix(mwSize(picture.rows), mwSize(picture.columns));
  static_assert(sizeof(mxLogical) == 1);
  auto* bytes = reinterpret_cast<std::uint8_t*>(mxGetLogicals(edges));
  const canny::Result result = detect(settings, picture, bytes);
  for (std::size_t i = 0; i < picture.pixels(); ++i) bytes[i] &= 1;
  outputs[0] = edges;
  if (output_count > 1) outputs[1] = info_of(result);
  if (output_count > 2) outputs[2] = contours_of(picture, bytes);
}

}  // namespace
}  // namespace mex

extern "C" __attribute__((visibility("default"))) void mexFunction(int output_count,
                                                                   mxArray* outputs[],
                                                                   int input_count,
                                                                   const mxArray* inputs[]) {
  static mex::Error error;  // mexErrMsgIdAndTxt() leaves the call without destructors
  try {
    mex::run(output_count, outputs, input_count, inputs);
    return;
  } catch (const mex::Error& thrown) {
    error = {"cudacanny:" + thrown.id, thrown.message};
  } catch (const std::bad_alloc&) {
    error = {"cudacanny:memory", "not enough memory; use a smaller picture"};
  }
  mexErrMsgIdAndTxt(error.id.c_str(), "%s", error.message.c_str());
}

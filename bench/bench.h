// SPDX-License-Identifier: LGPL-2.1-or-later
// The pictures to time, and the interface of the backends that are timed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "kernel_costs.h"
#include "measure.h"
#include "measure_stages.h"
#include "options.h"
#include "reference/reference.h"

namespace bench {

using Output = std::vector<std::uint8_t>;  ///< the bytes of a tight_frame()
using EdgeMap = Output;                    ///< a byte a pixel, 0 or 255

/// A frame and the memory around it. Planes follow each other, and so do the pictures of a batch.
struct Picture {
  std::vector<std::uint8_t> bytes;
  std::size_t offset = 0;   ///< of the frame's first byte
  canny::ConstFrame shape;  ///< without data
  std::string subject;      ///< what identifies the frame and its parameters; may be empty

  canny::ConstFrame frame(const std::uint8_t* memory, canny::Memory kind) const {
    canny::ConstFrame result = shape;
    result.data = memory + offset;
    result.memory = kind;
    if (canny::planes(shape.format) > 1) {
      const std::ptrdiff_t plane_bytes = shape.stride_bytes * shape.height;
      result.green = {result.data + plane_bytes, shape.stride_bytes};
      result.blue = {result.data + 2 * plane_bytes, shape.stride_bytes};
    }
    return result;
  }
};

/// The format of the output of a frame: that of the input with views that show it, else gray.
canny::PixelFormat output_format(const canny::Params& params, canny::PixelFormat input);

/// Bytes of a frame whose rows and planes follow each other.
std::size_t tight_bytes(int width, int height, canny::PixelFormat format);

/// A frame in `memory` whose rows, planes and pictures follow each other.
canny::Frame tight_frame(std::uint8_t* memory, int width, int height, canny::PixelFormat format,
                         canny::Memory kind, unsigned pictures = 1);

/// Converts a tight RGB picture to a format. With `window`, the frame has an odd address and an odd
/// stride.
Picture convert(const std::vector<std::uint8_t>& rgb, int width, int height,
                canny::PixelFormat format, bool window);

/// Turns a frame into a batch of as many equal pictures.
void repeat(unsigned pictures, Picture* picture);

struct Outcome {
  std::optional<Times> times;       ///< none if an edge map differs from the reference
  std::optional<double> copy_us;    ///< a copy of the same footprint, like Times::thr; on the CPU,
                                    ///< one thread that only reads the frame
  std::optional<double> npp_us;     ///< NPP on the same frames, like Times::thr
  std::optional<double> opencv_us;  ///< OpenCV on the same frames and threads, like Times::thr
  std::optional<double> alone_us;   ///< the CPU backend with one thread, if it has several
  std::optional<double> wall_in_flight;  ///< like Times::wall, where several may be in flight
  std::optional<StageMedians> stages;    ///< with --stages
  std::optional<KernelTimes> kernels;    ///< with --kernels
  std::string route;                     ///< see canny::Result
  std::vector<KernelCost> kernel_costs;  ///< of a frame on CUDA, with --stages or --once
};

/// A backend that can be timed. A failure of the backend ends the program.
class Bench {
 public:
  virtual ~Bench() = default;
  virtual canny::Backend backend() const = 0;

  /// Times whole frames. `expected` is the reference's output, a tight_frame().
  virtual Outcome run(const Picture& picture, const canny::Params& params,
                      const Output& expected) = 0;
  /// Times frames from their candidate and strong pixels on.
  virtual Outcome run(const reference::Candidates& mask, unsigned passes,
                      const EdgeMap& expected) = 0;
};

/// The device and the versions of its software; empty where there are none.
struct Machine {
  std::string device, driver, driver_cuda, runtime_cuda;
};

/// Opens the CPU backend with the threads and the target of the options. Returns null and `*why` if
/// the machine lacks the target.
std::unique_ptr<Bench> open_cpu(const Options& options, Machine* machine, std::string* why);

/// Opens the OpenCL backend on a device, as canny::Options names it. Returns null and `*why` if
/// there is none. Frames are in host memory, and masks are timed on the CPU: Times::ev is the sum
/// of the stages with `options.stages`, and the others are those of whole frames.
std::unique_ptr<Bench> open_opencl(const Options& options, const std::string& device,
                                   Machine* machine, std::string* why);

/// Opens the CUDA backend on the first usable device. Returns null and `*why` if there is none.
/// With `options.npp`, also times NPP on RGB pictures with sigma 1.4 and hysteresis until stable.
std::unique_ptr<Bench> open_cuda(const Options& options, Machine* machine, std::string* why);

}  // namespace bench

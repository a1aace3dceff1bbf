// SPDX-License-Identifier: LGPL-2.1-or-later
// What is timed, and what times it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "measure.h"
#include "options.h"
#include "reference/reference.h"

namespace bench {

using EdgeMap = std::vector<std::uint8_t>;  ///< a byte a pixel, 0 or 255

/// A frame and the memory around it. Planes follow each other.
struct Picture {
  std::vector<std::uint8_t> bytes;
  std::size_t offset = 0;   ///< of the frame's first byte
  canny::ConstFrame shape;  ///< without data

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

/// A tight RGB picture in another format. The window is one of odd address and odd stride.
Picture convert(const std::vector<std::uint8_t>& rgb, int width, int height,
                canny::PixelFormat format, bool window);

struct Outcome {
  std::optional<Times> times;       ///< none if an edge map differs from the reference
  std::optional<double> copy_us;    ///< a copy of the same footprint, like Times::thr; of the CPU,
                                    ///< one thread that only reads the frame
  std::optional<double> npp_us;     ///< NPP on the same frames, like Times::thr
  std::optional<double> opencv_us;  ///< OpenCV on the same frames and threads, like Times::thr
  std::optional<double> alone_us;   ///< the CPU backend with one thread, if it has several
};

/// A backend that can be timed. A failure of the backend ends the program.
class Bench {
 public:
  virtual ~Bench() = default;
  virtual canny::Backend backend() const = 0;

  /// Whole frames. `expected` is the reference's edge map.
  virtual Outcome run(const Picture& picture, const canny::Params& params,
                      const EdgeMap& expected) = 0;
  /// Frames from their candidate and strong pixels on.
  virtual Outcome run(const reference::Candidates& mask, unsigned passes,
                      const EdgeMap& expected) = 0;
};

/// The device and the versions of what runs it, as far as there are any.
struct Machine {
  std::string device, driver, driver_cuda, runtime_cuda;
};

/// With the threads and the target of the options. Null and why if the machine has no such target.
std::unique_ptr<Bench> open_cpu(const Options& options, Machine* machine, std::string* why);

/// On the first usable device, or null and why. With `npp`, NPP is timed beside pictures in RGB
/// with sigma 1.4 and hysteresis until stable.
std::unique_ptr<Bench> open_cuda(bool npp, Machine* machine, std::string* why);

}  // namespace bench

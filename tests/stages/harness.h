// SPDX-License-Identifier: LGPL-2.1-or-later
// Shared parts of the stage programs: options, guarded frames, and a tally of all cases.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "canny/components.h"
#include "canny/contours.h"
#include "reference/random.h"

namespace harness {

/// `--backend cpu|cuda|opencl|all` (without, cpu and cuda), `--cases N` random cases after the
/// table, `--max-side PIXELS` of those, `--step N` only every N-th case, `--seed N` only that case,
/// `--held-streams no` no case that holds up a CUDA stream until after a launch, `--threads no` no
/// case that calls CUDA from several threads at the same time. The environment variable
/// CANNY_TEST_STEP multiplies the step.
struct Options {
  bool cpu = true;
  bool cuda = true;
  bool opencl = false;
  bool held_streams = true;
  bool threads = true;
  bool one_case = false;
  std::uint64_t seed = 0;
  std::uint64_t cases = 300;
  std::uint64_t step = 1;
  int max_side = 200;

  /// The backends to run on.
  std::vector<canny::Backend> backends() const;
};

/// Options for a Detector on a backend. The OpenCL device is the one that the environment variable
/// CANNY_TEST_OPENCL_DEVICE names, or else the first one, of whatever kind.
canny::Options detector_options(canny::Backend backend, unsigned threads = 0);

/// Reads the command line. Ends the program with a message if it is invalid.
Options parse(int argc, char** argv, const Options& defaults);

/// The chroma of a gray frame, as in canny::BasicChroma; a step of 0 bytes is none.
struct Chroma {
  int step_bytes = 0;
  int shift_x = 0, shift_y = 0;
};

/// The same frame to read or to write.
canny::ConstFrame to_read(const canny::Frame& frame);
canny::Frame to_write(const canny::ConstFrame& frame);

/// A region, in host memory, with its memory.
struct RegionMemory {
  std::vector<canny::Rectangle> rectangles;
  std::vector<std::uint8_t> mask;
  canny::Region region;
};

/// A frame inside a larger block of bytes. The bytes outside its rows, and at first all bytes, hold
/// a pattern that intact() checks. Planes lie one after the other, blue first, red last, each with
/// its own stride. Chroma lies before them, V first.
class GuardedFrame {
 public:
  GuardedFrame(int width, int height, canny::PixelFormat format, int offset, int gap,
               bool bottom_up, const Chroma& chroma = {});

  /// All bytes of the block.
  std::vector<std::uint8_t>& block() { return block_; }
  const std::vector<std::uint8_t>& block() const { return block_; }

  /// The frame in the block, or in a copy of it that begins at `block`.
  canny::Frame frame(std::uint8_t* block, canny::Memory memory) const;
  canny::Frame frame() { return frame(block_.data(), canny::Memory::kHost); }
  canny::ConstFrame const_frame(const std::uint8_t* block, canny::Memory memory) const;
  canny::ConstFrame const_frame() const { return const_frame(block_.data(), canny::Memory::kHost); }

  /// Sets the samples of every pixel from gray values, with slightly different colors and random X
  /// bytes. An odd seed sets the bits below the highest 8 of deep samples at random, and some
  /// floats to any bits.
  void paint(const std::vector<std::uint8_t>& gray, std::uint64_t seed);

  /// Sets the bytes of all rows from these, over and over; of an empty range, to 0.
  void set_bytes(const std::uint8_t* bytes, std::size_t count);

  /// Gives const_frame() a region, or none if it is null.
  void set_region(std::shared_ptr<const RegionMemory> region) { region_ = std::move(region); }

  /// Whether every byte outside the rows holds the pattern.
  bool intact() const;

  /// The bytes outside the rows: ranges in the block.
  struct Gap {
    std::size_t begin, end;
  };
  std::vector<Gap> gaps() const;

 private:
  struct Plane {
    std::size_t top;  // offset of the top row in the block
    std::ptrdiff_t stride;
    int row_bytes, rows;
  };

  std::uint8_t guard(std::size_t i) const { return static_cast<std::uint8_t>(i * 37 + 11); }
  void paint_pixel(int value, int x, int y, reference::Random& random);
  void paint_deep(const std::vector<std::uint8_t>& gray, bool has_low_bits,
                  reference::Random& random);
  void paint_floats(const std::vector<std::uint8_t>& gray, bool has_low_bits,
                    reference::Random& random);

  int width_, height_;
  canny::PixelFormat format_;
  Chroma chroma_;
  std::vector<Plane> planes_;  // red, green, blue, or the only plane and chroma
  std::vector<std::uint8_t> block_;
  std::shared_ptr<const RegionMemory> region_;
};

/// Counts cases by backend. The last lines of a program are its summary().
class Tally {
 public:
  void fail(canny::Backend backend, const std::string& message);
  void skip(canny::Backend backend, const std::string& reason);

  /// Counts a case that needs no backend, as one of the CPU.
  void count(bool is_right, const std::string& what);
  /// Passes if `failure` is empty.
  void count(canny::Backend backend, const std::string& what, const std::string& failure);
  /// Passes if the status has this code, and a message with this part unless the code is kOk.
  void expect(canny::Backend backend, const std::string& what, const canny::Status& status,
              canny::StatusCode code, const std::string& part_of_message = "");

  /// The number of cases of a backend that passed or failed.
  int cases(canny::Backend backend) const {
    return passed_[static_cast<int>(backend)] + failed_[static_cast<int>(backend)];
  }

  /// Prints the counts and the CUDA kernels in use. Returns the program's exit status: 1 for a
  /// failure, for no case at all, and for a skip of CUDA or OpenCL if CANNY_REQUIRE_CUDA or
  /// CANNY_REQUIRE_OPENCL is 1.
  int summary() const;

 private:
  static constexpr int kBackends = 4;  // by canny::Backend
  int passed_[kBackends] = {};
  int failed_[kBackends] = {};
  int skipped_[kBackends] = {};
};

/// Calls run(backend, detector, options) with a new detector of each backend of the options. Counts
/// a device that can't be used here as skipped. The CPU can be used everywhere.
template <class Run>
void for_backends(const Options& options, Tally* tally, const Run& run, unsigned threads = 0) {
  for (const canny::Backend backend : options.backends()) {
    canny::Detector detector;
    const canny::Status status =
        canny::Detector::create(detector_options(backend, threads), &detector);
    if (status.ok())
      run(backend, detector, options);
    else if (backend == canny::Backend::kCpu)
      tally->fail(backend, status.message());
    else
      tally->skip(backend, status.message());
  }
}

/// The first difference of two images of `width` samples per row and the samples around it, or ""
/// if there is none.
std::string difference(const std::vector<std::uint8_t>& expected,
                       const std::vector<std::uint8_t>& actual, int width);

/// The pixels of a frame in host memory, rows without gaps from top to bottom, plane by plane, then
/// its chroma.
std::vector<std::uint8_t> pixels(const canny::ConstFrame& frame);

/// All bytes of the points and ends of chains, and of components.
std::string bytes_of(const canny::Contours& contours, const canny::Components& components);

}  // namespace harness

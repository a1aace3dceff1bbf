// SPDX-License-Identifier: LGPL-2.1-or-later
// The frames of a case: the input and the expected output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "harness.h"
#include "reference/reference.h"

namespace frames {

/// Detectors of a backend, which cases share: one for each number of threads on the CPU. A detector
/// keeps its size until another one is wanted.
class Detectors {
 public:
  explicit Detectors(canny::Backend backend) : backend_(backend) {}

  /// Sets `*detector` to the one for the case, with its size.
  canny::Status find(const cases::Case& c, canny::Detector** detector);

 private:
  struct Sized {
    canny::Detector detector;
    int width = 0, height = 0;
  };

  const canny::Backend backend_;
  Sized detectors_[18];  // by the number of threads
};

/// Sets the chroma of a frame to 128.
void remove_color(const canny::Frame& frame);

class CaseFrames {
 public:
  explicit CaseFrames(const cases::Case& c);
  /// With other pixels than those that the case describes.
  CaseFrames(const cases::Case& c, harness::GuardedFrame input);

  /// The input before it was painted.
  static harness::GuardedFrame blank_input(const cases::Case& c);

  const harness::GuardedFrame& input() const { return input_; }
  /// A frame whose bytes have all yet to be written.
  harness::GuardedFrame output() const { return output_; }

  /// Whether check() expects what a frame that measures its stages has; at first as in the case.
  void expect_measured(bool has_stage_times) { params_.measure_stages = has_stage_times; }

  std::uint64_t edges() const { return expected_numbers_.edges; }

  /// Returns an error unless `output` equals the reference's frame and is untouched around its
  /// rows, `result` has the number of its edges, the thresholds and, if the case measures stages,
  /// the other numbers and times of the stages that ran, and the input is unchanged; "" if all is
  /// right.
  std::string check(const harness::GuardedFrame& output, const canny::Result& result) const;

  /// Detects the frame with a detector of its size, and checks that. Returns an error or "".
  std::string check(canny::Detector& detector) const;

  /// Returns an error unless `result` has the bytes copied between host and device, and the times
  /// of these copies if the case measures stages. `is_input_copied` and `is_output_copied` tell
  /// which frame was.
  std::string check_copies(const canny::Result& result, bool is_input_copied,
                           bool is_output_copied) const;

 private:
  std::string check_numbers(const canny::Result& result) const;

  canny::Params params_;
  harness::GuardedFrame input_;
  const std::vector<std::uint8_t> input_before_;
  const harness::GuardedFrame output_;
  std::vector<std::uint8_t> expected_;  // pixels
  reference::Rendered expected_numbers_;
  const int row_bytes_;
};

/// A gray picture with edges.
class Picture {
 public:
  Picture(std::uint64_t seed, int width, int height);

  const std::vector<std::uint8_t>& pixels() const { return bytes_.samples; }
  /// With pixels in the picture, or in a copy at `data`.
  canny::ConstFrame frame() const { return frame(pixels().data(), canny::Memory::kHost); }
  canny::ConstFrame frame(const std::uint8_t* data, canny::Memory memory) const {
    return {data, bytes_.width, bytes_.width, bytes_.height, canny::PixelFormat::kGray8, memory};
  }

 private:
  reference::Bytes bytes_;
};

/// A case, and memory for its output.
struct InFlight {
  explicit InFlight(const cases::Case& of) : c(of), frames(c), output(frames.output()) {}

  canny::ConstFrame input() const { return frames.input().const_frame(); }
  canny::Status submit(canny::Detector& detector) {
    return detector.submit(c.params, input(), output.frame());
  }
  canny::Status wait(canny::Detector& detector) { return detector.wait(&result); }
  std::string check() const { return frames.check(output, result); }

  cases::Case c;
  CaseFrames frames;
  harness::GuardedFrame output;
  canny::Result result;
};

}  // namespace frames

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

class CaseFrames {
 public:
  explicit CaseFrames(const cases::Case& c);

  const harness::GuardedFrame& input() const { return input_; }
  /// A frame whose bytes have all yet to be written.
  harness::GuardedFrame output() const { return output_; }

  std::uint64_t edges() const { return expected_count_; }

  /// Returns an error unless `output` equals the reference's frame and is untouched around its
  /// rows, `result` has the number of its edges and the thresholds, and the input is unchanged; ""
  /// if all is right.
  std::string check(const harness::GuardedFrame& output, const canny::Result& result) const;

 private:
  harness::GuardedFrame input_;
  const std::vector<std::uint8_t> input_before_;
  const harness::GuardedFrame output_;
  std::vector<std::uint8_t> expected_;  // pixels
  std::uint64_t expected_count_ = 0;
  reference::Limits expected_limits_;
  const int row_bytes_;
};

}  // namespace frames

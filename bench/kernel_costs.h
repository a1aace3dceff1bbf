// SPDX-License-Identifier: LGPL-2.1-or-later
// What the kernels of a frame cost: times, counted instructions and bytes, and what these take at
// least.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Microseconds of the graph of a frame's kernels: one alone, and what each adds to a sequence.
struct KernelTimes {
  double alone = 0, thr = 0;
};

/// What a kernel does in a frame.
struct KernelCount {
  std::string function;     ///< without namespace and template arguments
  double instructions = 0;  ///< of warps
  double bytes = 0;         ///< between multiprocessors and L2 cache
};

/// The cost of a kernel within its frame, or of all kernels.
struct KernelCost {
  std::string name;                         ///< in the frame: front, label, ...; "frame" for all
  std::string function;                     ///< mangled; none for all
  std::optional<KernelTimes> times;         ///< none after --once
  std::optional<double> instructions;       ///< of warps, if they were counted
  std::optional<double> bytes;              ///< likewise; for all, of input and output
  std::optional<double> issue_us, copy_us;  ///< what these take at least

  std::optional<double> floor_us() const {
    if (!issue_us || !copy_us) return {};
    return *issue_us > *copy_us ? issue_us : copy_us;
  }
};

/// Counts of the kernels of frames, from a file that bench/count_instructions wrote.
class KernelCounts {
 public:
  /// After a failure `*error` is one line.
  static KernelCounts read(const std::string& path, std::string* error);

  /// The counts of the frame of a row on devices of this compute capability (10 * major + minor),
  /// if its kernels were the same functions, in order. Else none.
  std::vector<KernelCount> find(int compute_capability, const std::string& subject,
                                const std::vector<KernelCost>& kernels) const;

 private:
  struct Frame {
    int compute_capability;
    std::string subject;  ///< as subject() of a row gives it
    std::vector<KernelCount> kernels;
  };
  std::vector<Frame> frames_;
};

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames from the reference and from detectors, and their SHA-256 sums.
#pragma once

#include <glib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "canny/canny.h"
#include "cases.h"
#include "harness.h"
#include "targets.h"

namespace determinism {

/// What a frame gives: the bytes of its pixels, and its numbers.
struct Outcome {
  std::vector<std::uint8_t> pixels;
  std::uint64_t edges = 0;
  double low = 0, high = 0;
  bool operator==(const Outcome& other) const;
};

/// The SHA-256 sum of outcomes.
class Sum {
 public:
  Sum() : sum_(g_checksum_new(G_CHECKSUM_SHA256), g_checksum_free) {}
  void add(const Outcome& outcome);
  std::string text() const { return g_checksum_get_string(sum_.get()); }

 private:
  std::unique_ptr<GChecksum, void (*)(GChecksum*)> sum_;
};

/// The input of a case, and a frame for its output.
struct Frames {
  explicit Frames(const cases::Case& c);
  harness::GuardedFrame input, output;
};

Outcome reference_outcome(const cases::Case& c, const Frames& frames);

/// A detector with fixed options.
class Runner {
 public:
  /// Of the CPU backend.
  Runner(unsigned threads, const stages::Target& target);
  /// Of the backend of a device. `kernels` is a value of kernels_variable(), "" = the fastest.
  Runner(canny::Backend backend, const char* kernels);

  canny::Backend backend() const { return backend_; }
  const std::string& name() const { return name_; }

  /// Detects the frame. Returns an error, "" if there is none.
  std::string run(const cases::Case& c, const Frames& frames, Outcome* outcome);

 private:
  void select() const;

  canny::Backend backend_;
  unsigned threads_ = 0;
  stages::Target target_;
  const char* kernels_ = "";
  std::string name_;
  canny::Detector detector_;
  bool is_created_ = false;
};

/// The variable of the environment that chooses the kernels of CUDA or OpenCL.
const char* kernels_variable(canny::Backend backend);

/// Runners for each instruction set of this machine with 1, 2, 3 and 8 threads.
std::vector<std::unique_ptr<Runner>> cpu_runners();
/// Runners for all sets of kernels of CUDA or OpenCL.
std::vector<std::unique_ptr<Runner>> device_runners(canny::Backend backend);

/// Keeps all cores, and the CUDA device if `with_cuda`, busy with other frames until the end of the
/// scope.
class Load {
 public:
  explicit Load(bool with_cuda);
  ~Load();

 private:
  std::atomic<bool> is_over_{false};
  std::vector<std::thread> threads_;
};

}  // namespace determinism

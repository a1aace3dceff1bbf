// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads counts with OpenCV.
#include "kernel_costs.h"

#include <algorithm>

#include "json.h"

namespace bench {
namespace {

KernelCount read_kernel(const cv::FileNode& node) {
  KernelCount kernel;
  node["function"] >> kernel.function;
  node["instructions"] >> kernel.instructions;
  node["bytes"] >> kernel.bytes;
  return kernel;
}

/// Whether a mangled name is that of the function. Length and name follow each other in it.
bool is_of(const std::string& mangled, const std::string& function) {
  return mangled.find(std::to_string(function.size()) + function) != std::string::npos;
}

}  // namespace

KernelCounts KernelCounts::read(const std::string& path, std::string* error) {
  KernelCounts counts;
  cv::FileStorage file;
  if (!open_json(path, &file)) {
    *error = path + " is not a file that count_instructions wrote";
    return {};
  }
  for (const cv::FileNode& row : file["rows"]) {
    Frame frame;
    row["compute_capability"] >> frame.compute_capability;
    row["subject"] >> frame.subject;
    for (const cv::FileNode& kernel : row["kernels"]) frame.kernels.push_back(read_kernel(kernel));
    counts.frames_.push_back(frame);
  }
  return counts;
}

std::vector<KernelCount> KernelCounts::find(int compute_capability, const std::string& subject,
                                            const std::vector<KernelCost>& kernels) const {
  for (const Frame& frame : frames_) {
    if (frame.compute_capability == compute_capability && frame.subject == subject &&
        std::equal(kernels.begin(), kernels.end(), frame.kernels.begin(), frame.kernels.end(),
                   [](const KernelCost& kernel, const KernelCount& count) {
                     return is_of(kernel.function, count.function);
                   }))
      return frame.kernels;
  }
  return {};
}

}  // namespace bench

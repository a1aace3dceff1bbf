// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads counts with OpenCV.
#include "kernel_costs.h"

#include <algorithm>
#include <fstream>
#include <opencv2/core.hpp>

namespace bench {
namespace {

// OpenCV also takes other formats, and prints what it misses.
bool is_json(const std::string& path) { return std::ifstream(path).get() == '{'; }

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
  try {
    cv::FileStorage file;
    if (is_json(path) && file.open(path, cv::FileStorage::READ) && file["rows"].isSeq()) {
      for (const cv::FileNode& row : file["rows"]) {
        Frame frame;
        row["compute_capability"] >> frame.compute_capability;
        row["subject"] >> frame.subject;
        for (const cv::FileNode& kernel : row["kernels"])
          frame.kernels.push_back(read_kernel(kernel));
        counts.frames_.push_back(frame);
      }
      return counts;
    }
  } catch (const cv::Exception&) {
    // The message below covers it.
  }
  *error = path + " is not a file that count_instructions wrote";
  return {};
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

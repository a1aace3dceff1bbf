// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks that counts of a file are found, and only those of the right frame and kernels. Its
// argument is the file that kernel_counts_run makes.
#include <cstdio>
#include <string>
#include <vector>

#include "kernel_costs.h"

namespace {

int passed = 0, failed = 0;

void expect(bool right, const char* what) {
  ++(right ? passed : failed);
  if (!right) std::printf("FAILED: %s\n", what);
}

std::vector<bench::KernelCost> kernels(const std::vector<std::string>& functions) {
  std::vector<bench::KernelCost> costs;
  for (const std::string& function : functions) {
    bench::KernelCost cost;
    cost.function = function;
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::string error;
  const auto counts = bench::KernelCounts::read(argv[1], &error);
  expect(error.empty(), "the file can be read");
  const std::string subject = "noise 64x48 rgb", label = "_ZN5canny12label_kernelEv";
  const auto front = [](int i) {
    return "_ZN5canny12front_kernelILi" + std::to_string(i) + "EEEvv";
  };
  const auto found = counts.find(90, subject, kernels({front(3), label}));
  expect(found.size() == 2, "a frame is found");
  expect(found.size() == 2 && found[0].function == "front_kernel" &&
             found[0].instructions == 1234567 && found[0].bytes == 32 * 1000,
         "the first kernel");
  expect(found.size() == 2 && found[1].instructions == 89 && found[1].bytes == 0,
         "the second kernel");
  expect(counts.find(80, subject, kernels({front(3), label})).empty(), "another capability");
  expect(counts.find(90, "noise", kernels({front(3), label})).empty(), "another subject");
  expect(counts.find(90, subject, kernels({label, front(3)})).empty(), "another order");
  expect(counts.find(90, subject, kernels({front(3)})).empty(), "fewer kernels");
  expect(counts.find(90, "kept", kernels({label})).size() == 1, "a row that was there before");
  bench::KernelCounts::read(argv[0], &error);
  expect(!error.empty(), "another file");
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed != 0;
}

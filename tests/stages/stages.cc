// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares every stage of every backend with the reference, to the bit.
#include "stages.h"

#include <hwy/targets.h>

#include <cstdio>
#include <fstream>

#include "cpu/front/front.h"
#include "targets.h"

namespace {

using cases::Case;
using stages::BackendStages;

harness::Tally tally;

// Instruction sets except the best one run every kTargetStep-th case.
constexpr std::uint64_t kTargetStep = 5;

void run_case(BackendStages& backend, const Case& c) {
  const canny::Status status = backend.set_size(c.width, c.height, c.threads, 1);
  std::string failure = status.message();
  if (failure.empty()) failure = stages::check_front(backend, c);
  if (failure.empty()) failure = stages::check_hysteresis(backend, c);
  if (failure.empty()) failure = stages::check_output(backend, c);
  // Other programs run whole frames with edges.
  if (failure.empty() && c.params.view != canny::View::kEdges)
    failure = stages::check_frame(backend, c);
  tally.count(backend.backend(), describe(c), failure);
}

// Runs the front end alone, on frames around the sizes of its kernels' work.
void run_front_case(BackendStages& backend, const Case& c) {
  const canny::Status status = backend.set_size(c.width, c.height, c.threads, 1);
  tally.count(backend.backend(), describe(c),
              status.ok() ? stages::check_front(backend, c) : status.message());
}

void run_one(BackendStages& backend, std::uint64_t seed, int max_side) {
  if (seed >= stages::kMaskSeeds) return stages::run_mask_case(backend, seed, &tally);
  run_case(backend, cases::make_case(seed, max_side));
}

void run(BackendStages& backend, const harness::Options& options) {
  if (options.one_case) return run_one(backend, options.seed, options.max_side);
  for (std::uint64_t seed = 0; seed < cases::table_size() + options.cases; seed += options.step)
    run_case(backend, cases::make_case(seed, options.max_side));
  for (std::uint64_t i = 0; i < cases::front_cases(); i += options.step)
    run_front_case(backend, cases::make_case(cases::kFrontSeeds + i, options.max_side));
  stages::run_drawn_masks(backend, &tally);
  stages::run_corner_mask(backend, &tally);
  for (std::uint64_t i = 0; i < stages::mask_cases(); i += options.step)
    stages::run_mask_case(backend, stages::kMaskSeeds + i, &tally);
}

// The targets of the CPU backend that a machine must run: the portable one and the processor's own,
// unless the build has one target alone. Below the processor that the compiler's flags require,
// there is none.
#if HWY_ARCH_X86 && !defined(HWY_COMPILE_ONLY_STATIC)
bool processor_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string word; file >> word;)
    if (word == flag) return true;
  return false;
}

// Highway has no AVX in 32 bits.
std::int64_t required_targets() {
  const std::int64_t avx = HWY_AVX2 | (processor_has("avx512bw") ? HWY_AVX3 : 0);
  const std::int64_t own = HWY_SSE4 | (HWY_ARCH_X86_64 ? avx : 0);
  return HWY_STATIC_TARGET | (own & (HWY_STATIC_TARGET - 1));
}
#else
bool processor_has(const std::string&) { return false; }

std::int64_t required_targets() { return HWY_STATIC_TARGET; }
#endif

// Runs the CPU backend once for each instruction set that was built and that the machine supports:
// all cases with the best one, some cases with the others.
void run_cpu(harness::Options options) {
  const auto fail = [](const std::string& name) {
    tally.fail(canny::Backend::kCpu,
               "target " + name + " was not built, was not selected, or the processor lacks it");
  };
  const auto backend = stages::cpu_stages();
  std::int64_t missing = required_targets();
  bool best = true;  // the best one comes first
  bool ran_vnni = false;
  for (const stages::Target& target : stages::targets()) {
    stages::force_target(target);
    std::printf("cpu target %s, every case in %d\n", target.name.c_str(),
                static_cast<int>(options.step));
    run(*backend, options);
    if (best) options.step *= kTargetStep;
    best = false;
    missing &= ~target.highway;
    ran_vnni |= canny::cpu::has_vnni();
    if (canny::cpu::has_vnni() != target.is_with_vnni) fail(target.name);
  }
  stages::use_best_target();
  for (; missing != 0; missing &= missing - 1) fail(hwy::TargetName(missing & -missing));
  if (HWY_ARCH_X86_64 && processor_has("avx512_vnni") && !ran_vnni) fail("AVX3_VNNI");
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) run_cpu(options);
  if (options.cuda) {
    std::unique_ptr<BackendStages> cuda;
    const canny::Status status = stages::cuda_stages(&cuda);
    if (status.ok())
      run(*cuda, options);
    else
      tally.skip(canny::Backend::kCuda, status.message());
  }
  return tally.summary();
}

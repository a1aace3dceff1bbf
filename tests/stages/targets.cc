// SPDX-License-Identifier: LGPL-2.1-or-later
#include "targets.h"

#include <hwy/highway.h>

#include "cpu/front/front.h"

namespace stages {
namespace {

bool processor_has_vnni() {
#if HWY_ARCH_X86_64
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

// 0 = all that the processor has.
void select(std::int64_t targets) {
  hwy::SetSupportedTargetsForTest(targets);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace

std::vector<Target> targets() {
  std::vector<Target> all;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    if (target <= HWY_AVX3 && processor_has_vnni())
      all.push_back({target == HWY_AVX3 ? name + "_VNNI" : name, target, true});
    // Better ones always come with VNNI.
    if (target >= HWY_AVX3 || !processor_has_vnni()) all.push_back({name, target, false});
  }
  return all;
}

void force_target(const Target& target) {
  select(target.highway);
  canny::cpu::is_vnni_allowed = target.is_with_vnni;
}

void use_best_target() {
  select(0);
  canny::cpu::is_vnni_allowed = true;
}

}  // namespace stages

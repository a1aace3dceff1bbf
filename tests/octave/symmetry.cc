// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests on which gradients suppression takes mirrored directions for mirrored gradients, so that a
// transposed picture has the transposed edges.
#include <cstdio>

#include "reference.h"

namespace {

using reference::Sector;

/// The sector in the transposed picture.
Sector transposed(Sector sector) {
  switch (sector) {
    case Sector::kHorizontal:
      return Sector::kVertical;
    case Sector::kVertical:
      return Sector::kHorizontal;
    default:
      return sector;
  }
}

bool is_mirrored(int gx, int gy) {
  return reference::sector(gy, gx) == transposed(reference::sector(gx, gy));
}

/// Whether all gradients with |gx| and |gy| up to `largest` are mirrored. The gradient 0 counts as
/// well, although a pixel without a gradient is no candidate.
bool all_mirrored(int largest) {
  for (int gx = -largest; gx <= largest; ++gx) {
    for (int gy = -largest; gy <= largest; ++gy) {
      if (!is_mirrored(gx, gy)) return false;
    }
  }
  return true;
}

int passed = 0;
int failed = 0;

void check(const char* description, bool is_right) {
  ++(is_right ? passed : failed);
  if (!is_right) std::printf("FAILED: %s\n", description);
}

}  // namespace

int main() {
  check("gradients up to 1392 are mirrored", all_mirrored(1392));
  check("the gradient 577, 1393 is not", !is_mirrored(577, 1393));
  check("the gradient -577, 1393 is not", !is_mirrored(-577, 1393));
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}

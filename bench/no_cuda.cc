// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the CUDA backend in a build without it.
#include "bench.h"

namespace bench {

std::unique_ptr<Bench> open_cuda(const Options&, Machine*, std::string* why) {
  *why = "this build has no CUDA backend";
  return nullptr;
}

}  // namespace bench

// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps a stream busy while the host queues what comes next.
#pragma once

#include <cuda_runtime.h>

namespace bench {

/// Queues a kernel of one thread that ends after so many microseconds.
cudaError_t hold(unsigned microseconds, cudaStream_t stream);

}  // namespace bench

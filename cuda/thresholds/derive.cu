// SPDX-License-Identifier: LGPL-2.1-or-later
// Derives thresholds from a histogram. The host does not wait for them.
#include "cuda/thresholds/thresholds.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace canny::cuda {
namespace {

constexpr int kBlockThreads = 1024;  // of a block that handles a whole histogram
static_assert(kBins == 2 * kBlockThreads);

__global__ void __launch_bounds__(kBlockThreads) clear_kernel(Histogram* histogram) {
  wait_and_start_next();
  histogram += blockIdx.z;
  histogram->bins[threadIdx.x] = histogram->bins[threadIdx.x + kBlockThreads] = 0;
  if (threadIdx.x == 0) histogram->largest = 0;
}

// The part of the plan that says how thresholds follow from a histogram.
struct DeriveArguments {
  ThresholdMode mode;
  int bin_shift, are_squared;
  int is_busy;  // whether other frames use the device
};

// A bin and its value for Otsu's method; the first of the best bins wins.
struct Split {
  double variance;
  int bin;  // kBins: none
};

struct Better {
  __device__ Split operator()(const Split& a, const Split& b) const {
    if (a.bin == kBins || b.bin == kBins) return a.bin == kBins ? b : a;
    if (a.variance != b.variance) return a.variance > b.variance ? a : b;
    return a.bin < b.bin ? a : b;
  }
};

// Pixels and the sum of their bins.
struct Class {
  std::uint64_t count, sum;
};

struct ClassSum {
  __device__ Class operator()(const Class& a, const Class& b) const {
    return {a.count + b.count, a.sum + b.sum};
  }
};

using Scan = cub::BlockScan<Class, kBlockThreads, cub::BLOCK_SCAN_WARP_SCANS>;
using Best = cub::BlockReduce<Split, kBlockThreads>;
using First = cub::BlockReduce<int, kBlockThreads>;
union Scratch {
  Scan::TempStorage scan;
  Best::TempStorage best;
  First::TempStorage first;
};

// Returns the first bin that is enough, in thread 0, or kBins. `up_to` are the pixels up to each of
// a thread's bins.
template <class Enough>
__device__ int first_bin(const Class (&up_to)[2], Enough enough, Scratch* scratch) {
  const int bin = 2 * threadIdx.x;
  const int own = enough(up_to[0].count) ? bin : enough(up_to[1].count) ? bin + 1 : kBins;
  return First(scratch->first).Reduce(own, [](int a, int b) { return min(a, b); });
}

// Returns the last bin of the lower class, in thread 0, or kBins if there are no two classes.
__device__ int split_bin(const Class (&up_to)[2], const Class& all, Scratch* scratch) {
  Split best = {0, kBins};
  for (int i = 0; i < 2; ++i) {
    const Class &lower = up_to[i], upper = {all.count - lower.count, all.sum - lower.sum};
    if (lower.count == 0 || upper.count == 0) continue;
    const double variance =
        variance_between(static_cast<double>(lower.count), static_cast<double>(lower.sum),
                         static_cast<double>(upper.count), static_cast<double>(upper.sum));
    best = Better()(best, {variance, static_cast<int>(2 * threadIdx.x + i)});
  }
  return Best(scratch->best).Reduce(best, Better()).bin;
}

// One block per picture. A thread takes two neighboring bins. With kQuantile and kMedian, all
// pixels that may be edges are in the histogram.
__global__ void __launch_bounds__(kBlockThreads)
    thresholds_kernel(DeriveArguments arguments, double high_ratio, double low_ratio,
                      const Histogram* histogram, FrameThresholds* measured) {
  __shared__ Scratch scratch;
  wait_and_start_next(arguments.is_busy);
  histogram += blockIdx.z;
  Class up_to[2], all;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t bin = 2 * threadIdx.x + i, count = histogram->bins[bin];
    up_to[i] = {count, bin * count};
  }
  Scan(scratch.scan).InclusiveScan(up_to, up_to, ClassSum(), all);
  __syncthreads();
  double high = 0;  // in thread 0
  if (arguments.mode == ThresholdMode::kRelative) {
    high = high_ratio * histogram->largest;
  } else if (arguments.mode == ThresholdMode::kQuantile) {
    const double most = high_ratio * static_cast<double>(all.count);
    const int bin = first_bin(
        up_to, [=](std::uint64_t count) { return static_cast<double>(count) > most; }, &scratch);
    high = min(bin, kBins - 1) << arguments.bin_shift;
  } else if (arguments.mode == ThresholdMode::kOtsu) {
    const int bin = split_bin(up_to, all, &scratch);
    high = bin == kBins ? kNoOtsuThreshold : high_ratio * (bin << arguments.bin_shift);
  } else {
    high = high_ratio *
           first_bin(
               up_to, [&](std::uint64_t count) { return 2 * count >= all.count; }, &scratch);
  }
  if (threadIdx.x != 0) return;
  const AutoThreshold measure = {arguments.mode, high_ratio, low_ratio, arguments.bin_shift};
  measured[blockIdx.z] = measured_thresholds(measure, high, arguments.are_squared != 0);
}

}  // namespace

Status clear_histogram(Histogram* histogram, Launcher* launcher) {
  return launcher->launch("clearing kernel", clear_kernel, 1, kBlockThreads, 0, histogram);
}

Status derive_thresholds(const Plan& plan, const Histogram* histogram, bool is_busy,
                         FrameThresholds* measured, Launcher* launcher) {
  const DeriveArguments derive = {plan.auto_threshold.mode, plan.auto_threshold.bin_shift,
                                  plan.is_squared() ? 1 : 0, is_busy ? 1 : 0};
  return launcher->launch("threshold kernel", thresholds_kernel, 1, kBlockThreads, 0, derive,
                          plan.auto_threshold.high_ratio, plan.auto_threshold.low_ratio, histogram,
                          measured);
}

}  // namespace canny::cuda

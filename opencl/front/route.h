// SPDX-License-Identifier: LGPL-2.1-or-later
// The route of a frame: which kernels lead from its pixels to bits, or to a view of images. Every
// route of a plan gives the same bytes, so only its name tells that a plan takes slow kernels.
#pragma once

#include "canny/plan.h"

namespace canny::opencl {

/// The widest blurs that the kernels of a tile take, as radii. Local memory limits both.
inline constexpr int kMaxTileRadius = 6, kMaxBlurTileRadius = 16;

/// Facts about the device that front ends need.
struct FrontDevice {
  bool has_doubles = true;       ///< whether it computes with double precision
  bool is_generic_only = false;  ///< for tests: whether to run generic kernels alone
};

/// What the last kernel of a front end reads.
enum class FrontSource {
  kFrame,          ///< the frame itself
  kBlurTile,       ///< blurred images by one kernel
  kBlurMultipass,  ///< blurred images by kernels for samples, rows and columns
};

/// What counts pixels for thresholds that are measured.
enum class FrontCounter {
  kNone,
  kLuma,       ///< of the frame
  kResponses,  ///< magnitudes of any operator
};

/// The last kernel of a front end.
enum class FrontEnd {
  kTile,     ///< operators of 3x3 pixels, luma of 8 bits, constant thresholds
  kGeneric,  ///< everything
  kView,     ///< a view of images or gradients
};

/// The decisions of a route.
struct FrontRoute {
  FrontSource source = FrontSource::kFrame;
  FrontCounter counter = FrontCounter::kNone;
  FrontEnd end = FrontEnd::kTile;
  bool derives_on_host = false;  ///< whether the host derives thresholds from what was counted
};

/// Chooses the fastest kernels that can execute the plan on the device.
FrontRoute route(const Plan& plan, const FrontDevice& device);

/// The kernels in their order, such as "blur-tile+count-responses+generic". The string is valid
/// until the process ends.
const char* name(const FrontRoute& route);

}  // namespace canny::opencl

// SPDX-License-Identifier: LGPL-2.1-or-later
// The route of a frame: which kernels lead from its pixels to bits, or to a view of images. Every
// route of a plan gives the same bytes, so only its name tells that a plan takes slow kernels.
#pragma once

#include "canny/plan.h"

namespace canny::cuda {

/// Facts about the device that front ends need.
struct FrontDevice {
  bool has_strips = false;  ///< whether it has kStripCapability
  int multiprocessors = 0;
  bool is_busy = false;  ///< whether several other frames are in flight; no route depends on it
  bool is_generic_only = false;  ///< for tests: whether to run generic kernels alone
};

/// What the last kernel of a front end reads.
enum class FrontSource {
  kFrame,          ///< the frame itself
  kLuma,           ///< its luma, an image
  kBlurStrip,      ///< blurred images, each by one kernel
  kBlurColors,     ///< three blurred images by one kernel
  kBlurWideStrip,  ///< blurred images, each by a kernel for luma and one for many taps
  kBlurMultipass,  ///< blurred images by kernels for luma, rows and columns
};

/// What counts pixels for thresholds that are measured.
enum class FrontCounter {
  kNone,
  kLuma,       ///< of the frame; leaves FrontSource::kLuma where the frame is not its own luma
  kPairs,      ///< magnitudes, two at a time
  kResponses,  ///< magnitudes of any operator, in tiles
};

/// The last kernel of a front end.
enum class FrontEnd {
  kStrip,          ///< Sobel, thin edges of luma, on devices with strips
  kWeightedStrip,  ///< likewise for other separable operators of 3x3 pixels
  kMaxima,         ///< strips that list maxima, for Otsu's method: counted and then split
  kTile,           ///< Sobel, thin edges of luma, few taps, constant thresholds
  kGeneric,        ///< everything
  kDeepTile,       ///< deep samples: Sobel, thin edges of luma, few taps
  kView,           ///< a view of images or gradients
  kPairsView,      ///< a view of magnitudes, two at a time
};

/// The decisions of a route.
struct FrontRoute {
  FrontSource source = FrontSource::kFrame;
  FrontCounter counter = FrontCounter::kNone;
  FrontEnd end = FrontEnd::kGeneric;
  bool has_row_sums = false;  ///< whether FrontBuffers needs row sums

  bool has_blurred_images() const { return source >= FrontSource::kBlurStrip; }
  /// Whether FrontBuffers needs images.
  bool has_images() const { return source != FrontSource::kFrame; }
};

/// Chooses the fastest kernels that can execute the plan on the device.
FrontRoute route(const Plan& plan, const FrontDevice& device);

/// The kernels in their order, such as "blur-strip+count-pairs+strip". The string is valid until
/// the process ends.
const char* name(const FrontRoute& route);

/// Whether no front end for 8-bit samples reads pixels of this format, so that luma() must.
bool needs_luma(PixelFormat format);

/// Whether no front end reads pixels of this deep format, so that deep_luma() or luma() must.
bool needs_deep_luma(PixelFormat format);

}  // namespace canny::cuda

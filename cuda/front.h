// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into candidate and strong bits: the front ends, and the choice of one for a plan.
#pragma once

#include "canny/canny.h"
#include "canny/measure.h"
#include "canny/plan.h"
#include "cuda/images.h"
#include "cuda/launch.h"
#include "cuda/plane.h"
#include "cuda/region.h"

namespace canny::cuda {

/// Taps as the matrices that front_strip() multiplies by: two products for each direction, and one
/// entry per lane.
struct TapTables {
  uint4 rows[2][32], columns[2][32];
};

/// The tables of the taps that were last used.
struct TapCache {
  Taps taps;
  TapTables tables = {};
};

/// Facts about the device that front ends need.
struct FrontDevice {
  bool has_strips = false;  ///< whether front_strip() runs there
  int multiprocessors = 0;
  bool is_busy = false;  ///< whether several other frames are in flight
};

/// The pixels, in device memory at any alignment, and the planes to write.
struct FrontArguments {
  const Plan& plan;
  ConstFrame input;
  const FrontBuffers& buffers;
  const Images* images;  ///< the blurred images of the frame, or null if they are not there yet
  const TilePlane& candidate;
  const TilePlane& strong;
  // In device memory, for ThresholdSource::kMeasured:
  Histogram* histogram;
  Measured* measured;
  const FrontDevice& device;
  TapCache* taps;
  RegionPlane region;  ///< where bits and counts matter; images are those of the whole frame, and
                       ///< bits outside may remain

  /// Copies that differ in one member. Members that are no references can be assigned.
  FrontArguments with_plan(const Plan& other) const {
    return {other,     input,    buffers, images, candidate, strong,
            histogram, measured, device,  taps,   region};
  }
  FrontArguments with_buffers(const FrontBuffers& other) const {
    return {plan,      input,    other,  images, candidate, strong,
            histogram, measured, device, taps,   region};
  }
};

/// A front end.
struct FrontImpl {
  bool (*accepts)(const Plan& plan, const FrontDevice& device);
  bool needs_images;  ///< whether it works on images_of()
  Status (*launch)(const FrontArguments& arguments, Launcher* launcher);
};

// For thin edges of luma:
/// For Sobel and at most kStripTaps taps, on devices of kStripCapability and up.
Status front_strip(const FrontArguments& arguments, Launcher* launcher);
/// Likewise for the other separable operators of 3x3 pixels.
Status front_strip_weighted(const FrontArguments& arguments, Launcher* launcher);
/// For Sobel and at most kTileTaps taps.
Status front_tile(const FrontArguments& arguments, Launcher* launcher);
/// For Sobel.
Status front_images(const FrontArguments& arguments, Launcher* launcher);
/// For Sobel and at most kTileTaps taps, with deep samples in words of 16 bits.
Status front_deep_tile(const FrontArguments& arguments, Launcher* launcher);
/// For every plan.
Status front_generic(const FrontArguments& arguments, Launcher* launcher);

/// Computes the blurred images of a frame like blurred_images(), for at most kStripTaps taps and
/// formats whose pixels or planes front ends read, on devices of kStripCapability and up. Needs no
/// row_sums.
Status strip_images(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// Returns the blurred images of the frame.
Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher);

/// The memory that a frame needs for images.
enum class ImageUse {
  kNone,
  kImage,            ///< the images of FrontBuffers
  kImageAndRowSums,  ///< these and the row sums
};
ImageUse image_use(const Plan& plan, const FrontDevice& device);

/// Whether a plan counts only the pixels that suppression keeps and needs
/// FrontBuffers::kept for that.
bool keeps_magnitudes(const Plan& plan, const FrontDevice& device);

/// Queues the work of the fastest front end that accepts the plan and, before it, of measuring the
/// thresholds if the plan asks for that.
Status front(const FrontArguments& arguments, Launcher* launcher);

}  // namespace canny::cuda

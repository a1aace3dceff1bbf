// SPDX-License-Identifier: LGPL-2.1-or-later
// Queues the kernels of a route.
#include "cuda/front/front.h"

#include "cuda/check.h"
#include "cuda/front/images/images.h"
#include "cuda/thresholds/thresholds.h"

namespace canny::cuda {
namespace {

// Queues count(), which adds to the histogram, and the thresholds that follow from it.
template <class Count>
Status measure(const FrontArguments& arguments, Launcher* launcher, Count count) {
  CANNY_TRY(clear_histogram(arguments.histogram, launcher));
  CANNY_TRY(count());
  return derive_thresholds(arguments.plan, arguments.histogram, arguments.device.is_busy,
                           arguments.measured, launcher);
}

// Queues the end of a route for Otsu's method: one suppression serves the count and the result.
Status front_maxima(const FrontArguments& arguments, Launcher* launcher) {
  CANNY_TRY(measure(arguments, launcher, [&]() -> Status {
    CANNY_TRY(list_maxima(arguments, launcher));
    return count_maxima(arguments, launcher);
  }));
  return split_maxima(arguments, launcher);
}

// Sets what kernels that blur read. A blurred image is a frame that has the same gradients without
// blur.
template <class Sample>
Status set_source(FrontArguments* arguments, Launcher* launcher) {
  const FrontRoute& route = arguments->route;
  Sample* const image = arguments->buffers.image<Sample>(0);
  const int pitch = arguments->buffers.pitch;
  const ConstFrame input = arguments->input;
  if (route.source == FrontSource::kLuma && route.counter != FrontCounter::kLuma)
    return luma(input, kLumaWeights, image, pitch, &arguments->input, launcher);
  if (route.source == FrontSource::kFrame) return {};
  arguments->input = image_frame(input, image, pitch);
  if (route.has_blurred_images()) arguments->blur = &kNoBlur;
  return {};
}

Status queue_end(const FrontArguments& arguments, const Images& images, Launcher* launcher) {
  switch (arguments.route.end) {
    case FrontEnd::kStrip:
      return front_strip(arguments, launcher);
    case FrontEnd::kWeightedStrip:
      return front_strip_weighted(arguments, launcher);
    case FrontEnd::kMaxima:
      return front_maxima(arguments, launcher);
    case FrontEnd::kTile:
      return front_tile(arguments, launcher);
    case FrontEnd::kDeepTile:
      return front_deep_tile(arguments, launcher);
    case FrontEnd::kGeneric:
    case FrontEnd::kView:
    case FrontEnd::kPairsView:
      break;
  }
  return front_generic(arguments, images, launcher);
}

}  // namespace

Status images_of(const FrontArguments& arguments, Images* images, Launcher* launcher) {
  if (arguments.route.source == FrontSource::kBlurMultipass)
    return blurred_images(arguments.plan, arguments.input, arguments.buffers, images, launcher);
  return blur_strip(arguments, images, launcher);
}

Status front(const FrontArguments& arguments, Launcher* launcher) {
  const FrontRoute& route = arguments.route;
  const bool counts_luma = route.counter == FrontCounter::kLuma;
  const bool counts_magnitudes = route.counter != FrontCounter::kNone && !counts_luma;
  Images images = {};
  if (counts_luma)
    CANNY_TRY(measure(arguments, launcher, [&] { return count_luma(arguments, launcher); }));
  if (route.has_blurred_images()) CANNY_TRY(images_of(arguments, &images, launcher));
  if (counts_magnitudes)
    CANNY_TRY(measure(arguments, launcher,
                      [&] { return count_magnitudes(arguments, images, launcher); }));
  FrontArguments of_source = arguments;
  CANNY_TRY(arguments.plan.is_deep ? set_source<std::uint16_t>(&of_source, launcher)
                                   : set_source<std::uint8_t>(&of_source, launcher));
  return queue_end(of_source, images, launcher);
}

}  // namespace canny::cuda

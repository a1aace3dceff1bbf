// SPDX-License-Identifier: LGPL-2.1-or-later
// The blurred images of a frame, by the first half of front_strip.cu.
#include "cuda/check.h"
#include "cuda/front_strip/image.h"
#include "cuda/front_strip/kernel.h"

namespace canny::cuda {

Status strip_images(const FrontArguments& arguments, Images* images, Launcher* launcher) {
  const FrontBuffers& buffers = arguments.buffers;
  *images = {{buffers.image, buffers.colors[0], buffers.colors[1]},
             arguments.plan.channels,
             buffers.pitch};
  if (images->count == 1) return strip::launch_strips<strip::ImageMath>(arguments, launcher);
  constexpr ColorWeights kColors[] = {kRedWeights, kGreenWeights, kBlueWeights};
  std::uint8_t* const destinations[] = {buffers.image, buffers.colors[0], buffers.colors[1]};
  const bool has_planes = layout(arguments.input.format).planes == 3;
  for (int i = 0; i < 3; ++i) {
    FrontBuffers of_color = buffers;
    of_color.image = destinations[i];
    const FrontArguments color = {arguments.plan,
                                  has_planes ? plane(arguments.input, i) : arguments.input,
                                  of_color,
                                  nullptr,
                                  arguments.candidate,
                                  arguments.strong,
                                  arguments.histogram,
                                  arguments.measured,
                                  arguments.device,
                                  arguments.taps,
                                  {}};
    CANNY_TRY(strip::launch_strips<strip::ImageMath>(color, launcher, kColors[i]));
  }
  return {};
}

}  // namespace canny::cuda

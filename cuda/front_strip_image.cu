// SPDX-License-Identifier: LGPL-2.1-or-later
// The blurred image of a frame's luma, by the first half of front_strip.cu.
#include "cuda/check.h"
#include "cuda/front_strip/image.h"
#include "cuda/front_strip/kernel.h"

namespace canny::cuda {

Status strip_image(const FrontArguments& arguments, Launcher* launcher) {
  return strip::launch_strips<strip::ImageMath>(arguments, launcher);
}

}  // namespace canny::cuda

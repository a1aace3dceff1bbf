// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns values into pixels through the plan's palette, a pixel per thread.
#include "cuda/show.h"

#include "canny/frame.h"
#include "canny/measure.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/responses.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The output, and the bytes of its pixels for each value.
struct ShowArguments {
  BasicPlane<std::uint8_t> planes[3];
  int bytes, plane_count;
  Palette palette;
};

ShowArguments show_arguments(const Plan& plan, const Frame& output) {
  ShowArguments show = {};
  show.bytes = layout(output.format).bytes;
  show.plane_count = layout(output.format).planes;
  for (int i = 0; i < show.plane_count; ++i) {
    const Frame rows = plane(output, i);
    show.planes[i] = {rows.data, rows.stride_bytes};
  }
  show.palette = plan.palette;
  return show;
}

// A block's copy of the palette, which threads read at different places at a time.
struct BlockPalette {
  std::uint32_t pixel[kValues];

  // All threads call this.
  __device__ void load(const ShowArguments& show) {
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < kValues; i += threads)
      pixel[i] = show.palette.pixel[i];
    __syncthreads();
  }
};

__device__ void write_value(const ShowArguments& show, const BlockPalette& palette, int x, int y,
                            int value) {
  const std::uint32_t pixel = palette.pixel[value];
  if (show.plane_count == 3) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
      show.planes[i].data[y * show.planes[i].stride_bytes + x] =
          static_cast<std::uint8_t>(pixel >> 8 * i);
    return;
  }
  std::uint8_t* out = show.planes[0].data + y * show.planes[0].stride_bytes + x * show.bytes;
  for (int i = 0; i < show.bytes; ++i) out[i] = static_cast<std::uint8_t>(pixel >> 8 * i);
}

// ---- images ----

__global__ void __launch_bounds__(kLumaThreads)
    show_image_kernel(const std::uint8_t* image, int pitch, int width, int height,
                      __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  palette.load(show);
  const int x = blockIdx.x * kLumaThreads + threadIdx.x, first = blockIdx.y * kTile;
  const int last = min(first + kTile, height);
  wait_for_previous_kernel();
  start_next_kernel();
  if (x >= width) return;
#pragma unroll 4
  for (int y = first; y < last; ++y)
    write_value(show, palette, x, y, image[static_cast<std::size_t>(pitch) * y + x]);
}

// ---- gradients ----

// How a value follows from a response.
struct HeightArguments {
  View view;
  int are_squared, gain;
};

__device__ int direction_value(Sector sector) {
  return sector == kHorizontal ? kHorizontalValue
         : sector == kVertical ? kVerticalValue
         : sector == kRising   ? kRisingValue
                               : kFallingValue;
}

__device__ int value_of(const HeightArguments& height, const ResponseTile& tile, int row,
                        int column) {
  const std::uint32_t magnitude = tile.magnitude[row][column];
  if (magnitude == 0) return 0;
  if (height.view == View::kDirection) return direction_value(tile.sector[row][column]);
  if (height.view == View::kSuppressed && !is_maximum(tile, row, column)) return 0;
  const int length =
      static_cast<int>(height.are_squared != 0 ? length_of_square(magnitude) : magnitude);
  return min(length / height.gain, 255);
}

// Without a number of blocks, the compiler spills registers for some devices.
template <class Form>
__global__ void __launch_bounds__(kResponseThreads, 2)
    show_responses_kernel(__grid_constant__ const ResponseArguments arguments,
                          HeightArguments height, __grid_constant__ const ShowArguments show) {
  __shared__ ResponseTile tile;
  __shared__ BlockPalette palette;
  palette.load(show);
  wait_for_previous_kernel();
  start_next_kernel();
  compute_responses<Form>(arguments, height.view == View::kGradient ? kNoSectors : 0, &tile);
  for_each_pixel(arguments, [&](int row, int column) {
    const int x = left_of_tile() + column, y = top_of_responses() + row;
    write_value(show, palette, x, y, value_of(height, tile, row, column));
  });
}

Status show_responses(const Plan& plan, const Images& images, const Frame& output,
                      Launcher* launcher) {
  const auto kernel = with_form(plan.weights, images.count,
                                [](auto form) { return show_responses_kernel<decltype(form)>; });
  const dim3 grid(blocks(output.width, kResponseWidth), blocks(output.height, kResponseHeight));
  const HeightArguments height = {plan.view, plan.is_squared() ? 1 : 0,
                                  operator_gain(plan.weights)};
  return launcher->launch("view kernel", kernel, grid, kResponseThreads, 0,
                          response_arguments(plan, images, output.width, output.height), height,
                          show_arguments(plan, output));
}

// ---- planes ----

// Calls f(lane's column, row, its bit's index) for each pixel of a warp's tile.
template <class F>
__device__ void for_each_pixel_of_tile(const TilePlane& plane, int tile_x, F f) {
  const int x = tile_x * kTile + threadIdx.x;
  if (x >= plane.width) return;
  const int first = blockIdx.y * kTile, last = min(first + kTile, plane.height);
  for (int y = first; y < last; ++y) f(x, y);
}

__device__ bool bit_of(const TilePlane& plane, int x, int y) {
  return (plane.word(x / kTile, y) >> x % kTile & 1) != 0;
}

// A warp a tile, a column per lane.
__global__ void __launch_bounds__(kTile* kPassTiles)
    show_classes_kernel(TilePlane candidate, TilePlane strong,
                        __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  palette.load(show);
  wait_for_previous_kernel();
  start_next_kernel();
  for_each_pixel_of_tile(candidate, blockIdx.x * kPassTiles + threadIdx.y, [&](int x, int y) {
    const int weak = bit_of(candidate, x, y) ? kCandidateValue : 0;
    write_value(show, palette, x, y, bit_of(strong, x, y) ? kStrongValue : weak);
  });
}

// Writes the pixels that a pass found, or before the first pass all: strong ones and others.
__global__ void __launch_bounds__(kTile* kPassTiles)
    show_pass_kernel(int pass, TilePlane from, TilePlane to, const std::uint32_t* grew,
                     __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  wait_for_previous_kernel();
  start_next_kernel();
  if (pass > 1 && grew[pass - 1] == 0) return;  // for all threads
  palette.load(show);
  const int tile_x = blockIdx.x * kPassTiles + threadIdx.y;
  for_each_pixel_of_tile(to, tile_x, [&](int x, int y) {
    const bool is_new = bit_of(to, x, y) && (pass == 0 || !bit_of(from, x, y));
    if (is_new || pass == 0)
      write_value(show, palette, x, y, !is_new ? 0 : pass == 0 ? kStrongValue : pass);
  });
}

dim3 tile_grid(const TilePlane& plane) {
  return dim3(blocks(plane.columns(), kPassTiles), plane.rows());
}

}  // namespace

Status show_images(const FrontArguments& arguments, const Frame& output, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  Images images;
  CANNY_TRY(images_of(arguments, &images, launcher));
  if (!shows_luma(plan.view)) return show_responses(plan, images, output, launcher);
  const dim3 grid(blocks(output.width, kLumaThreads), blocks(output.height, kTile));
  return launcher->launch("view kernel", show_image_kernel, grid, kLumaThreads, 0, images.image[0],
                          images.pitch, output.width, output.height, show_arguments(plan, output));
}

Status show_classes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                    const Frame& output, Launcher* launcher) {
  return launcher->launch("view kernel", show_classes_kernel, tile_grid(candidate),
                          dim3(kTile, kPassTiles), 0, candidate, strong,
                          show_arguments(plan, output));
}

Status show_passes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                   const HysteresisBuffers& buffers, const Frame& output, Launcher* launcher) {
  const ShowArguments show = show_arguments(plan, output);
  TilePlane from = strong, to = strong;
  const auto launch = [&](unsigned pass) {
    return launcher->launch("view kernel", show_pass_kernel, tile_grid(candidate),
                            dim3(kTile, kPassTiles), 0, pass, from, to, buffers.grew, show);
  };
  CANNY_TRY(launch(0));
  to.words = buffers.other;
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    CANNY_TRY(queue_pass(pass, candidate, from, to, buffers, launcher));
    CANNY_TRY(launch(pass + 1));
    std::swap(from, to);
  }
  return {};
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns values into pixels through the plan's palette, a pixel per thread.

#include "canny/frame.h"
#include "canny/view.h"
#include "cuda/check.h"
#include "cuda/front/generic/gradient_tile.h"
#include "cuda/geometry.h"
#include "cuda/groups.h"
#include "cuda/hysteresis/pass.h"
#include "cuda/output/output.h"
#include "cuda/pictures.h"
#include "cuda/tuning.h"

namespace canny::cuda {
namespace {

// The output, and the bytes of its pixels for each value.
struct ShowArguments {
  BasicPlane<std::uint8_t> planes[3];
  Pictures pictures;
  int bytes, plane_count;
  int float_bytes, floats;  // of floats, and of a pixel in a plane; 0 for integers
  Palette palette;
};

ShowArguments show_arguments(const Plan& plan, const Frame& output) {
  ShowArguments show = {};
  show.bytes = layout(output.format).bytes;
  show.plane_count = layout(output.format).planes;
  if (layout(output.format).has_floats()) {
    show.float_bytes = layout(output.format).sample_bytes();
    show.floats = show.bytes / show.float_bytes;
  }
  for (int i = 0; i < show.plane_count; ++i) {
    const Frame rows = plane(output, i);
    show.planes[i] = {rows.data, rows.stride_bytes};
  }
  show.pictures = pictures_of(output);
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

// `offset` is that of the picture. Unrolled loops would take registers from frames without floats.
__device__ void write_floats(const ShowArguments& show, std::ptrdiff_t offset, int x, int y,
                             std::uint32_t pixel) {
#pragma unroll 1
  for (int i = 0; i < show.plane_count * show.floats; ++i) {
    const BasicPlane<std::uint8_t>& plane = show.planes[i / show.floats];
    std::uint8_t* out = plane.data + offset + y * plane.stride_bytes + x * show.bytes;
    const std::uint32_t bits = show.palette.sample[pixel >> 8 * i & 255];
#pragma unroll 1
    for (int byte = 0; byte < show.float_bytes; ++byte)
      out[i % show.floats * show.float_bytes + byte] = static_cast<std::uint8_t>(bits >> 8 * byte);
  }
}

__device__ void write_pixel(const ShowArguments& show, std::ptrdiff_t offset, int x, int y,
                            std::uint32_t pixel) {
  if (show.floats > 0) return write_floats(show, offset, x, y, pixel);
  if (show.plane_count == 3) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
      show.planes[i].data[offset + y * show.planes[i].stride_bytes + x] =
          static_cast<std::uint8_t>(pixel >> 8 * i);
    return;
  }
  std::uint8_t* out =
      show.planes[0].data + offset + y * show.planes[0].stride_bytes + x * show.bytes;
  for (int i = 0; i < show.bytes; ++i) out[i] = static_cast<std::uint8_t>(pixel >> 8 * i);
}

// Writes 4 pixels from column x of a row on, which are in the image, in words.
__device__ void write_group(const ShowArguments& show, std::ptrdiff_t offset, int x, int y,
                            const std::uint32_t (&pixel)[kGroup]) {
  const auto bytes_of = [&](int i) {  // byte i of each pixel
    const int selector = i | (4 + i) << 4;
    return __byte_perm(__byte_perm(pixel[0], pixel[1], selector),
                       __byte_perm(pixel[2], pixel[3], selector), 0x5410);
  };
  for (int i = 0; i < show.plane_count; ++i) {
    const BasicPlane<std::uint8_t>& plane = show.planes[i];
    auto* words = reinterpret_cast<std::uint32_t*>(plane.data + offset + y * plane.stride_bytes +
                                                   x * std::ptrdiff_t{show.bytes});
    if (show.bytes == 1) {
      words[0] = bytes_of(i);
    } else if (show.bytes == 2) {
      words[0] = __byte_perm(pixel[0], pixel[1], 0x5410);
      words[1] = __byte_perm(pixel[2], pixel[3], 0x5410);
    } else if (show.bytes == 3) {
      words[0] = __byte_perm(pixel[0], pixel[1], 0x4210);
      words[1] = __byte_perm(pixel[1], pixel[2], 0x5421);
      words[2] = __byte_perm(pixel[2], pixel[3], 0x6542);
    } else {
      for (int j = 0; j < kGroup; ++j) words[j] = pixel[j];
    }
  }
}

// ---- images ----

// Shows the highest 8 bits of samples.
template <class Sample>
__global__ void __launch_bounds__(kLumaThreads)
    show_image_kernel(const std::uint8_t* image, int pitch, int width, int height,
                      __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  palette.load(show);
  const int x = blockIdx.x * kLumaThreads + threadIdx.x, first = blockIdx.y * kTile;
  const int last = min(first + kTile, height);
  wait_and_start_next();
  if (x >= width) return;
  const std::ptrdiff_t offset = show.pictures.offset();
  constexpr int kLost = 8 * sizeof(Sample) - 8;
#pragma unroll 4
  for (int y = first; y < last; ++y) {
    const auto* row = reinterpret_cast<const Sample*>(
        image + static_cast<std::size_t>(pitch) * (first_row_of_picture(height) + y));
    write_pixel(show, offset, x, y, palette.pixel[row[x] >> kLost]);
  }
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

template <class Tile>
__device__ int value_of(const HeightArguments& height, const Tile& tile, int row, int column) {
  const auto length =
      static_cast<int>(length_of(tile.magnitude[row][column], height.are_squared != 0));
  if (length == 0) return 0;
  if (height.view == View::kDirection) return direction_value(tile.sector[row][column]);
  if (height.view == View::kSuppressed && !is_maximum(tile, row, column)) return 0;
  return min(length / height.gain, 255);
}

// Without a number of blocks, the compiler spills registers for some devices.
template <class Form, class Sample>
__global__ void __launch_bounds__(kResponseThreads, 2)
    show_responses_kernel(__grid_constant__ const ResponseArguments arguments,
                          HeightArguments height, __grid_constant__ const ShowArguments show) {
  using Tile = ResponseTile<Sample, Form>;
  __shared__ Tile tile;
  __shared__ BlockPalette palette;
  palette.load(show);
  wait_and_start_next();
  const std::ptrdiff_t offset = show.pictures.offset();
  compute_responses<Form>(arguments, height.view == View::kGradient ? kNoSectors : 0, &tile);
  for_each_pixel<Tile>(arguments, [&](int row, int column) {
    const int x = left_of_tile() + column, y = top_of_responses<Tile>() + row;
    write_pixel(show, offset, x, y, palette.pixel[value_of(height, tile, row, column)]);
  });
}

template <class Sample>
Status show_responses(const Plan& plan, const Images& images, const Frame& output,
                      Launcher* launcher) {
  const HeightArguments height = {plan.view, plan.is_squared() ? 1 : 0,
                                  operator_gain(plan.weights)};
  return with_form<Sample>(plan.weights, images.count, [&](auto form) {
    using Form = decltype(form);
    const dim3 grid(blocks(output.width, kResponseWidth),
                    blocks(output.height, ResponseTile<Sample, Form>::kHeight));
    return launcher->launch("view kernel", show_responses_kernel<Form, Sample>, grid,
                            kResponseThreads, 0,
                            response_arguments(plan, images, output.width, output.height), height,
                            show_arguments(plan, output));
  });
}

// Shows magnitudes of separable operators of 3x3 pixels, 4 pixels at a time. They are divided by
// the gain through a product with ceil(2^32 / gain), which gives the same integers for lengths up
// to 2^16.
template <Norm kNorm>
__global__ void __launch_bounds__(kCountThreads)
    show_gradient_kernel(__grid_constant__ const ResponseArguments arguments,
                         std::uint32_t inverse_gain, bool has_words,
                         __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  palette.load(show);
  wait_and_start_next();
  const std::ptrdiff_t offset = show.pictures.offset();
  for_each_group<kNorm, kCountRows>(
      arguments, [&](int x, int y, const std::uint32_t(&magnitude)[kGroup]) {
        std::uint32_t pixel[kGroup];
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
          const std::uint32_t length = length_of(magnitude[i], kNorm == Norm::kL2);
          pixel[i] = palette.pixel[min(__umulhi(length, inverse_gain), 255)];
        }
        if (has_words && x + kGroup <= arguments.width)
          return write_group(show, offset, x, y, pixel);
        for (int i = 0; i < kGroup && x + i < arguments.width; ++i)
          write_pixel(show, offset, x + i, y, pixel[i]);
      });
}

// Whether write_group() can write groups.
bool has_words(const ShowArguments& show) {
  bool are_aligned = show.floats == 0;
  for (int i = 0; i < show.plane_count; ++i)
    are_aligned &= is_aligned(show.planes[i], show.pictures, kGroup);
  return are_aligned;
}

Status show_gradient(const Plan& plan, const Images& images, const Frame& output,
                     Launcher* launcher) {
  const auto kernel =
      plan.norm == Norm::kL2 ? show_gradient_kernel<Norm::kL2> : show_gradient_kernel<Norm::kL1>;
  const auto gain = static_cast<std::uint32_t>(operator_gain(plan.weights));
  const std::uint32_t inverse_gain = ~0u / gain + 1;  // the gain is at least 2
  const ShowArguments show = show_arguments(plan, output);
  const dim3 grid(blocks(output.width, kCountThreads * kGroup), blocks(output.height, kCountRows));
  return launcher->launch("view kernel", kernel, grid, kCountThreads, 0,
                          response_arguments(plan, images, output.width, output.height),
                          inverse_gain, has_words(show), show);
}

// ---- planes ----

// A warp a tile, a column per lane.
__global__ void __launch_bounds__(kTile* kPassTiles)
    show_classes_kernel(TilePlane candidate, TilePlane strong,
                        __grid_constant__ const ShowArguments show) {
  __shared__ BlockPalette palette;
  palette.load(show);
  wait_and_start_next();
  const std::ptrdiff_t offset = show.pictures.offset();
  const int x = (blockIdx.x * kPassTiles + threadIdx.y) * kTile + threadIdx.x;
  if (x >= candidate.width) return;
  const int first = blockIdx.y * kTile, last = min(first + kTile, candidate.height);
  for (int y = first; y < last; ++y) {
    const int weak = candidate.bit(x, y) ? kCandidateValue : 0;
    write_pixel(show, offset, x, y, palette.pixel[strong.bit(x, y) ? kStrongValue : weak]);
  }
}

// Runs a pass and writes the pixels that it finds.
__global__ void __launch_bounds__(kTile* kPassTiles)
    show_pass_kernel(int pass, TilePlane candidate, TilePlane from, TilePlane to,
                     std::uint32_t* grew, unsigned long long* count,
                     __grid_constant__ const ShowArguments show) {
  wait_and_start_next();
  const std::ptrdiff_t offset = show.pictures.offset();
  const std::uint32_t found = run_pass(pass, candidate, from, to, grew, count);
  const int x = (blockIdx.x * kPassTiles + threadIdx.y) * kTile + threadIdx.x;
  const std::uint32_t pixel = show.palette.pixel[pass + 1];
  for (std::uint32_t rows = __ballot_sync(~0u, found != 0); rows != 0; rows &= rows - 1) {
    const int row = __ffs(rows) - 1;
    if (__shfl_sync(~0u, found, row) >> threadIdx.x & 1)
      write_pixel(show, offset, x, blockIdx.y * kTile + row, pixel);
  }
}

}  // namespace

Status show_images(const FrontArguments& arguments, const Frame& output, Launcher* launcher) {
  const Plan& plan = arguments.plan;
  CANNY_TRY(output_chroma(output, launcher));
  Images images;
  CANNY_TRY(images_of(arguments, &images, launcher));
  if (arguments.route.end == FrontEnd::kPairsView)
    return show_gradient(plan, images, output, launcher);
  if (!shows_luma(plan.view)) {
    const auto launch = plan.is_deep ? show_responses<std::uint16_t> : show_responses<std::uint8_t>;
    return launch(plan, images, output, launcher);
  }
  const auto kernel =
      plan.is_deep ? show_image_kernel<std::uint16_t> : show_image_kernel<std::uint8_t>;
  const dim3 grid(blocks(output.width, kLumaThreads), blocks(output.height, kTile));
  return launcher->launch("view kernel", kernel, grid, kLumaThreads, 0, images.image[0],
                          images.pitch, output.width, output.height, show_arguments(plan, output));
}

Status show_classes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                    const Frame& output, Launcher* launcher) {
  CANNY_TRY(output_chroma(output, launcher));
  return launcher->launch_tiles("view kernel", show_classes_kernel, candidate, kPassTiles,
                                candidate, strong, show_arguments(plan, output));
}

Status show_passes(const Plan& plan, const TilePlane& candidate, const TilePlane& strong,
                   const HysteresisBuffers& buffers, const Frame& output, Launcher* launcher) {
  // Writes all pixels: strong ones and others.
  CANNY_TRY(show_classes(plan, strong, strong, output, launcher));
  const ShowArguments show = show_arguments(plan, output);
  TilePlane from = strong, to = strong;
  to.words = buffers.other;
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    CANNY_TRY(launcher->launch_tiles("view kernel", show_pass_kernel, candidate, kPassTiles, pass,
                                     candidate, from, to, buffers.grew, buffers.count, show));
    std::swap(from, to);
  }
  return {};
}

}  // namespace canny::cuda

// SPDX-License-Identifier: LGPL-2.1-or-later
// The first kernels of any plan: from pixels to blurred samples. pixels.cl comes first.
//
// A work group computes a tile of kTileWidth x kTileHeight pixels, and keeps what is between its
// steps in local memory. OpenCL promises 32 KiB of it.

enum {
  kBlurColumns = kTileWidth + 2 * kMaxBlurTileRadius,
  kBlurRows = kTileHeight + 2 * kMaxBlurTileRadius
};

// Weights with 8 fractional bits, of the samples from -radius to radius.
typedef struct {
  int radius;
  uint weight[kMaxTaps];
} Blur;

// The samples of a channel from (left, top) on, mirrored at the image's borders.
void load_samples(global const uchar* data, const Source source, int channel, int left, int top,
                  int columns, int rows, local ushort* samples) {
  for (int i = get_local_id(0); i < rows * kBlurColumns; i += kTileItems) {
    const int column = i % kBlurColumns;
    if (column >= columns) continue;
    const int4 color = sample_at(data, source, reflect(left + column, source.width),
                                 reflect(top + i / kBlurColumns, source.height));
    samples[i] = source.channels == 1 ? luma_of_color(color)
                 : channel == 0       ? color.x
                 : channel == 1       ? color.y
                                      : color.z;
  }
}

// The rows' sums.
void blur_tile_rows(local const ushort* samples, const Blur blur, local uint* sums) {
  const int rows = kTileHeight + 2 * blur.radius;
  for (int i = get_local_id(0); i < rows * kTileWidth; i += kTileItems) {
    local const ushort* from = samples + i / kTileWidth * kBlurColumns + i % kTileWidth;
    uint sum = 0;
    for (int tap = 0; tap <= 2 * blur.radius; ++tap) sum += blur.weight[tap] * from[tap];
    sums[i] = sum;
  }
}

// Writes luma, or the three colors, each to an image of its own. A single weight of 256 changes
// no sample.
KERNEL_OF(kTileItems)
void blur_tile(global const uchar* data, const Source source, const Blur blur,
               global ushort* blurred) {
  local ushort samples[kBlurRows * kBlurColumns];
  local uint sums[kBlurRows * kTileWidth];
  const int left = kTileWidth * get_group_id(0), top = kTileHeight * get_group_id(1);
  for (int channel = 0; channel < source.channels; ++channel) {
    load_samples(data, source, channel, left - blur.radius, top - blur.radius,
                 kTileWidth + 2 * blur.radius, kTileHeight + 2 * blur.radius, samples);
    barrier(CLK_LOCAL_MEM_FENCE);
    blur_tile_rows(samples, blur, sums);
    barrier(CLK_LOCAL_MEM_FENCE);
    global ushort* image = blurred + (size_t)channel * source.width * source.height;
    for (int i = get_local_id(0); i < kTileHeight * kTileWidth; i += kTileItems) {
      const int x = left + i % kTileWidth, y = top + i / kTileWidth;
      if (x >= source.width || y >= source.height) continue;
      uint sum = 1 << 15;
      for (int tap = 0; tap <= 2 * blur.radius; ++tap)
        sum += blur.weight[tap] * sums[i + tap * kTileWidth];
      image[(size_t)y * source.width + x] = sum >> 16;
    }
  }
}

// Blurs that are too wide for tiles take two passes, with one work item per sample. In the first, a
// row's sums.
KERNEL_OF(kTileItems)
void blur_rows(global const ushort* samples, int width, int height, const Blur blur,
               global uint* sums) {
  const int x = get_global_id(0);
  if (x >= width) return;
  const size_t row = ((size_t)get_global_id(2) * height + get_global_id(1)) * width;
  uint sum = 0;
  for (int i = 0; i <= 2 * blur.radius; ++i)
    sum += blur.weight[i] * samples[row + reflect(x + i - blur.radius, width)];
  sums[row + x] = sum;
}

// A column's sums, rounded. They are below 2^32.
KERNEL_OF(kTileItems)
void blur_columns(global const uint* sums, int width, int height, const Blur blur,
                  global ushort* samples) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  const size_t image = (size_t)get_global_id(2) * height;
  uint sum = 1 << 15;
  for (int i = 0; i <= 2 * blur.radius; ++i)
    sum += blur.weight[i] * sums[(image + reflect(y + i - blur.radius, height)) * width + x];
  samples[(image + y) * width + x] = sum >> 16;
}

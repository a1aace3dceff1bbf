// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end in OpenCL C 1.2: from pixels to candidates and strong pixels, with one kernel per
// stage and, unless stated otherwise, one work item per pixel. Work groups are rows of 64; the items
// beyond the last column have nothing to do. docs/edge-map.md has the definition.
//
// pixels.cl and gradient.cl come first.

// Luma, or the three colors, each in an image of its own.
kernel void sample(global const uchar* data, const Source source, global ushort* samples) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= source.width) return;
  const int4 color = sample_at(data, source, x, y);
  const size_t pixels = (size_t)source.width * source.height;
  global ushort* to = samples + (size_t)y * source.width + x;
  if (source.channels == 3) {
    to[0] = color.x;
    to[pixels] = color.y;
    to[2 * pixels] = color.z;
  } else {
    to[0] = luma_of_color(color);
  }
}

// A row's sums, of weights with 8 fractional bits.
kernel void blur_rows(global const ushort* samples, int width, int height,
                      global const ushort* taps, int radius, global uint* sums) {
  const int x = get_global_id(0);
  if (x >= width) return;
  const size_t row = ((size_t)get_global_id(2) * height + get_global_id(1)) * width;
  uint sum = 0;
  for (int i = -radius; i <= radius; ++i)
    sum += (uint)taps[i + radius] * samples[row + reflect(x + i, width)];
  sums[row + x] = sum;
}

// A column's sums, rounded. They are below 2^32.
kernel void blur_columns(global const uint* sums, int width, int height,
                         global const ushort* taps, int radius, global ushort* samples) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  const size_t image = (size_t)get_global_id(2) * height;
  uint sum = 1 << 15;
  for (int i = -radius; i <= radius; ++i)
    sum += taps[i + radius] * sums[(image + reflect(y + i, height)) * width + x];
  samples[(image + y) * width + x] = sum >> 16;
}

// A sample, with the border replicated.
int at(global const ushort* image, int width, int height, int x, int y) {
  return image[(size_t)clamp(y, 0, height - 1) * width + clamp(x, 0, width - 1)];
}

// The gradient of an image.
Gradient gradient_of(global const ushort* image, int width, int height, const Weights weights,
                     int x, int y) {
  if (weights.form == kDiagonal)
    return diagonal_gradient(
        at(image, width, height, x, y) - at(image, width, height, x + 1, y + 1),
        at(image, width, height, x + 1, y) - at(image, width, height, x, y + 1), weights);
  if (weights.form == kCompass) {
    int around[8];
    for (int i = 0; i < 8; ++i)
      around[i] = at(image, width, height, x + kCompassX[i], y + kCompassY[i]);
    return compass_gradient(around, weights);
  }
  int gx = 0, gy = 0;
  for (int i = 0; i <= 2 * weights.reach; ++i)
    for (int j = 0; j <= 2 * weights.reach; ++j) {
      const int p = at(image, width, height, x + j - weights.reach, y + i - weights.reach);
      gx += weights.smooth[i] * weights.difference[j] * p;
      gy += weights.difference[i] * weights.smooth[j] * p;
    }
  return separable_gradient(gx, gy, weights);
}

// The largest gradient of the channels, the first one among equals.
kernel void gradient(global const ushort* samples, int width, int height, int channels,
                     const Weights weights, global Magnitude* magnitudes, global uchar* sectors) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  const size_t pixels = (size_t)width * height, pixel = (size_t)y * width + x;
  Gradient largest = {0, 0};
  for (int channel = 0; channel < channels; ++channel) {
    const Gradient of_channel =
        gradient_of(samples + channel * pixels, width, height, weights, x, y);
    if (channel == 0 || of_channel.magnitude > largest.magnitude) largest = of_channel;
  }
  magnitudes[pixel] = largest.magnitude;
  sectors[pixel] = largest.sector;
}

// Outside the image 0.
Magnitude magnitude_at(global const Magnitude* magnitudes, int width, int height, int x, int y) {
  const int is_inside = x >= 0 && x < width && y >= 0 && y < height;
  return is_inside ? magnitudes[(size_t)y * width + x] : 0;
}

// Whether a magnitude is a maximum across the edge.
int is_maximum(global const Magnitude* magnitudes, uchar sector, int width, int height, int x,
               int y) {
  const Magnitude m = magnitude_at(magnitudes, width, height, x, y);
  switch (sector) {
    case kHorizontal:
      return m > magnitude_at(magnitudes, width, height, x - 1, y) &&
             m >= magnitude_at(magnitudes, width, height, x + 1, y);
    case kVertical:
      return m > magnitude_at(magnitudes, width, height, x, y - 1) &&
             m >= magnitude_at(magnitudes, width, height, x, y + 1);
    case kFalling:
      return m > magnitude_at(magnitudes, width, height, x - 1, y - 1) &&
             m > magnitude_at(magnitudes, width, height, x + 1, y + 1);
  }
  return m > magnitude_at(magnitudes, width, height, x + 1, y - 1) &&
         m > magnitude_at(magnitudes, width, height, x - 1, y + 1);
}

// Counts pixels of the region by what a mode of measured thresholds looks at. histogram[kBins] is
// the largest length, histogram[kBins + 1] the number of pixels of a region.
kernel void count_lengths(global const Magnitude* magnitudes, global const uchar* sectors,
                          int width, int height, int mode, int is_squared, int bin_shift,
                          global const uint* region, int has_region, global uint* histogram) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || !is_inside(region, has_region, width, x, y)) return;
  const size_t pixel = (size_t)y * width + x;
  const uint length = length_of(magnitudes[pixel], is_squared);
  if (has_region) atomic_inc(histogram + kBins + 1);
  if (mode == kRelative) {
    atomic_max(histogram + kBins, length);
  } else if (mode == kQuantile ||
             (length > 0 && is_maximum(magnitudes, sectors[pixel], width, height, x, y))) {
    atomic_inc(histogram + (length >> bin_shift));
  }
}

// Counts pixels of the region by the highest 8 bits of their luma.
kernel void count_luma(global const ushort* luma, int width, global const uint* region,
                       int has_region, global uint* histogram) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || !is_inside(region, has_region, width, x, y)) return;
  if (has_region) atomic_inc(histogram + kBins + 1);
  atomic_inc(histogram + (luma[(size_t)y * width + x] >> 8 * IS_DEEP));
}

// Words of 32 pixels, with one work item per word: candidates, whose magnitude exceeds the low
// threshold, and strong pixels, whose magnitude exceeds the high one; of the region, if there is one.
kernel void suppress(global const Magnitude* magnitudes, global const uchar* sectors, int width,
                     int height, int is_thin, long low, long high,
                     global const uint* region, int has_region, global uint* candidate,
                     global uint* strong) {
  const int word = get_global_id(0), words = (width + 31) / 32;
  const int y = get_global_id(1), begin = 32 * word;
  if (word >= words) return;
  uint candidates = 0, strongs = 0;
  for (int x = begin; x < min(begin + 32, width); ++x) {
    const size_t pixel = (size_t)y * width + x;
    const long m = magnitudes[pixel];
    if (m <= low ||
        (is_thin && !is_maximum(magnitudes, sectors[pixel], width, height, x, y)))
      continue;
    candidates |= 1u << x - begin;
    if (m > high) strongs |= 1u << x - begin;
  }
  const size_t i = (size_t)y * words + word;
  const uint inside = has_region ? region[i] : 0xffffffff;
  candidate[i] = candidates & inside;
  strong[i] = strongs & inside;
}

// ---- views ----

// Shows the gradient of each pixel, or that of maxima.
kernel void show_gradient(global const Magnitude* magnitudes, global const uchar* sectors,
                          int width, int height, int view, int is_squared, int gain,
                          global uchar* values) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  const size_t pixel = (size_t)y * width + x;
  const Gradient gradient = {magnitudes[pixel], sectors[pixel]};
  const int is_shown =
      view != kSuppressed || is_maximum(magnitudes, gradient.sector, width, height, x, y);
  values[pixel] = is_shown ? shown_value(gradient, view, is_squared, gain) : 0;
}

// The highest 8 bits of luma.
kernel void show_samples(global const ushort* samples, int width, global uchar* values) {
  const int x = get_global_id(0);
  if (x >= width) return;
  const size_t pixel = (size_t)get_global_id(1) * width + x;
  values[pixel] = samples[pixel] >> 8 * IS_DEEP;
}

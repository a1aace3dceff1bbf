// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of any plan after the blur: to candidates and strong pixels, to a histogram for
// measured thresholds, or to what a view shows. pixels.cl and gradient.cl come first. Tiles are
// those of blur.cl.

enum {
  kWordsOfTile = kTileWidth / 32 * kTileHeight,
  // Suppression needs the gradients around the tile.
  kGradientColumns = kTileWidth + 2,
  kGradientRows = kTileHeight + 2,
  kChunk = IS_DEEP ? 4 : 5,  // rows that an item computes at a time
  kChunks = (kGradientRows + kChunk - 1) / kChunk
};

// ---- gradients ----

// What the kernels of a tile get: the image, and how its gradients count.
typedef struct {
  int width, height, channels, is_thin;
  Weights weights;
  long low, high;                   // thresholds, unless measured ones are not null
  int mode, is_squared, bin_shift;  // of a histogram
  int view, gain;                   // what is shown, or -1
  int unused;                       // instead of padding
} Tile;

// The samples of a tile and those around it that an operator of this reach needs, with the border
// replicated.
void load_image(global const ushort* image, const Tile tile, int left, int top, int halo,
                local ushort* samples) {
  const int columns = kTileWidth + 2 * halo, rows = kTileHeight + 2 * halo;
  for (int i = get_local_id(0); i < rows * columns; i += kTileItems) {
    const int x = clamp(left - halo + i % columns, 0, tile.width - 1);
    const int y = clamp(top - halo + i / columns, 0, tile.height - 1);
    samples[i] = image[(size_t)y * tile.width + x];
  }
}

// Keeps the larger gradient, the first one among equals. Outside the image it is 0.
void keep(Gradient gradient, int is_first, int is_in_image, int i, local Magnitude* magnitudes,
          local uchar* sectors) {
  if (!is_in_image) gradient.magnitude = 0;
  if (!is_first && gradient.magnitude <= magnitudes[i]) return;
  magnitudes[i] = gradient.magnitude;
  sectors[i] = gradient.sector;
}

int is_in_image(int column, int row, int left, int top, const Tile tile) {
  const int x = left - 1 + column, y = top - 1 + row;
  return x >= 0 && x < tile.width && y >= 0 && y < tile.height;
}

// Each item takes kChunk rows of a column. Each row of samples counts for the gradients of
// 2 reach + 1 rows.
void find_separable(local const ushort* samples, const int reach, int is_first, int left, int top,
                    const Tile tile, local Magnitude* magnitudes, local uchar* sectors) {
  const int columns = kTileWidth + 2 * (reach + 1);
  for (int i = get_local_id(0); i < kChunks * kGradientColumns; i += kTileItems) {
    const int column = i % kGradientColumns, first = i / kGradientColumns * kChunk;
    local const ushort* from = samples + first * columns + column;
    int gx[kChunk], gy[kChunk];
#pragma unroll
    for (int row = 0; row < kChunk; ++row) gx[row] = gy[row] = 0;
#pragma unroll
    for (int j = 0; j < kChunk + 2 * reach; ++j) {
      if (first + j >= kGradientRows + 2 * reach) break;
      int difference = 0, smooth = 0;
#pragma unroll
      for (int k = 0; k <= 2 * reach; ++k) {
        const int sample = from[j * columns + k];
        difference += tile.weights.difference[k] * sample;
        smooth += tile.weights.smooth[k] * sample;
      }
#pragma unroll
      for (int row = 0; row < kChunk; ++row) {
        if (row > j || j - row > 2 * reach) continue;
        gx[row] += tile.weights.smooth[j - row] * difference;
        gy[row] += tile.weights.difference[j - row] * smooth;
      }
    }
#pragma unroll
    for (int row = 0; row < kChunk; ++row) {
      if (first + row >= kGradientRows) break;
      keep(separable_gradient(gx[row], gy[row], tile.weights), is_first,
           is_in_image(column, first + row, left, top, tile),
           (first + row) * kGradientColumns + column, magnitudes, sectors);
    }
  }
}

// Operators that are not separable reach one pixel.
void find_others(local const ushort* samples, const int reach, int is_first, int left, int top,
                 const Tile tile, local Magnitude* magnitudes, local uchar* sectors) {
  const int columns = kTileWidth + 2 * (reach + 1);
  for (int i = get_local_id(0); i < kGradientRows * kGradientColumns; i += kTileItems) {
    const int column = i % kGradientColumns, row = i / kGradientColumns;
    local const ushort* at = samples + (row + 1) * columns + column + 1;
    Gradient gradient;
    if (tile.weights.form == kDiagonal) {
      gradient = diagonal_gradient(at[0] - at[columns + 1], at[1] - at[columns], tile.weights);
    } else {
      int around[8];
      for (int k = 0; k < 8; ++k) around[k] = at[kCompassY[k] * columns + kCompassX[k]];
      gradient = compass_gradient(around, tile.weights);
    }
    keep(gradient, is_first, is_in_image(column, row, left, top, tile), i, magnitudes, sectors);
  }
}

int is_tile_maximum(local const Magnitude* at, uchar sector) {
  // To a neighbor across the edge: horizontal, falling, vertical or rising.
  const int step = sector == kHorizontal ? 1 : kGradientColumns + 2 - (int)sector;
  const Magnitude m = *at;
  return m > at[-step] && ((sector & 1) != 0 ? m > at[step] : m >= at[step]);
}

// ---- candidates and strong pixels ----

// Bits of the tile's pixels, in words: candidates, and after them strong pixels.
void suppress_tile(local const Magnitude* magnitudes, local const uchar* sectors, const Tile tile,
                   long low, long high, local uint* words) {
  for (int i = get_local_id(0); i < kTileHeight * kTileWidth / 4; i += kTileItems) {
    const int begin = (4 * i / kTileWidth + 1) * kGradientColumns + 4 * i % kTileWidth + 1;
    uint candidates = 0, strong = 0;
    for (int j = 0; j < 4; ++j) {
      const long m = magnitudes[begin + j];
      if (m <= low) continue;
      if (tile.is_thin && !is_tile_maximum(magnitudes + begin + j, sectors[begin + j])) continue;
      candidates |= 1u << j;
      if (m > high) strong |= 1u << j;
    }
    if (candidates == 0) continue;
    atomic_or(words + i / 8, candidates << 4 * (i % 8));
    if (strong != 0) atomic_or(words + kWordsOfTile + i / 8, strong << 4 * (i % 8));
  }
}

// ---- histograms ----

// bins[kBins] is the largest length, bins[kBins + 1] the number of pixels of a region.
void clear_bins(local uint* bins) {
  for (int i = get_local_id(0); i < kBins + 2; i += kTileItems) bins[i] = 0;
}

// Adds the counts of a tile.
void add_histogram(local const uint* bins, global uint* histogram) {
  for (int i = get_local_id(0); i < kBins + 2; i += kTileItems) {
    if (bins[i] == 0) continue;
    if (i == kBins)
      atomic_max(histogram + i, bins[i]);
    else
      atomic_add(histogram + i, bins[i]);
  }
}

// Counts pixels of the region by what a mode of measured thresholds looks at.
void count_tile(local const Magnitude* magnitudes, local const uchar* sectors, int left, int top,
                const Tile tile, global const uint* region, local uint* bins) {
  // Counted for each item first, since many pixels share them.
  uint zeros = 0, pixels = 0, largest = 0;
  for (int i = get_local_id(0); i < kTileHeight * kTileWidth; i += kTileItems) {
    const int column = i % kTileWidth, row = i / kTileWidth, x = left + column, y = top + row;
    if (x >= tile.width || y >= tile.height || !is_inside(region, tile.width, x, y)) continue;
    const int at = (row + 1) * kGradientColumns + column + 1;
    const uint length = length_of(magnitudes[at], tile.is_squared);
    ++pixels;
    largest = max(largest, length);
    if (tile.mode == kRelative ||
        (tile.mode != kQuantile && (length == 0 || !is_tile_maximum(magnitudes + at, sectors[at]))))
      continue;
    const uint bin = length >> tile.bin_shift;
    if (bin == 0)
      ++zeros;
    else
      atomic_inc(bins + bin);
  }
  if (zeros > 0) atomic_add(bins, zeros);
  if (region && pixels > 0) atomic_add(bins + kBins + 1, pixels);
  atomic_max(bins + kBins, largest);
}

// Counts pixels of the region by the highest 8 bits of their luma, before the blur.
KERNEL_OF(kTileItems)
void count_luma_of_tile(global const uchar* data, const Source source, global const uint* region,
                        global uint* histogram) {
  local uint bins[kBins + 2];
  const int left = kTileWidth * get_group_id(0), top = kTileHeight * get_group_id(1);
  clear_bins(bins);
  barrier(CLK_LOCAL_MEM_FENCE);
  uint pixels = 0;
  for (int i = get_local_id(0); i < kTileHeight * kTileWidth; i += kTileItems) {
    const int x = left + i % kTileWidth, y = top + i / kTileWidth;
    if (x >= source.width || y >= source.height || !is_inside(region, source.width, x, y)) continue;
    ++pixels;
    atomic_inc(bins + (luma_of_color(sample_at(data, source, x, y)) >> 8 * IS_DEEP));
  }
  if (region && pixels > 0) atomic_add(bins + kBins + 1, pixels);
  barrier(CLK_LOCAL_MEM_FENCE);
  add_histogram(bins, histogram);
}

// Thresholds that follow from a histogram: for magnitudes, and as lengths.
#if HAS_DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF  // the order of operations is part of the result
typedef double Length;
#else
typedef ulong Length;
#endif
typedef struct {
  long low, high;
  Length low_length, high_length;
} Measured;

#if HAS_DOUBLES
typedef struct {
  double high_ratio, low_ratio;
  ulong pixels;  // without a region, which has them in the histogram
  int mode, bin_shift, is_squared, has_region;
} Derivation;

// Otsu's criterion, as on the host: (1979), eq. 18, times the square of the number of samples.
double variance_between(double n0, double s0, double n1, double s1) {
  const double d = s0 / n0 - s1 / n1;
  return n0 * n1 * (d * d);
}

// Returns the bin that a mode looks for, from `first` to before `end`, or kBins if it is not among
// them. With kOtsu, `variance` gets its criterion. `count` and `sum` are the pixels before `first`,
// and the sum of their bins.
int find_bin(local const uint* bins, int first, int end, ulong count, ulong sum, ulong all_pixels,
             ulong all_sum, double high_ratio, int mode, double* variance) {
  int best = kBins;
  for (int bin = first; bin < end; ++bin) {
    count += bins[bin];
    sum += (ulong)bin * bins[bin];
    if (mode == kQuantile && (double)count > high_ratio * (double)all_pixels) return bin;
    if (mode == kMedian && 2 * count >= all_pixels) return bin;
    if (mode != kOtsu || count == 0 || count == all_pixels) continue;
    const double between = variance_between(count, sum, all_pixels - count, all_sum - sum);
    if (best < kBins && between <= *variance) continue;
    *variance = between;
    best = bin;
  }
  return best;
}

// The thresholds of the bin that a mode has found, or of the largest magnitude.
Measured thresholds_of(int bin, uint largest, const Derivation from) {
  double high = from.high_ratio;
  if (from.mode == kRelative)
    high *= largest;
  else if (from.mode == kQuantile)
    high = min(bin, kBins - 1) << from.bin_shift;
  else if (from.mode == kOtsu && bin == kBins)
    high = kNoOtsuThreshold;
  else
    high *= from.mode == kOtsu ? bin << from.bin_shift : bin;
  double low = from.low_ratio * high;
  Measured measured;
  measured.low_length = low;
  measured.high_length = high;
  if (from.is_squared) {
    low = min(low, 32767.0) * kUnit;
    high = min(high, 32767.0) * kUnit;
    low *= low;
    high *= high;
  } else {
    low *= kUnit;
    high *= kUnit;
  }
  measured.low = low;
  measured.high = high;
  return measured;
}

// In one group. Each item takes some bins, one after the other.
KERNEL_OF(kTileItems)
void derive(global const uint* histogram, const Derivation from, global Measured* measured) {
  local uint bins[kBins];
  local ulong counts[kTileItems], sums[kTileItems];
  local double variances[kTileItems];
  local int found[kTileItems];
  const int item = get_local_id(0), of_item = (kBins + kTileItems - 1) / kTileItems;
  const int first = min(item * of_item, (int)kBins), end = min(first + of_item, (int)kBins);
  ulong count = 0, sum = 0, all_count = 0, all_sum = 0, count_before = 0, sum_before = 0;
  for (int bin = first; bin < end; ++bin) {
    bins[bin] = histogram[bin];
    count += bins[bin];
    sum += (ulong)bin * bins[bin];
  }
  counts[item] = count;
  sums[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < kTileItems; ++i) {
    all_count += counts[i];
    all_sum += sums[i];
    if (i >= item) continue;
    count_before += counts[i];
    sum_before += sums[i];
  }
  // With kOtsu, only maxima are in the histogram.
  const ulong pixels = from.mode == kOtsu ? all_count
                       : from.has_region  ? histogram[kBins + 1]
                                          : from.pixels;
  double variance = 0;
  found[item] = find_bin(bins, first, end, count_before, sum_before, pixels, all_sum,
                         from.high_ratio, from.mode, &variance);
  variances[item] = variance;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item > 0) return;
  int bin = kBins;
  for (int i = 0; i < kTileItems; ++i) {
    if (found[i] == kBins) continue;
    if (bin < kBins && (from.mode != kOtsu || variances[i] <= variance)) continue;
    variance = variances[i];
    bin = found[i];
  }
  *measured = thresholds_of(bin, histogram[kBins], from);
}
#endif

// ---- views ----

// Shows the gradient of each pixel, or that of maxima.
void show_tile(local const Magnitude* magnitudes, local const uchar* sectors, int left, int top,
               const Tile tile, global uchar* values) {
  for (int i = get_local_id(0); i < kTileHeight * kTileWidth; i += kTileItems) {
    const int column = i % kTileWidth, row = i / kTileWidth, x = left + column, y = top + row;
    if (x >= tile.width || y >= tile.height) continue;
    const int at = (row + 1) * kGradientColumns + column + 1;
    const int is_shown = tile.view != kSuppressed || is_tile_maximum(magnitudes + at, sectors[at]);
    const Gradient gradient = {magnitudes[at], sectors[at]};
    values[(size_t)y * tile.width + x] =
        is_shown ? shown_value(gradient, tile.view, tile.is_squared, tile.gain) : 0;
  }
}

// The highest 8 bits of luma.
KERNEL_OF(kTileItems)
void show_tile_samples(global const ushort* samples, const Tile tile, global uchar* values) {
  for (int i = get_local_id(0); i < kTileHeight * kTileWidth; i += kTileItems) {
    const int x = kTileWidth * get_group_id(0) + i % kTileWidth;
    const int y = kTileHeight * get_group_id(1) + i / kTileWidth;
    if (x >= tile.width || y >= tile.height) continue;
    const size_t pixel = (size_t)y * tile.width + x;
    values[pixel] = samples[pixel] >> 8 * IS_DEEP;
  }
}

// ---- kernels ----

// The gradients of a tile in local memory, by operators of this reach, whose loops are unrolled.
#define FIND_GRADIENTS(REACH, FIND)                                                   \
  local ushort samples[(kTileHeight + 2 * REACH + 2) * (kTileWidth + 2 * REACH + 2)]; \
  local Magnitude magnitudes[kGradientRows * kGradientColumns];                       \
  local uchar sectors[kGradientRows * kGradientColumns];                              \
  const int left = kTileWidth * get_group_id(0), top = kTileHeight * get_group_id(1); \
  for (int channel = 0; channel < tile.channels; ++channel) {                         \
    const size_t image = (size_t)channel * tile.width * tile.height;                  \
    load_image(blurred + image, tile, left, top, REACH + 1, samples);                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                     \
    FIND(samples, REACH, channel == 0, left, top, tile, magnitudes, sectors);         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                     \
  }

#define KERNELS_OF_TILE(NAME, REACH, FIND)                                              \
  KERNEL_OF(kTileItems)                                                                 \
  void edges_of_tile_##NAME(global const ushort* blurred, const Tile tile,              \
                            global const uint* region, global const Measured* measured, \
                            global uint* candidate, global uint* strong) {              \
    local uint words[2 * kWordsOfTile];                                                 \
    for (int i = get_local_id(0); i < 2 * kWordsOfTile; i += kTileItems) words[i] = 0;  \
    FIND_GRADIENTS(REACH, FIND)                                                         \
    suppress_tile(magnitudes, sectors, tile, measured ? measured->low : tile.low,       \
                  measured ? measured->high : tile.high, words);                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    store_words(words, left, top, tile.width, tile.height, region, candidate, strong);  \
  }                                                                                     \
                                                                                        \
  KERNEL_OF(kTileItems)                                                                 \
  void show_or_count_tile_##NAME(global const ushort* blurred, const Tile tile,         \
                                 global const uint* region, global uint* histogram,     \
                                 global uchar* values) {                                \
    local uint bins[kBins + 2];                                                         \
    if (tile.view < 0) clear_bins(bins);                                                \
    FIND_GRADIENTS(REACH, FIND)                                                         \
    if (tile.view >= 0)                                                                 \
      show_tile(magnitudes, sectors, left, top, tile, values);                          \
    else                                                                                \
      count_tile(magnitudes, sectors, left, top, tile, region, bins);                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                                       \
    if (tile.view < 0) add_histogram(bins, histogram);                                  \
  }

KERNELS_OF_TILE(1, 1, find_separable)
KERNELS_OF_TILE(2, 2, find_separable)
KERNELS_OF_TILE(3, 3, find_separable)
KERNELS_OF_TILE(other, 1, find_others)

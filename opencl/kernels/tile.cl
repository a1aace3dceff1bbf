// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole front end in one kernel, for luma of 8 bits, separable operators of 3x3 pixels without
// a shift, and blurs of up to 6 taps on either side. pixels.cl comes first.
//
// A work group computes a tile of kTileWidth x kTileHeight pixels. What is between its stages stays
// in local memory, where a word has 4 samples: a quad. Each stage needs some pixels around the
// tile: suppression 1, the operator 1, the blur its radius. Columns around it come in whole quads.

enum {
  kTileQuads = kTileWidth / 4,
  kBlurredQuads = kTileQuads + 2,  // of a row of blurred samples, sums or gradients
  kBlurredRows = kTileHeight + 4,
  kGradientRows = kTileHeight + 2,
  kGradientRow = 4 * kBlurredQuads,
  kBlurChunk = 6,  // rows that an item computes at a time
  kGradientChunk = 5
};

// Quads beside the tile for a blur, and the sizes of its images in local memory, in words.
#define QUADS_BESIDE(RADIUS) (1 + ((RADIUS) + 3) / 4)
#define SAMPLE_QUADS(RADIUS) (kTileQuads + 2 * QUADS_BESIDE(RADIUS))
#define SAMPLE_WORDS(RADIUS) ((kBlurredRows + 2 * (RADIUS)) * SAMPLE_QUADS(RADIUS))

typedef struct {
  Source source;
  // The words of a quad, if samples have 8 bits and rows begin at words, or 0. Bytes of a pixel
  // count by these factors, in units of 2^-kLumaShift.
  int quad_words;
  uint byte_factor[4];
  uint taps[2 * kMaxTileRadius + 1];
  int side, middle;  // what the operator smooths with
  int is_l2, is_thin;
  uint low, high;  // the least gradients above the thresholds
} Tile;

uint luma_of(uint4 bytes, const Tile tile) {
  const uint4 parts = bytes * (uint4)(tile.byte_factor[0], tile.byte_factor[1], tile.byte_factor[2],
                                      tile.byte_factor[3]);
  return (parts.x + parts.y + parts.z + parts.w + kLumaHalf) >> kLumaShift;
}

uint4 bytes_of(uint word) { return (uint4)(word, word >> 8, word >> 16, word >> 24) & 255; }
uint word_of(uint a, uint b, uint c, uint d) { return a | b << 8 | c << 16 | d << 24; }

// The luma of the quad that begins at x, inside the image.
uint load_quad(global const uchar* row, int x, const Tile tile) {
  global const uint* words = (global const uint*)row + x / 4 * tile.quad_words;
  switch (tile.quad_words) {
    case 1:
      return *words;
    case 2: {
      const uint4 first = bytes_of(words[0]), last = bytes_of(words[1]);
      return word_of(luma_of((uint4)(first.xy, 0, 0), tile), luma_of((uint4)(first.zw, 0, 0), tile),
                     luma_of((uint4)(last.xy, 0, 0), tile), luma_of((uint4)(last.zw, 0, 0), tile));
    }
    case 3: {
      const uint4 a = bytes_of(words[0]), b = bytes_of(words[1]), c = bytes_of(words[2]);
      return word_of(luma_of((uint4)(a.xyz, 0), tile), luma_of((uint4)(a.w, b.xy, 0), tile),
                     luma_of((uint4)(b.zw, c.x, 0), tile), luma_of((uint4)(c.yzw, 0), tile));
    }
  }
  return word_of(luma_of(bytes_of(words[0]), tile), luma_of(bytes_of(words[1]), tile),
                 luma_of(bytes_of(words[2]), tile), luma_of(bytes_of(words[3]), tile));
}

// The luma of 4 pixels of any format, mirrored at the image's borders.
uint gather_quad(global const uchar* data, int x, int y, const Tile tile) {
  uint quad = 0;
  for (int i = 0; i < 4; ++i) {
    const int column = reflect(x + i, tile.source.width);
    quad |= luma_of_color(sample_at(data, tile.source, column, y)) << 8 * i;
  }
  return quad;
}

void load_samples(global const uchar* data, int left, int top, int radius, const Tile tile,
                  local uint* samples) {
  const int quads = SAMPLE_QUADS(radius), rows = kBlurredRows + 2 * radius;
  for (int i = get_local_id(0); i < rows * quads; i += kTileItems) {
    const int x = left + 4 * (i % quads - QUADS_BESIDE(radius));
    const int y = reflect(top - 2 - radius + i / quads, tile.source.height);
    const int is_whole = tile.quad_words > 0 && x >= 0 && x + 4 <= tile.source.width;
    global const uchar* row = data + tile.source.at.offset[0] + y * tile.source.at.stride[0];
    samples[i] = is_whole ? load_quad(row, x, tile) : gather_quad(data, x, y, tile);
  }
}

// The samples 0 and 2 of a quad that begins at a byte of words: two numbers of 16 bits.
uint pair_at(const uint* words, int byte) {
  const int bit = 8 * (byte % 4);
  const uint word = words[byte / 4] >> bit;
  return (bit < 16 ? word : word | words[byte / 4 + 1] << 32 - bit) & 0x00ff00ff;
}

// The rows' sums of a quad: two pairs, of its samples 0 and 2, and 1 and 3. A sum is below 2^16.
void blur_rows(local const uint* samples, int radius, const Tile tile, local uint2* sums) {
  const int reach = QUADS_BESIDE(radius) - 1, rows = kBlurredRows + 2 * radius;
  for (int i = get_local_id(0); i < rows * kBlurredQuads; i += kTileItems) {
    local const uint* at = samples + i / kBlurredQuads * SAMPLE_QUADS(radius) + i % kBlurredQuads;
    uint words[2 * QUADS_BESIDE(kMaxTileRadius) - 1];
#pragma unroll
    for (int j = 0; j <= 2 * reach; ++j) words[j] = at[j];
    uint2 sum = 0;
#pragma unroll
    for (int tap = 0; tap <= 2 * radius; ++tap) {
      const int byte = 4 * reach - radius + tap;
      sum += tile.taps[tap] * (uint2)(pair_at(words, byte), pair_at(words, byte + 1));
    }
    sums[i] = sum;
  }
}

// Each item takes quads of kBlurChunk rows.
void blur_columns(local const uint2* sums, int radius, const Tile tile, local uint* blurred) {
  for (int i = get_local_id(0); i < kBlurredRows / kBlurChunk * kBlurredQuads; i += kTileItems) {
    const int begin = i / kBlurredQuads * kBlurChunk * kBlurredQuads + i % kBlurredQuads;
    uint4 total[kBlurChunk];
#pragma unroll
    for (int row = 0; row < kBlurChunk; ++row) total[row] = 1 << 15;
#pragma unroll
    for (int from = 0; from < kBlurChunk + 2 * radius; ++from) {
      const uint2 sum = sums[begin + from * kBlurredQuads];
      const uint4 quad = (uint4)(sum.x & 0xffff, sum.y & 0xffff, sum.x >> 16, sum.y >> 16);
#pragma unroll
      for (int row = 0; row < kBlurChunk; ++row)
        if (from >= row && from - row <= 2 * radius) total[row] += tile.taps[from - row] * quad;
    }
#pragma unroll
    for (int row = 0; row < kBlurChunk; ++row) {
      const uint4 quad = total[row] >> 16;
      blurred[begin + row * kBlurredQuads] = word_of(quad.x, quad.y, quad.z, quad.w);
    }
  }
}

// Replicates the border: pixels outside the image that the operator reads are next to it.
void replicate(int left, int top, const Source source, local uchar* blurred) {
  const int columns = min(source.width - left, (int)kTileWidth + 1) + 3;  // from -2 on
  const int rows = min(source.height - top, (int)kTileHeight + 1) + 3;
  for (int i = get_local_id(0); i < columns * rows; i += kTileItems) {
    const int x = i % columns - 2, y = i / columns - 2;
    const int from_x = clamp(left + x, 0, source.width - 1) - left;
    const int from_y = clamp(top + y, 0, source.height - 1) - top;
    if (from_x != x || from_y != y)
      blurred[(y + 2) * kGradientRow + x + 4] = blurred[(from_y + 2) * kGradientRow + from_x + 4];
  }
}

// The magnitude, times 4, plus the sector.
uint gradient_of(int gx, int gy, int is_l2) {
  const uint magnitude = is_l2 ? gx * gx + gy * gy : abs(gx) + abs(gy);
  return magnitude << 2 | sector_of(gx, gy);
}

// The differences and the smoothed samples of a row of a quad.
typedef struct {
  int4 difference, smooth;
} Row;

Row row_of(local const uint* blurred, int quad, const Tile tile) {
  const uint before = blurred[max(quad - 1, 0)], after = blurred[min(quad + 1, kBlurredQuads - 1)];
  const int4 middle = as_int4(bytes_of(blurred[quad]));
  const int4 left = (int4)(before >> 24, middle.xyz), right = (int4)(middle.yzw, after & 255);
  return (Row){right - left, tile.side * (left + right) + tile.middle * middle};
}

// Gradients from the row above the tile on. Outside the image they are 0.
void find_gradients(local const uint* blurred, int left, int top, const Tile tile,
                    local uint4* gradients) {
  const int chunks = (kGradientRows + kGradientChunk - 1) / kGradientChunk;
  for (int i = get_local_id(0); i < chunks * kBlurredQuads; i += kTileItems) {
    const int quad = i % kBlurredQuads, first = i / kBlurredQuads * kGradientChunk;
    const int x = left + 4 * (quad - 1);
    const int4 columns = x + (int4)(0, 1, 2, 3);
    const uint4 are_inside = as_uint4(columns >= 0 && columns < tile.source.width);
    Row above = row_of(blurred + first * kBlurredQuads, quad, tile);
    Row here = row_of(blurred + (first + 1) * kBlurredQuads, quad, tile);
#pragma unroll
    for (int j = 0; j < kGradientChunk; ++j) {
      const int row = first + j, y = top - 1 + row;
      if (row >= kGradientRows) break;
      const Row below = row_of(blurred + (row + 2) * kBlurredQuads, quad, tile);
      const int4 gx =
          tile.side * (above.difference + below.difference) + tile.middle * here.difference;
      const int4 gy = below.smooth - above.smooth;
      const uint4 gradient =
          (uint4)(gradient_of(gx.x, gy.x, tile.is_l2), gradient_of(gx.y, gy.y, tile.is_l2),
                  gradient_of(gx.z, gy.z, tile.is_l2), gradient_of(gx.w, gy.w, tile.is_l2));
      const int has_row = y >= 0 && y < tile.source.height;
      gradients[row * kBlurredQuads + quad] = has_row ? gradient & are_inside : 0;
      above = here;
      here = below;
    }
  }
}

int is_maximum(local const uint* at, uint gradient) {
  // To a neighbor across the edge: horizontal, falling, vertical or rising.
  const uint sector = gradient & 3, magnitude = gradient >> 2;
  const int step = sector == kHorizontal ? 1 : kGradientRow + 2 - (int)sector;
  const uint before = at[-step] >> 2, after = at[step] >> 2;
  return magnitude > before && ((sector & 1) != 0 ? magnitude > after : magnitude >= after);
}

// Bits of the tile's pixels, in words: candidates, and after them strong pixels.
void suppress(local const uint4* gradients, const Tile tile, local uint* words) {
  for (int i = get_local_id(0); i < kTileHeight * kTileQuads; i += kTileItems) {
    const int row = i / kTileQuads, quad = i % kTileQuads;
    local const uint4* at = gradients + (row + 1) * kBlurredQuads + quad + 1;
    const uint gradient[4] = {at->x, at->y, at->z, at->w};
    uint candidates = 0, strong = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      if (gradient[j] < tile.low) continue;
      if (tile.is_thin && !is_maximum((local const uint*)at + j, gradient[j])) continue;
      candidates |= 1u << j;
      if (gradient[j] >= tile.high) strong |= 1u << j;
    }
    if (candidates == 0) continue;
    const int word = i / 8, bit = 4 * (i % 8);
    atomic_or(words + word, candidates << bit);
    if (strong != 0) atomic_or(words + kTileHeight * kTileQuads / 8 + word, strong << bit);
  }
}

// One kernel for each class of radii, in which loops over taps are unrolled; taps that a blur does
// not have are 0. Samples and then blurred ones lie in `first`, sums and then gradients in
// `second`.
#define FRONT_OF_TILE(RADIUS)                                                               \
  KERNEL_OF(kTileItems)                                                                     \
  void front_of_tile_##RADIUS(global const uchar* data, const Tile tile,                    \
                              global const uint* region, global uint* candidate,            \
                              global uint* strong) {                                        \
    local uint first[SAMPLE_WORDS(RADIUS)], words[2 * kTileHeight * kTileWidth / 32];       \
    local uint4 second[kGradientRows * kBlurredQuads];                                      \
    const int left = kTileWidth * get_group_id(0), top = kTileHeight * get_group_id(1);     \
    for (int i = get_local_id(0); i < 2 * kTileHeight * kTileWidth / 32; i += kTileItems)   \
      words[i] = 0;                                                                         \
    load_samples(data, left, top, RADIUS, tile, first);                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    if (RADIUS > 0) {                                                                       \
      blur_rows(first, RADIUS, tile, (local uint2*)second);                                 \
      barrier(CLK_LOCAL_MEM_FENCE);                                                         \
      blur_columns((local const uint2*)second, RADIUS, tile, first);                        \
      barrier(CLK_LOCAL_MEM_FENCE);                                                         \
    }                                                                                       \
    if (left == 0 || top == 0 || left + kTileWidth + 1 >= tile.source.width ||              \
        top + kTileHeight + 1 >= tile.source.height) {                                      \
      replicate(left, top, tile.source, (local uchar*)first);                               \
      barrier(CLK_LOCAL_MEM_FENCE);                                                         \
    }                                                                                       \
    find_gradients(first, left, top, tile, second);                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    suppress(second, tile, words);                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                           \
    store_words(words, left, top, tile.source.width, tile.source.height, region, candidate, \
                strong);                                                                    \
  }

FRONT_OF_TILE(0)
FRONT_OF_TILE(2)
FRONT_OF_TILE(4)
FRONT_OF_TILE(6)

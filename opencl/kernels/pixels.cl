// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels of all formats, and what all front ends do with them.
//
// IS_DEEP, 0 or 1: whether samples count as numbers of 16 bits. Names that begin with k and are not
// defined here are numbers of the library's headers.

// How pixels lie in memory: a PixelLayout, and the planes of a frame.
typedef struct {
  Planes at;
  int width, height, channels;
  int planes, bytes, bits, green_bits, group, is_big_endian;
  int place[3];  // of red, green and blue
  int type;      // a SampleType, 0 for integers
  int unused;    // instead of padding
} Source;

int widen5(uint v) { return v << 3 | v >> 2; }
int widen6(uint v) { return v << 2 | v >> 4; }

// The `bytes` bytes at p as a number, the lowest one first.
ulong number_at(global const uchar* p, int bytes) {
  ulong number = 0;
  for (int i = 0; i < bytes; ++i) number |= (ulong)p[i] << 8 * i;
  return number;
}

// The lowest bit of the luma of 6 pixels that share 16 bytes.
constant int kSharedLuma[6] = {10, 32, 52, 74, 96, 116};

// The colors of a pixel in the order of `place`, or three times its luma, with 8 bits, or 16 in
// deep formats. Not for floats.
int4 color_at(global const uchar* data, const Source source, int x, int y) {
  global const uchar* row = data + source.at.offset[0] + y * source.at.stride[0];
  if (source.planes == 3)
    return (int4)(row[x], data[place_of(source.at, 1, x, y, 1)],
                  data[place_of(source.at, 2, x, y, 1)], 0);
  if (source.group > 1) {
    const int bit = kSharedLuma[x % 6];
    const uint word = number_at(row + x / 6 * 16 + bit / 32 * 4, 4);
    return (int4)((word >> bit % 32 & 1023) << 6);
  }
  global const uchar* pixel = row + (long)x * source.bytes;
  if (source.green_bits > 0) {
    const uint word = number_at(pixel, 2);
    const uint green = word >> source.place[1];
    return (int4)(widen5(word >> source.place[0] & 31),
                  source.green_bits == 6 ? widen6(green & 63) : widen5(green & 31),
                  widen5(word >> source.place[2] & 31), 0);
  }
  if (source.bits == 8)
    return (int4)(pixel[source.place[0]], pixel[source.place[1]], pixel[source.place[2]], 0);
  const ulong number =
      source.is_big_endian ? pixel[0] << 8 | pixel[1] : number_at(pixel, source.bytes);
  const ulong mask = (1 << source.bits) - 1;
  return (int4)(number >> source.place[0] & mask, number >> source.place[1] & mask,
                number >> source.place[2] & mask, 0)
         << 16 - source.bits;
}

// The number that a float counts as, as in canny/floats.h.
int number_of_float(uint bits, int type) {
  const float largest = IS_DEEP ? 65535 : 255;
  float x;
  if (type == kFloat32) {
    x = bits > 0x7f800000 ? 0 : as_float(bits);
  } else if (type != kFloat16) {
    x = bits > 0x7f80 ? 0 : as_float(bits << 16);
  } else {
    const uint least = 113 << 23;  // the exponent of the least normal number
    x = bits > 0x7c00  ? 0
        : bits < 0x400 ? as_float((bits << 13) + least) - as_float(least)
                       : as_float((bits << 13) + (112 << 23));
  }
  return convert_int_rte(fmin(x * largest, largest));
}

int4 float_color_at(global const uchar* data, const Source source, int x, int y) {
  int numbers[3];
  for (int i = 0; i < 3; ++i) {
    const int plane = source.planes == 3 ? i : 0;
    global const uchar* pixel = data + place_of(source.at, plane, x, y, source.bytes);
    const uint bits = number_at(pixel + source.place[i] / 8, source.type == kFloat32 ? 4 : 2);
    numbers[i] = number_of_float(bits, source.type);
  }
  return (int4)(numbers[0], numbers[1], numbers[2], 0);
}

// The colors of a pixel likewise, with as many bits as count.
int4 sample_at(global const uchar* data, const Source source, int x, int y) {
  if (source.type != 0) return float_color_at(data, source, x, y);
  const int4 color = color_at(data, source, x, y);
  return !IS_DEEP && source.bits > 8 ? color >> 8 : color;
}

uint luma_of_color(int4 color) {
  return ((uint)kLumaRed * color.x + kLumaGreen * color.y + kLumaBlue * color.z + kLumaHalf) >>
         kLumaShift;
}

// dcb|abcd|cba
int reflect(int i, int size) {
  if (size == 1) return 0;
  while (i < 0 || i >= size) i = i < 0 ? -i : 2 * (size - 1) - i;
  return i;
}

enum { kHorizontal, kFalling, kVertical, kRising };

#if IS_DEEP
typedef long Product;
#else
typedef int Product;  // a gradient is up to 255 * 95
#endif

uchar sector_of(int gx, int gy) {
  const Product ax = abs(gx), ay = (Product)abs(gy) << kTangentShift;
  const uchar diagonal = (gx ^ gy) < 0 ? kRising : kFalling;
  return ay < kTangent * ax                            ? kHorizontal
         : ay > (kTangent + (2 << kTangentShift)) * ax ? kVertical
                                                       : diagonal;
}

// Stores the bits of a tile's pixels, in words: candidates, and after them strong pixels. A region
// has words like them; null is the whole image.
void store_words(local const uint* words, int left, int top, int width, int height,
                 global const uint* region, global uint* candidate, global uint* strong) {
  const int columns = kTileWidth / 32, in_row = (width + 31) / 32;
  for (int i = get_local_id(0); i < 2 * columns * kTileHeight; i += kTileItems) {
    const int of_plane = i % (columns * kTileHeight);
    const int word = left / 32 + of_plane % columns, y = top + of_plane / columns;
    if (word >= in_row || y >= height) continue;
    const size_t to = (size_t)y * in_row + word;
    (i < columns * kTileHeight ? candidate : strong)[to] =
        region ? words[i] & region[to] : words[i];
  }
}

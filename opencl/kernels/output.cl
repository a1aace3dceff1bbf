// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes edge maps and other views in OpenCL C 1.2. Planes of bits have words of 32 pixels, row by
// row.

// How pixels lie in memory, and the bytes of an edge and of other pixels, the first one lowest.
typedef struct {
  Planes at;
  int width, height;
  int planes, bytes;
  int sample_bytes;  // of floats, each of which has the bytes of an edge; else 0
  int unused;        // instead of padding
  uint edge, other;
} Target;

// One work item per pixel.
kernel void write_edges(global const uint* edges, const Target target, global uchar* data) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= target.width) return;
  const uint pixel = bit_at(edges, target.width, x, y) ? target.edge : target.other;
  const int repeated = target.sample_bytes > 0 ? target.sample_bytes : target.bytes;
  for (int plane = 0; plane < target.planes; ++plane) {
    global uchar* to = data + place_of(target.at, plane, x, y, target.bytes);
    for (int i = 0; i < target.bytes; ++i) to[i] = pixel >> 8 * (i % repeated);
  }
}

// Bytes of pixels that are edges as ones, of the pixels of a word.
uint mask_of(uint bits, int bytes) {
  if (bytes == 1) return ((bits & 15) * 0x00204081 & 0x01010101) * 255;
  if (bytes == 2) return (bits & 1) * 0xffff | (bits >> 1 & 1) * 0xffff0000;
  return bits & 1 ? 0xffffffff : 0;
}

// Likewise for pixels of 1, 2 or 4 bytes whose rows begin at multiples of 16 bytes. One work item
// per 16 bytes.
kernel void write_edge_blocks(global const uint* edges, const Target target, global uchar* data) {
  const int pixels = 16 / target.bytes, x = get_global_id(0) * pixels, y = get_global_id(1);
  if (x >= target.width) return;
  const uint bits = edges[(size_t)y * ((target.width + 31) / 32) + x / 32] >> x % 32;
  const int in_word = pixels / 4;
  const uint repeat = target.bytes == 1 ? 0x01010101 : target.bytes == 2 ? 0x00010001 : 1;
  const uint4 masks = (uint4)(mask_of(bits, target.bytes), mask_of(bits >> in_word, target.bytes),
                              mask_of(bits >> 2 * in_word, target.bytes),
                              mask_of(bits >> 3 * in_word, target.bytes));
  const uint4 block =
      bitselect((uint4)(target.other * repeat), (uint4)(target.edge * repeat), masks);
  const int bytes = min(pixels, target.width - x) * target.bytes;
  for (int plane = 0; plane < target.planes; ++plane) {
    global uchar* to = data + place_of(target.at, plane, x, y, target.bytes);
    if (bytes == 16) {
      *(global uint4*)to = block;
    } else {
      const uint words[4] = {block.x, block.y, block.z, block.w};
      for (int i = 0; i < bytes; ++i) to[i] = words[i / 4] >> 8 * (i % 4);
    }
  }
}

// ---- views ----

// A palette has 256 pixels, their first byte lowest, or the one of the first plane or float; then
// the bits of 256 floats, one for each byte.

// The bytes of a pixel from byte `first` on; of floats, the bits of float `first`.
uint shown(global const uint* palette, uint pixel, const Target target, int first) {
  const uint bytes = pixel >> 8 * first;
  return target.sample_bytes > 0 ? palette[256 + (bytes & 255)] : bytes;
}

kernel void write_values(global const uchar* values, global const uint* palette,
                         const Target target, global uchar* data) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= target.width) return;
  const uint pixel = palette[values[(size_t)y * target.width + x]];
  const int repeated = target.sample_bytes > 0 ? target.sample_bytes : target.bytes;
  for (int plane = 0; plane < target.planes; ++plane) {
    global uchar* to = data + place_of(target.at, plane, x, y, target.bytes);
    for (int i = 0; i < target.bytes; ++i)
      to[i] = shown(palette, pixel, target, plane + i / repeated) >> 8 * (i % repeated);
  }
}

// Likewise for pixels of 1, 2 or 4 bytes whose rows begin at multiples of 16 bytes. One work item
// per 4 pixels.
kernel void write_value_blocks(global const uchar* values, global const uint* palette,
                               const Target target, global uchar* data) {
  const int x = 4 * get_global_id(0), y = get_global_id(1), count = min(4, target.width - x);
  if (x >= target.width) return;
  global const uchar* from = values + (size_t)y * target.width + x;
  for (int plane = 0; plane < target.planes; ++plane) {
    uint pixel[4];
    for (int i = 0; i < 4; ++i)
      pixel[i] = i < count ? shown(palette, palette[from[i]], target, plane) : 0;
    global uchar* to = data + place_of(target.at, plane, x, y, target.bytes);
    if (count < 4) {
      for (int i = 0; i < count * target.bytes; ++i)
        to[i] = pixel[i / target.bytes] >> 8 * (i % target.bytes);
    } else if (target.bytes == 4) {
      *(global uint4*)to = (uint4)(pixel[0], pixel[1], pixel[2], pixel[3]);
    } else if (target.bytes == 2) {
      *(global uint2*)to =
          (uint2)(pixel[0] & 0xffff | pixel[1] << 16, pixel[2] & 0xffff | pixel[3] << 16);
    } else {
      *(global uint*)to =
          pixel[0] & 255 | (pixel[1] & 255) << 8 | (pixel[2] & 255) << 16 | pixel[3] << 24;
    }
  }
}

// As canny::Paint in canny/view.h.
typedef struct {
  int component[3], edge_alpha, other_alpha;
  int planes, bytes;
  int place[3], green_bits;
  int of_byte[4], shared_chroma;
  int step_bytes, shift_x, shift_y;
} Paint;

// The input and the output.
typedef struct {
  Planes from, to;  // of pixels, or U and V
  int width, height;
  Paint paint;
  int unused;  // instead of padding
} PaintArguments;

int alpha_of(const Paint paint, int is_edge) {
  return is_edge ? paint.edge_alpha : paint.other_alpha;
}

uint blend(int component, int sample, int alpha) {
  return (alpha * component + (255 - alpha) * sample + 127) / 255;
}

// A color of a word of colors: widened, blended and narrowed again.
uint paint_bits(uint word, int lowest, int bits, int color, int alpha) {
  const uint v = word >> lowest & (1u << bits) - 1;
  return blend(color, v << 8 - bits | v >> 2 * bits - 8, alpha) >> 8 - bits << lowest;
}

// One work item per pixel.
kernel void paint_pixels(global const uint* edges, const PaintArguments arguments,
                         global const uchar* input, global uchar* output) {
  const Paint paint = arguments.paint;
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= arguments.width) return;
  const int alpha = alpha_of(paint, bit_at(edges, arguments.width, x, y));
  for (int i = 0; i < paint.planes; ++i) {
    global const uchar* in = input + place_of(arguments.from, i, x, y, paint.bytes);
    global uchar* out = output + place_of(arguments.to, i, x, y, paint.bytes);
    if (paint.planes == 3) {
      out[0] = blend(paint.component[i], in[0], alpha);
    } else if (paint.green_bits > 0) {
      const uint word = in[0] | in[1] << 8;
      const uint painted =
          paint_bits(word, paint.place[0], 5, paint.component[0], alpha) |
          paint_bits(word, paint.place[1], paint.green_bits, paint.component[1], alpha) |
          paint_bits(word, paint.place[2], 5, paint.component[2], alpha);
      out[0] = painted;
      out[1] = painted >> 8;
    } else {
      for (int byte = 0; byte < paint.bytes; ++byte) {
        int component = paint.of_byte[byte], own_alpha = alpha;
        if (byte == paint.shared_chroma) {
          const int even = x & ~1, odd = min(even + 1, arguments.width - 1);
          component = 1 + x % 2;
          own_alpha = alpha_of(paint, bit_at(edges, arguments.width, even, y) ||
                                          bit_at(edges, arguments.width, odd, y));
        }
        out[byte] =
            component < 0 ? in[byte] : blend(paint.component[component], in[byte], own_alpha);
      }
    }
  }
}

// One work item per sample of U and of V, which are painted if any of their pixels is an edge.
kernel void paint_chroma(global const uint* edges, const PaintArguments arguments, int columns,
                         global const uchar* input, global uchar* output) {
  const Paint paint = arguments.paint;
  const int column = get_global_id(0), row = get_global_id(1);
  if (column >= columns) return;
  const int right = min(column + 1 << paint.shift_x, arguments.width);
  const int bottom = min(row + 1 << paint.shift_y, arguments.height);
  int is_edge = 0;
  for (int y = row << paint.shift_y; y < bottom; ++y)
    for (int x = column << paint.shift_x; x < right; ++x)
      is_edge |= bit_at(edges, arguments.width, x, y);
  const int alpha = alpha_of(paint, is_edge);
  for (int i = 0; i < 2; ++i) {
    const long in = place_of(arguments.from, i, column, row, paint.step_bytes);
    const long out = place_of(arguments.to, i, column, row, paint.step_bytes);
    output[out] = blend(paint.component[1 + i], input[in], alpha);
  }
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes edge maps in OpenCL C 1.2. Planes of bits have words of 32 pixels, row by row.

// How pixels lie in memory, and the bytes of an edge and of other pixels, the first one lowest.
typedef struct {
  long offset[3], stride[3];
  int width, height;
  int planes, bytes;
  uint edge, other;
} Target;

// A work item a pixel.
kernel void write_edges(global const uint* edges, const Target target, global uchar* data) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= target.width) return;
  const size_t words = (target.width + 31) / 32;
  const int is_edge = edges[y * words + x / 32] >> x % 32 & 1;
  const uint pixel = is_edge ? target.edge : target.other;
  for (int plane = 0; plane < target.planes; ++plane) {
    global uchar* to =
        data + target.offset[plane] + y * target.stride[plane] + (long)x * target.bytes;
    for (int i = 0; i < target.bytes; ++i) to[i] = pixel >> 8 * i;
  }
}

// A work item a word.
kernel void count_edges(global const uint* edges, int words, global uint* count) {
  const int word = get_global_id(0);
  if (word >= words) return;
  const uint ones = popcount(edges[(size_t)get_global_id(1) * words + word]);
  if (ones != 0) atomic_add(count, ones);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Planes of pixels and of bits. It comes before all other files.

// A kernel whose work groups have so many items in a row.
#define KERNEL_OF(ITEMS) kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))

// Where up to three planes of a frame begin in memory: those of pixels, or U and V.
typedef struct {
  long offset[3], stride[3];
} Planes;

// Where a pixel or sample of `bytes` bytes lies.
long place_of(const Planes planes, int plane, int x, int y, int bytes) {
  return planes.offset[plane] + y * planes.stride[plane] + (long)x * bytes;
}

// A bit of a plane of words of 32 pixels, row by row.
int bit_at(global const uint* plane, int width, int x, int y) {
  return plane[(size_t)y * ((width + 31) / 32) + x / 32] >> x % 32 & 1;
}

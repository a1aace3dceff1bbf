// SPDX-License-Identifier: LGPL-2.1-or-later
// Gradients of any operator, and their lengths for histograms and views. pixels.cl comes first.

#if IS_DEEP
typedef ulong Magnitude;  // up to 2 (65535 * 95)^2
#else
typedef uint Magnitude;  // up to 2 (255 * 95)^2
#endif

// As canny::OperatorWeights in canny/operator.h, and the norm.
typedef struct {
  int form, reach;
  int smooth[7], difference[7], east[8];
  int shift, is_l2;
} Weights;

// Over 2^shift, halves to even.
int divide(int sum, int shift) {
  if (shift == 0) return sum;
  const int tie = 1 << shift - 1, rest = sum & (1 << shift) - 1, below = sum >> shift;
  return below + (rest > tie || (rest == tie && (below & 1) != 0));
}

Magnitude magnitude_of(int a, int b, int is_l2) {
  const Magnitude x = abs(a), y = abs(b);
  return is_l2 ? x * x + y * y : x + y;
}

// A gradient's magnitude and sector.
typedef struct {
  Magnitude magnitude;
  uchar sector;
} Gradient;

// Of the differences along both diagonals: a 2x2 operator.
Gradient diagonal_gradient(int d1, int d2, const Weights weights) {
  return (Gradient){magnitude_of(d1, d2, weights.is_l2), sector_of(d2 - d1, -(d1 + d2))};
}

// E, NE, N, NW, W, SW, S, SE
constant int kCompassX[8] = {1, 1, 0, -1, -1, -1, 0, 1}, kCompassY[8] = {0, -1, -1, -1, 0, 1, 1, 1};

// Of the 8 samples around a pixel: the largest response of 8 masks.
Gradient compass_gradient(const int* around, const Weights weights) {
  int largest = 0, best = 0;
  for (int mask = 0; mask < 8; ++mask) {
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += weights.east[i] * around[i + mask & 7];
    if (mask > 0 && sum <= largest) continue;
    largest = sum;
    best = mask;
  }
  return (Gradient){largest, sector_of(kCompassX[best], kCompassY[best])};
}

// Of the sums of a separable operator.
Gradient separable_gradient(int gx, int gy, const Weights weights) {
  gx = divide(gx, weights.shift);
  gy = divide(gy, weights.shift);
  return (Gradient){magnitude_of(gx, gy, weights.is_l2), sector_of(gx, gy)};
}

// Whether a pixel lies in the region, if it is not null. Words of it are like those of candidates.
int is_inside(global const uint* region, int width, int x, int y) {
  return !region || bit_at(region, width, x, y);
}

// The square root of k < 2^31, rounded down.
uint root(uint k) {
  uint result = sqrt((float)k);
  while (result * result > k) --result;
  while ((result + 1) * (result + 1) <= k) ++result;
  return result;
}

// A magnitude as a length in the unit of thresholds, rounded down.
uint length_of(Magnitude magnitude, int is_squared) {
#if IS_DEEP
  return is_squared ? root(magnitude >> 16) : magnitude >> 8;
#else
  return is_squared ? root(magnitude) : magnitude;
#endif
}

// A view's number of 0..255: the gradient's height, or its direction.
uchar shown_value(Gradient gradient, int view, int is_squared, int gain) {
  const uint length = length_of(gradient.magnitude, is_squared);
  if (view == kDirection) return length == 0 ? 0 : min(64u * (gradient.sector + 1), 255u);
  return min(length / gain, 255u);
}

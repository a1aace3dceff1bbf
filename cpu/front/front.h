// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns pixels into candidate and strong bits: luma, Gaussian blur, gradient, non-maximum
// suppression and double threshold, streamed down a piece of rows.
#pragma once

#include <hwy/aligned_allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "canny/auto_threshold.h"
#include "canny/canny.h"
#include "canny/contours.h"
#include "canny/plan.h"
#include "cpu/plane.h"

namespace canny::cpu {

/// Pixels that the front end processes at a time. Rows of memory are whole blocks, so no loop has a
/// remainder. Values to the right of the last pixel are never used.
inline constexpr int kBlock = Plane::kBits;

/// Facts about the pixels of a block, found along with their magnitudes.
struct BlockBits {
  Plane::Word above_low = 0;  ///< the magnitude exceeds the low threshold
  // Set only in a block with such pixels:
  Plane::Word steep;     ///< the gradient is not in the horizontal sector
  Plane::Word vertical;  ///< the gradient is in the vertical sector
  Plane::Word falling;   ///< gx and gy have different signs
};

inline constexpr int kMaxChannels = 3;

/// Sums of the upper row of the next pair, and a ring of pairs of rows of horizontal sums.
struct SumRows {
  std::int16_t* upper = nullptr;
  std::int16_t* pairs = nullptr;
};

/// The rows in flight of a channel: luma, or a color. Each begins at a cache line; rings hold row y
/// at place y % depth.
template <class Blurred>
struct BasicChannelRows {
  /// Powers of 2. An operator reads up to 6 rows back, and a CountSink that samples a few more.
  static constexpr int kBlurredDepth = 8, kSampledDepth = 16;

  std::uint16_t* samples = nullptr;      ///< with margins; deep ones less 32768
  SumRows sums;                          ///< of deep samples, bits from 8 on
  SumRows byte_sums;                     ///< of deep samples: the lowest 8 bits
  Blurred* blurred[kSampledDepth] = {};  ///< with margins
};

/// The rows in flight that do not depend on the number of bits.
struct CommonRows {
  static constexpr int kDepth = 4;  ///< rows of a ring, a power of 2; a stage reads 2 rows back
  static constexpr int kMargin = kBlock;  ///< samples left and right of rows that have borders
  static constexpr int kPixelBytes = 4;   ///< most bytes of a pixel
  static constexpr int kCounts = 4;  ///< equal neighbors do not wait for each other's increment

  int blocks = 0;                    ///< blocks in a row
  std::uint8_t* pixels = nullptr;    ///< the incomplete blocks at the end of a row
  BlockBits* bits[kDepth] = {};      ///< one per block
  BlockBits* next_bits = nullptr;    ///< of a channel after the first
  std::uint16_t* bins = nullptr;     ///< of magnitudes
  std::uint32_t* counts = nullptr;   ///< kCounts histograms of kBins bins, which are added up
  std::uint64_t* largest = nullptr;  ///< the largest magnitude
  std::uint8_t* values = nullptr;    ///< that a view shows
};

/// A row whose pixels 0, 2, 4 .. and 1, 3, 5 .. are apart, with margins.
template <class T>
struct BasicSplitRow {
  T *even = nullptr, *odd = nullptr;
};
using SplitRow = BasicSplitRow<std::int16_t>;
using SquareRow = BasicSplitRow<std::int32_t>;

/// The gradients of a row of the front end for Sobel.
struct SobelGradients {
  SplitRow magnitudes;
  std::int16_t* sectors = nullptr;   ///< as masks
  Plane::Word* above_low = nullptr;  ///< as in BlockBits
  Plane::Word* saturated = nullptr;  ///< the vectors with a magnitude that does not fit 16 bits
  SquareRow squares;                 ///< the magnitudes of these vectors in 32 bits; 0 in others
};

/// The rows in flight of that front end, which has the sums of the first channel as well. Rings
/// hold row y at place y % depth.
struct SobelRows {
  /// A gradient reads the sums with the rows above and below; the next ones come in fours, and one
  /// more at the bottom.
  static constexpr int kSums = 6, kGradients = 3;

  std::int8_t* luma[4] = {};  ///< less 128, with margins
  SplitRow last;              ///< the last row that is blurred
  SplitRow sums[kSums];       ///< of a blurred row and the next one
  SobelGradients gradients[kGradients];
  SplitRow outside;           ///< magnitudes above the top row and below the last
  SquareRow outside_squares;  ///< likewise
};

/// All rows in flight.
template <class BlurredSample, class MagnitudeNumber>
struct BasicFrontRows : CommonRows {
  using Blurred = BlurredSample;
  using Magnitude = MagnitudeNumber;
  using Channel = BasicChannelRows<Blurred>;

  Channel channels[kMaxChannels];       ///< the first is for luma, red, or blue
  Blurred* smooth = nullptr;            ///< sums of columns, with margins
  Blurred* difference = nullptr;        ///< likewise
  Magnitude* magnitude[kDepth] = {};    ///< with margins
  Magnitude* outside = nullptr;         ///< magnitudes above the top row and below the last
  Magnitude* next_magnitude = nullptr;  ///< of a channel after the first
};
struct FrontRows : BasicFrontRows<std::int16_t, std::int32_t> {
  SobelRows sobel;
};
/// Magnitudes of deep samples are integers below 2^53, for which vectors of doubles have more
/// operations than those of integers.
using DeepRows = BasicFrontRows<std::int32_t, double>;
using ChannelRows = FrontRows::Channel;
using DeepChannelRows = DeepRows::Channel;

/// An image of one or two bytes for each sample, in memory that grows with the largest image.
class SampleImage {
 public:
  /// Does nothing if the size is the same. Contents are undefined.
  void set_size(int blocks, int height, int channels, int sample_bytes);

  std::ptrdiff_t stride() const { return stride_; }
  std::uint8_t* row(int channel, int y) const {
    return memory_.get() + stride_ * (static_cast<std::ptrdiff_t>(height_) * channel + y);
  }

 private:
  std::ptrdiff_t stride_ = 0;
  int height_ = 0;
  std::size_t bytes_ = 0;  // allocated
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> memory_;
};

/// A CountSink that samples counts one row of this many.
inline constexpr int kRowsPerSample = 16;

/// Bins of a histogram.
struct BinRange {
  int first = 0, last = kBins;  ///< last is excluded

  bool is_whole() const { return first == 0 && last == kBins; }
  bool has(int bin) const { return bin >= first && bin < last; }
};

// What becomes of the rows of a piece. The first stages run as far as each of these needs them.

/// Gradients become bits of both planes.
struct BitsSink {
  Plane candidate, strong;
};

/// Gradients are counted, as the plan's ThresholdMode says.
struct CountSink {
  const SampleImage* image = nullptr;  ///< keeps the blurred rows for later, unless null
  bool is_sampled = false;             ///< counts one row of kRowsPerSample
  BinRange range = {};                 ///< for kQuantile: the bins that matter
};

/// Luma is kept for later, and counted.
struct LumaSink {
  const SampleImage* image;
};

/// Values become the output of a view that shows images or gradients.
struct ViewSink {
  const Frame* output;
};

/// Gradients become the offsets of these pixels, which suppression keeps.
struct OffsetSink {
  Plane points;
  Offset* offsets;  ///< one per pixel, of which only those of `points` are written
};

using FrontSink = std::variant<BitsSink, CountSink, LumaSink, ViewSink, OffsetSink>;

/// A piece: its input, its plan and the thresholds that the plan selects.
struct FrontPiece {
  const ConstFrame& input;
  const SampleImage* blurred;  ///< blurred rows that take the place of the input; null = none
  const Plan& plan;
  Thresholds thresholds;  ///< of BitsSink; for others, those that any length above 0 exceeds
  DeepThresholds deep_thresholds;  ///< likewise, of deep samples
  int first_row, last_row;         ///< last_row is excluded
  const Plane* region;             ///< the pixels whose bits and counts matter; null = all
  FrontSink sink;
};

/// The progress of the rows in flight, from which the piece below can continue.
struct FrontProgress {
  int row = -1;           ///< last_row of the previous piece in this frame
  int first_blurred = 0;  ///< first row blurred since the last fresh start
  int blurred = 0;        ///< next row to blur
};

/// Whether the front end may use AVX-512 VNNI. Tests and benchmarks forbid it; detectors read it
/// while they work.
extern std::atomic<bool> is_vnni_allowed;
/// Whether it may, and the processor has it.
bool has_vnni();

/// Runs pieces one at a time and holds the rows in flight. For one thread at a time.
class Front {
 public:
  /// Allocates for images of this width.
  void set_size(int width);

  /// Call before the first piece of each frame, and of each other sink. The first frame of deep
  /// samples allocates for them.
  void start_frame(const Plan& plan);

  /// Forgets the counts of earlier frames.
  void clear_counts(const Plan& plan);
  /// Adds the counts of all pieces since then.
  void add_counts(const Plan& plan, Histogram* histogram) const;

  /// Runs a piece. One that does not begin where the previous one ended
  /// costs as many extra rows as the blur has taps.
  void run(const FrontPiece& piece);

 private:
  const CommonRows& rows_of(const Plan& plan) const;

  FrontRows rows_;
  DeepRows deep_rows_;
  FrontProgress progress_;
  hwy::AlignedFreeUniquePtr<std::uint8_t[]> memory_, deep_memory_;
};

}  // namespace canny::cpu

// SPDX-License-Identifier: LGPL-2.1-or-later
/// The definition of the edge map as plain loops, one function per stage. Tests compare every
/// backend with it. It uses only types from the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "canny/canny.h"

namespace reference {

inline constexpr int kTile = 32;  ///< side of a hysteresis tile, pixels

/// A width x height image with one sample for each pixel, rows from top to bottom without gaps.
template <class Sample>
struct Plane {
  Plane() = default;
  Plane(int width_pixels, int height_pixels)
      : width(width_pixels),
        height(height_pixels),
        samples(std::size_t(width_pixels) * std::size_t(height_pixels)) {}

  Sample* row(int y) { return samples.data() + std::size_t(y) * std::size_t(width); }
  const Sample* row(int y) const { return samples.data() + std::size_t(y) * std::size_t(width); }

  int width = 0;
  int height = 0;
  std::vector<Sample> samples;
};

using Bytes = Plane<std::uint8_t>;
using Words = Plane<std::uint16_t>;  ///< samples of more than 8 bits, as numbers of 16 bits

/// Differences from left to right and from top to bottom, or any vectors with their directions.
struct Gradient {
  Plane<std::int32_t> gx, gy;
};

using Magnitudes = Plane<std::int64_t>;

using canny::Operator;
using canny::ThresholdMode;
inline constexpr Operator kOperators[] = {
    Operator::kSobel,   Operator::kSobel5,   Operator::kSobel7,
    Operator::kScharr,  Operator::kPrewitt,  Operator::kKroon,
    Operator::kRoberts, Operator::kRobinson, Operator::kKirsch};

/// Whether the norm has an effect on the operator: not on those that take the largest of eight
/// responses.
bool has_norm(Operator op);

/// The operator's largest |gx|, or largest response, for a step from 0 to 1 across one axis.
int gain(Operator op);

/// The directions that suppression distinguishes. Along a falling one, x and y grow together.
enum class Sector { kHorizontal, kFalling, kVertical, kRising };
Sector sector(int gx, int gy);

/// Columns and rows.
struct Offset {
  int x = 0, y = 0;
};

/// The way to the next pixel across an edge of this direction, to the right or downwards.
Offset step_of(Sector sector);

/// What an operator makes of an image: a vector with the direction of the gradient for each pixel,
/// and the gradient's magnitude.
struct Response {
  Gradient direction;
  Magnitudes magnitude;
  int unit = 1;  ///< what a step of 1 in 8 bits counts: 256 of 16-bit samples
};

/// A pixel is a candidate, strong, or an edge if its byte is 1; other bytes are 0. Every strong
/// pixel is a candidate.
struct Candidates {
  Bytes candidate, strong;
};

/// The limits for magnitudes: 0 <= low <= high.
struct Thresholds {
  std::int64_t low, high;
};

/// Luma of a frame in host memory. RGB: (9798 R + 19235 G + 3735 B + 16384) >> 15, where the
/// weights sum to 2^15, so 255 is the largest result. Colors of 5 and 6 bits are widened to 8 by
/// repeating their highest bits.
/// Of samples of more than 8 bits, the highest 8 count. A float x counts as 255 x: the product as a
/// float, rounded to an integer, halves to even, at least 0 and at most 255.
Bytes luma(const canny::ConstFrame& frame);

/// The colors of a frame in host memory, 8 bits each, the highest ones: as in memory where they
/// have bytes of their own in a plane, else red, green and blue. Empty if its pixels have no such
/// colors.
std::vector<Bytes> colors(const canny::ConstFrame& frame);

/// Whether the format has samples of more than 8 bits, and whether they count in full.
bool is_deep(canny::PixelFormat format);
bool is_deep(const canny::Params& params, const canny::ConstFrame& frame);

/// Luma, and colors, of a format with samples of more than 8 bits. Those of 10 and 12 bits are the
/// highest bits of 16. A float x counts as 65535 x, rounded likewise.
Words deep_luma(const canny::ConstFrame& frame);
std::vector<Words> deep_colors(const canny::ConstFrame& frame);

/// The highest 8 bits.
Bytes highest(const Words& image);

/// Coefficients of the Gaussian blur, 256ths: an odd number of them, each 0..256, sum 256. One
/// coefficient (256) for sigma = 0.
std::vector<int> taps(double sigma);

/// Gaussian blur in both directions, reflect-101 border, one rounding at the end. A row's sums are
/// at most 256 * 255 = 65280, a column's sums of those at most 256 * 65280 < 2^24. Of 16-bit
/// samples, sums are 256 times as large.
Bytes blur(const Bytes& image, double sigma);
Words blur(const Words& image, double sigma);

/// Sobel operator 3x3, replicated border. |gx| and |gy| are at most 4 * 255 = 1020, or 4 * 65535.
Gradient sobel(const Bytes& image);
Gradient sobel(const Words& image);

/// L1: |gx| + |gy|. L2: gx^2 + gy^2, no root.
Magnitudes magnitude(const Gradient& gradient, canny::Norm norm);

/// The response of any operator, replicated border. The largest |gx| for samples of 8 bits is
/// 24225, of kKroon. The norm has no effect on compass operators, whose magnitude is their largest
/// response and whose direction is that of the first mask with it: E, NE, N, NW, W, SW, S, SE.
Response respond(const Bytes& image, Operator op, canny::Norm norm);
Response respond(const Words& image, Operator op, canny::Norm norm);

/// Of each pixel the response with the largest magnitude, the first one among equals.
Response largest(const std::vector<Response>& responses);

/// The integers that magnitudes of `params.norm` are compared with, if a step of 1 in 8 bits counts
/// `unit`.
Thresholds thresholds(const canny::Params& params, int unit = 1);

/// Likewise for any operator. Those of kSobel7 are divided by 16; compass operators have no norm.
Thresholds thresholds(double low, double high, canny::Norm norm, Operator op, int unit = 1);

/// Magnitudes as lengths: their square roots, rounded down, with L2 and an operator that has a
/// norm; and these over the response's unit, rounded down.
Magnitudes lengths(const Response& response, canny::Norm norm, Operator op);

/// Thresholds as lengths.
struct Limits {
  double low = 0, high = 0;
};

/// 1 for each pixel of the frame's region, whose memory is host memory; of a frame without one, for
/// all pixels.
Bytes inside(const canny::ConstFrame& frame);

/// The thresholds of a frame that follow from its pixels, in every mode except kAbsolute. Only
/// pixels that are 1 in `inside` count, or all if it is null. Histograms of lengths have 2048 bins,
/// in each of which 2^k lengths fall, for the smallest k with which the operator's largest length
/// fits. `limits`, if not null, becomes the thresholds as lengths.
Thresholds measure(ThresholdMode mode, double high_ratio, double low_ratio, const Bytes& luma,
                   const Response& response, canny::Norm norm, Operator op,
                   const Bytes* inside = nullptr, Limits* limits = nullptr);

/// Non-maximum suppression, unless `is_thin` is false, and double threshold. The magnitude outside
/// the image is 0.
Candidates suppress(const Gradient& gradient, const Magnitudes& magnitude, Thresholds thresholds,
                    bool is_thin = true);

/// The way from the center of an edge pixel to the edge: to the vertex of the parabola through the
/// length at the pixel and the two that suppression compares it with, in 1/256 pixel. 0 with thick
/// edges.
Offset offset(const canny::Params& params, const Response& response, int x, int y);

using canny::View;

/// The pixels of a view of the gradient or of the candidates, in a gray output: kGradient to
/// kPasses. `passes` is that of hysteresis(); 0, until stable, shows 64 passes.
Bytes view(View view, const Response& response, const Candidates& candidates, canny::Norm norm,
           Operator op, unsigned passes);

/// The pass of hysteresis that finds each pixel: 255 for a strong one, 0 for none.
Bytes pass_numbers(const Candidates& candidates, unsigned passes);

/// Clears the 8-connected components of ones with fewer pixels than `min_length`.
void remove_short(unsigned min_length, Bytes* edges);

/// The number of 8-connected components of ones.
std::uint64_t count_components(const Bytes& edges);

/// Hysteresis until stable: 1 for every candidate that is 8-connected to a strong pixel through
/// candidates.
Bytes hysteresis(const Candidates& candidates);

/// Hysteresis with a number of passes over tiles of 32x32 pixels: the set E(passes), as ones.
Bytes hysteresis(const Candidates& candidates, unsigned passes);

/// The response of a frame, with the parameters' operator, norm and color mode.
Response respond(const canny::Params& params, const canny::ConstFrame& frame);

/// Runs the stages up to the double threshold. `limits`, if not null, becomes the thresholds that
/// were used.
Candidates front(const canny::Params& params, const canny::ConstFrame& frame,
                 Limits* limits = nullptr);

/// Runs the stages after the double threshold: 1 for an edge.
Bytes edges_of(const canny::Params& params, const Candidates& candidates);

/// Runs all stages: width * height bytes, 255 for an edge and 0 elsewhere. For a frame of P pixels,
/// the stages need at most 20 P bytes with the parameters of Params{}.
std::vector<std::uint8_t> detect(const canny::Params& params, const canny::ConstFrame& frame,
                                 Limits* limits = nullptr);

/// Writes an edge map (width * height bytes of 0 and 255) to a frame in host memory of any format.
/// Bytes that are not a color are 255; floats are 0 or 1.
void output(const std::vector<std::uint8_t>& edges, const canny::Frame& frame);

/// What the detector states of a frame.
struct Rendered {
  std::uint64_t edges = 0;
  Limits limits;
  std::uint64_t strong = 0, candidates = 0;  ///< 0 in a view of the gradient, of luma or of blur
  std::uint64_t components = 0;              ///< 0 unless the view shows edges
};

/// Writes the view of `params` to a frame in host memory. Overlay and mask are for frames of equal
/// formats and chroma.
Rendered render(const canny::Params& params, const canny::ConstFrame& input,
                const canny::Frame& output);

}  // namespace reference

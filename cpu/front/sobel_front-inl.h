// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of most frames: 8-bit luma, the 3x3 Sobel operator, and suppression. Its results
// are those of the general one, with fewer operations.

// Included once for each instruction set.
#if defined(CANNY_CPU_SOBEL_FRONT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_SOBEL_FRONT_INL_H_
#undef CANNY_CPU_SOBEL_FRONT_INL_H_
#else
#define CANNY_CPU_SOBEL_FRONT_INL_H_
#endif

#include <algorithm>

#include "cpu/front/dots-inl.h"
#include "cpu/front/front.h"
#include "cpu/front/samples-inl.h"
#include "cpu/front/sobel-inl.h"
#include "cpu/front/split-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

// Runs a piece from the top down.
class SobelFront {
 public:
  static bool can_run(const FrontPiece& piece) {
    const Plan& plan = piece.plan;
    return std::holds_alternative<BitsSink>(piece.sink) && plan.channels == 1 &&
           plan.op == Operator::kSobel && plan.is_thin;
  }

  SobelFront(const FrontRows& rows, const FrontPiece& piece, FrontProgress& progress)
      : all_rows_(rows),
        rows_(rows.sobel),
        pairs_(rows.channels[0].sums.pairs),
        piece_(piece),
        progress_(progress),
        blocks_(rows.blocks),
        width_(piece.input.width),
        height_(piece.input.height),
        is_blurred_(piece.blurred != nullptr || piece.plan.blur.is_identity()),
        has_vnni_(has_vnni()),
        radius_(is_blurred_ ? 0 : piece.plan.blur.radius()),
        first_gradient_(std::max(piece.first_row - 1, 0)),
        limits_(sobel_limits(piece.plan.norm, piece.thresholds)) {}

  void run() {
    set_weights(piece_.plan.blur, &byte_window_);
    set_weights(piece_.plan.blur, &window_);
    if (has_vnni_) set_weights(piece_.plan.blur, &quad_window_);
    if (progress_.row != piece_.first_row) begin();
    const int last = std::min(piece_.last_row + 1, height_ - 1);
    for (; progress_.blurred <= last; ++progress_.blurred) {
      const int y = progress_.blurred;
      if ((y - progress_.first_blurred) % 4 == 0) blur_four(y);
      if (y > first_gradient_) gradient(y - 1);
      if (y == height_ - 1) gradient(y);
    }
    progress_.row = piece_.last_row;
  }

 private:
  // Sums of the rows y and y + 1.
  const SplitRow& sums(int y) const {
    return rows_.sums[(y + SobelRows::kSums) % SobelRows::kSums];
  }
  const SobelGradients& gradients(int y) const {
    return rows_.gradients[y % SobelRows::kGradients];
  }
  bool is_inside(int y) const { return y >= 0 && y < height_; }
  const SplitRow& magnitudes(int y) const {
    return is_inside(y) ? gradients(y).magnitudes : rows_.outside;
  }
  const SquareRow& squares(int y) const {
    return is_inside(y) ? gradients(y).squares : rows_.outside_squares;
  }

  // The place of pair i of rows of horizontal sums.
  std::size_t pair(int i) const {
    return static_cast<std::size_t>(i % (radius_ + 2)) * 2 * kBlock * blocks_;
  }

  void begin() {
    progress_.first_blurred = progress_.blurred = std::max(first_gradient_ - 1, 0);
    const int lanes = blocks_ * kBlock / 2 + 1;
    std::fill_n(rows_.outside.even - 1, lanes + 1, kLowest);
    std::fill_n(rows_.outside.odd - 1, lanes + 1, kLowest);
    for (int i = 0; i < radius_; ++i) sum(i);
  }

  void luma_row(int y, std::int8_t* out) {
    if (piece_.blurred != nullptr) {
      const std::uint8_t* row = piece_.blurred->row(0, std::min(y, height_ - 1));
      for (int x = 0; x < blocks_ * kBlock; x += kLanes8)
        store_luma(hn::Load(d8, row + x), ByteRow{out, nullptr}, x);
      return;
    }
    convert_luma(all_rows_, piece_.input, reflect(y, height_), out);
    mirror_borders(out, width_, radius_);
  }

  // Sums the rows of pair i, counted from the first row that the first blurred row needs.
  void sum(int i) {
    const int y = progress_.first_blurred - radius_ + 2 * i;
    luma_row(y, rows_.luma[0]);
    luma_row(y + 1, rows_.luma[1]);
#if HWY_TARGET <= HWY_AVX3
    if (has_vnni_) {
      return sum_quads(blocks_, quad_window_, radius_, rows_.luma[0], rows_.luma[1],
                       pairs_ + pair(i));
    }
#endif
    const auto run = byte_window_.count == kUsualPairs ? sum_bytes<kUsualPairs> : sum_bytes<0>;
    run(blocks_, byte_window_, rows_.luma[0], rows_.luma[1], pairs_ + pair(i));
  }

  // Blurs the rows from y on.
  void blur_four(int y) {
    const auto output = [&](auto part) {
      const auto to = [&](int row) { return sums(row).*part; };
      return SplitOutput{rows_.last.*part, {to(y - 1), to(y), to(y + 1), to(y + 2)}};
    };
    const SplitOutput evens = output(&SplitRow::even), odds = output(&SplitRow::odd);
    if (is_blurred_) {
      for (int i = 0; i < 4; ++i) luma_row(y + i, rows_.luma[i]);
      split_bytes(blocks_, rows_.luma, evens, odds);
    } else {
      const int first_pair = (y - progress_.first_blurred) / 2;
      sum(first_pair + radius_);
      sum(first_pair + radius_ + 1);
      for (int i = 0; i <= window_.count; ++i) window_.pairs[i] = pair(first_pair + i);
      sum_columns(evens, odds);
    }
    // Beyond the borders of the image, rows are repeated.
    if (y == 0) repeat(0, y + 3, sums(-1));
    if (y + 3 >= height_ - 1) repeat(height_ - 1, y + 3, sums(height_ - 1));
    for (int row = y - 1; row <= y + 3; ++row) repeat_borders(sums(row));
  }

  void sum_columns(SplitOutput evens, SplitOutput odds) const {
#if HWY_TARGET <= HWY_AVX3
    if (has_vnni_) return sum_pairs_with_dots(blocks_, window_, pairs_, evens, odds);
#endif
    const auto run = window_.count == kUsualPairs ? sum_pairs<kUsualPairs> : sum_pairs<0>;
    run(blocks_, window_, pairs_, evens);
    run(blocks_, window_, pairs_ + 2 * kLanes16, odds);
  }

  // Sets `to` to twice row y, of the rows up to `last` that have just been blurred.
  void repeat(int y, int last, const SplitRow& to) const {
    const auto twice = [&](auto part) {
      for (int x = 0; x < blocks_ * kBlock / 2; x += kLanes16) {
        auto row = hn::Load(d16, rows_.last.*part + x);
        for (int i = last - 1; i >= y; --i) row = hn::Load(d16, sums(i).*part + x) - row;
        hn::Store(row + row, d16, to.*part + x);
      }
    };
    twice(&SplitRow::even);
    twice(&SplitRow::odd);
  }

  void repeat_borders(const SplitRow& row) const {
    row.odd[-1] = row.even[0];
    const int last = (width_ - 1) / 2;
    if (width_ % 2 == 0)
      row.even[last + 1] = row.odd[last];
    else
      row.odd[last] = row.even[last];
  }

  void gradient(int y) {
    const auto run = piece_.plan.norm == Norm::kL2 ? sobel_row<Norm::kL2> : sobel_row<Norm::kL1>;
    const SobelGradients& to = gradients(y);
    run(blocks_, sums(y - 1), sums(y), limits_, to);
    // Pixels outside the image have no magnitude.
    to.magnitudes.odd[-1] = kLowest;
    (width_ % 2 == 0 ? to.magnitudes.even : to.magnitudes.odd)[width_ / 2] = kLowest;
    (width_ % 2 == 0 ? to.squares.even : to.squares.odd)[width_ / 2] = 0;
    if (width_ % kBlock != 0) to.above_low[blocks_ - 1] &= (Plane::Word{1} << width_ % kBlock) - 1;
    if (y > piece_.first_row) suppress_row(y - 1);
    if (y == height_ - 1 && y < piece_.last_row) suppress_row(y);
  }

  void suppress_row(int y) {
    const auto& sink = std::get<BitsSink>(piece_.sink);
    Plane::Word *candidate = sink.candidate.row(y), *strong = sink.strong.row(y);
    const SobelGradients here = gradients(y);  // values, as in sobel_row()
    const SplitRow above = magnitudes(y - 1), below = magnitudes(y + 1);
    const Plane* region = piece_.region;
    const int blocks = blocks_;
    const auto high = hn::Set(d16, limits_.high);
    for (int block = 0; block < blocks; ++block) {
      Plane::Word bits = here.above_low[block];
      if (region != nullptr) bits &= region->word(block, y);
      Maxima maxima = {};
      for (int i = 0; i < kBlock; i += kLanes8) {
        if ((bits >> i & kLanesMask) == 0) continue;
        const int x = (block * kBlock + i) / 2;
        const std::int16_t* sectors = here.sectors + 4 * x;
        Maxima found = compare_split(above, here.magnitudes, below, sectors, x, high);
        if (HWY_UNLIKELY((here.saturated[block] >> i & 1) != 0)) {
          compare_squares(squares(y - 1), here.squares, squares(y + 1), sectors, x,
                          piece_.thresholds, &found);
        }
        maxima.kept |= found.kept << i, maxima.strong |= found.strong << i;
      }
      candidate[block] = maxima.kept & bits;
      strong[block] = maxima.strong & candidate[block];
    }
  }

  const FrontRows& all_rows_;
  const SobelRows& rows_;
  std::int16_t* const pairs_;  // of rows of horizontal sums
  const FrontPiece& piece_;
  FrontProgress& progress_;
  const int blocks_, width_, height_;
  const bool is_blurred_;  // rows come without a blur, or from an image
  const bool has_vnni_;
  const int radius_, first_gradient_;
  const SobelLimits limits_;
  ByteWindow byte_window_;
  Window window_;
  QuadWindow quad_window_;  // with VNNI
};

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

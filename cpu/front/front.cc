// SPDX-License-Identifier: LGPL-2.1-or-later
// The front end of the CPU backend: one text, which Highway compiles for each instruction set.
#include "cpu/front/front.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "canny/carver.h"
#include "canny/frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/front/front.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "cpu/front/blur-inl.h"
#include "cpu/front/count-inl.h"
#include "cpu/front/gradient-inl.h"
#include "cpu/front/offsets-inl.h"
#include "cpu/front/samples-inl.h"
#include "cpu/front/sobel_front-inl.h"
#include "cpu/front/suppress-inl.h"
#include "cpu/front/view-inl.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

bool is_sampled(const FrontPiece& piece) {
  const auto* counts = std::get_if<CountSink>(&piece.sink);
  return counts != nullptr && counts->is_sampled;
}

// Runs a piece from the top down. A stage after the blur runs as soon as its input rows exist.
template <class Rows>
class PieceFront {
 public:
  using Blurred = typename Rows::Blurred;
  using Magnitude = typename Rows::Magnitude;
  using Channel = typename Rows::Channel;

  PieceFront(const Rows& rows, const FrontPiece& piece, FrontProgress& progress)
      : rows_(rows),
        piece_(piece),
        progress_(progress),
        width_(piece.input.width),
        height_(piece.input.height),
        radius_(piece.blurred != nullptr ? 0 : piece.plan.blur.radius()),
        channels_(piece.plan.channels),
        reach_(piece.plan.weights.reach),
        is_sampled_(is_sampled(piece)),
        blurred_depth_(is_sampled_   ? Channel::kSampledDepth
                       : reach_ == 1 ? Rows::kDepth
                                     : Channel::kBlurredDepth),
        gradient_row_(gradient_function<Blurred, Magnitude>(piece.plan)),
        first_gradient_(std::max(piece.first_row - 1, 0)),
        first_blurred_(std::max(first_gradient_ - reach_, 0)),
        last_blurred_(std::min(piece.last_row + reach_, height_ - 1)) {}

  // Turns pixels or blurred rows into gradients, and these into bits or counts.
  void run() {
    Window window;
    set_weights(piece_.plan.blur, &window);
    if (progress_.row != piece_.first_row) begin();
    for (; progress_.blurred <= last_blurred_; ++progress_.blurred) {
      const int y = progress_.blurred;
      if (piece_.blurred != nullptr)
        load_blurred(y);
      else if ((y - progress_.first_blurred) % 2 == 0)
        blur_two(y, &window);
      blurred(y);
    }
    progress_.row = piece_.last_row;
  }

 private:
  static int place(int y) { return y & (Rows::kDepth - 1); }

  Blurred* blurred_row(const Channel& rows, int y) const {
    return rows.blurred[y & (blurred_depth_ - 1)];
  }

  // The place of pair i of rows of horizontal sums.
  std::size_t pair(int i) const {
    return static_cast<std::size_t>(i % (radius_ + 1)) * 2 * kBlock * rows_.blocks;
  }

  void begin() {
    progress_.first_blurred = progress_.blurred = first_blurred_;
    for (int pair = 0; pair < radius_; ++pair) sum(pair);
  }

  // Sums the rows of pair i, counted from the first row that the first blurred row needs.
  void sum(int i) {
    const int y = progress_.first_blurred - radius_ + 2 * i;
    const int blocks = rows_.blocks;
    sample_row(rows_, piece_.input, channels_, reflect(y, height_), radius_);
    for (int channel = 0; channel < channels_; ++channel)
      horizontal<true>(blocks, rows_.channels[channel], piece_.plan.blur, 0);
    sample_row(rows_, piece_.input, channels_, reflect(y + 1, height_), radius_);
    for (int channel = 0; channel < channels_; ++channel)
      horizontal<false>(blocks, rows_.channels[channel], piece_.plan.blur, pair(i));
  }

  void load_blurred(int y) {
    for (int channel = 0; channel < channels_; ++channel)
      load_row(rows_.blocks, piece_.blurred->row(channel, y),
               blurred_row(rows_.channels[channel], y));
  }

  // Blurs rows y and y + 1.
  void blur_two(int y, Window* window) {
    const int first_pair = (y - progress_.first_blurred) / 2;
    sum(first_pair + radius_);
    for (int channel = 0; channel < channels_; ++channel) {
      const Channel& rows = rows_.channels[channel];
      for (int i = 0; i < window->count; ++i) window->pairs[i] = pair(first_pair + i);
      vertical(rows_.blocks, *window, rows, blurred_row(rows, y), blurred_row(rows, y + 1));
    }
  }

  // Continues with the rows whose gradients read none below row y. Only the last piece gets to the
  // last row of the image.
  void blurred(int y) {
    for (int channel = 0; channel < channels_; ++channel) {
      Blurred* row = blurred_row(rows_.channels[channel], y);
      row[-1] = row[0];
      row[width_] = row[width_ - 1];
    }
    if (y - reach_ >= first_gradient_) gradient(y - reach_);
    if (y < height_ - 1) return;
    for (int last = std::max(y - reach_ + 1, first_gradient_); last <= y; ++last) gradient(last);
  }

  void gradient_of(const Channel& rows, int y, Magnitude* magnitudes, BlockBits* bits) {
    GradientRow<Blurred, Magnitude> row = {
        rows_.blocks, width_, {}, rows_.smooth, rows_.difference, limits(rows_, piece_).low,
        magnitudes,   bits};
    for (int i = 0; i <= 2 * reach_; ++i)
      row.blurred[i] = blurred_row(rows, std::clamp(y + i - reach_, 0, height_ - 1));
    gradient_row_(row);
  }

  void gradient(int y) {
    if (!is_sampled_) find_gradient(y);
    if (y > piece_.first_row) finish_row(y - 1);
    if (y == height_ - 1 && y < piece_.last_row) finish_row(y);
  }

  void find_gradient(int y) {
    gradient_of(rows_.channels[0], y, rows_.magnitude[place(y)], rows_.bits[place(y)]);
    for (int channel = 1; channel < channels_; ++channel) {
      gradient_of(rows_.channels[channel], y, rows_.next_magnitude, rows_.next_bits);
      take_larger(rows_, rows_.magnitude[place(y)], rows_.bits[place(y)]);
    }
    // Pixels outside the image have no magnitude.
    rows_.magnitude[place(y)][width_] = 0;
    if (width_ % kBlock != 0)
      rows_.bits[place(y)][rows_.blocks - 1].above_low &= (Plane::Word{1} << width_ % kBlock) - 1;
  }

  void finish_row(int y) {
    if (const auto* view = std::get_if<ViewSink>(&piece_.sink))
      return show_row(rows_, piece_, *view, blurred_row(rows_.channels[0], y), y);
    if (const auto* counts = std::get_if<CountSink>(&piece_.sink)) return count(*counts, y);
    if (const auto* offsets = std::get_if<OffsetSink>(&piece_.sink))
      return find_offsets(neighbors(rows_, piece_, y), piece_.plan, *offsets, y);
    if (piece_.region != nullptr) drop_outside(y);
    const auto run = piece_.plan.is_thin ? suppress<true, Rows> : suppress<false, Rows>;
    run(rows_, piece_, std::get<BitsSink>(piece_.sink), y);
  }

  // Lets suppression keep no pixel outside the region.
  void drop_outside(int y) {
    for (int i = 0; i < rows_.blocks; ++i)
      rows_.bits[place(y)][i].above_low &= piece_.region->word(i, y);
  }

  // Rings still hold the blurred row y and, for a sample, those around it.
  void count(const CountSink& sink, int y) {
    for (int channel = 0; channel < channels_ && sink.image != nullptr; ++channel)
      store_row(rows_.blocks, blurred_row(rows_.channels[channel], y), sink.image->row(channel, y));
    if (is_sampled_) {
      if (y % kRowsPerSample != 0) return;
      find_gradient(y);
    }
    if (piece_.region != nullptr) drop_outside(y);
    count_row(rows_, piece_, sink, y);
  }

  const Rows& rows_;
  const FrontPiece& piece_;
  FrontProgress& progress_;
  const int width_, height_, radius_, channels_, reach_;
  const bool is_sampled_;
  const int blurred_depth_;
  const GradientFunction<Blurred, Magnitude> gradient_row_;
  const int first_gradient_, first_blurred_, last_blurred_;
};

template <class Rows>
void run_on_rows(const Rows& rows, const FrontPiece& piece, FrontProgress& progress) {
  if (const auto* luma = std::get_if<LumaSink>(&piece.sink)) return count_luma(rows, piece, *luma);
  const auto* view = std::get_if<ViewSink>(&piece.sink);
  if (view != nullptr && piece.plan.view == View::kLuma) return show_luma(rows, piece, *view);
  PieceFront<Rows>(rows, piece, progress).run();
}

void run_piece(const FrontRows& rows, const FrontPiece& piece, FrontProgress& progress) {
  if (SobelFront::can_run(piece)) return SobelFront(rows, piece, progress).run();
  run_on_rows(rows, piece, progress);
}

void run_deep_piece(const DeepRows& rows, const FrontPiece& piece, FrontProgress& progress) {
  run_on_rows(rows, piece, progress);
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace canny::cpu {

HWY_EXPORT(run_piece);
HWY_EXPORT(run_deep_piece);

namespace {

using Carver = canny::Carver<64>;  // a cache line

void lay_out(SumRows& sums, std::size_t row, Carver* carver) {
  carver->take(row, &sums.upper);
  carver->take((kMaxRadius + 2) * 2 * row, &sums.pairs);
}

template <class T>
void lay_out(BasicSplitRow<T>& split, std::size_t row, Carver* carver) {
  carver->take(row / 2, &split.even, CommonRows::kMargin);
  carver->take(row / 2, &split.odd, CommonRows::kMargin);
}

void lay_out(SobelRows& rows, std::size_t row, Carver* carver) {
  for (auto& luma : rows.luma) carver->take(row, &luma, CommonRows::kMargin);
  lay_out(rows.last, row, carver);
  for (auto& sums : rows.sums) lay_out(sums, row, carver);
  for (auto& gradients : rows.gradients) {
    lay_out(gradients.magnitudes, row, carver);
    carver->take(2 * row, &gradients.sectors);
    carver->take(row / kBlock, &gradients.above_low);
    carver->take(row / kBlock, &gradients.saturated);
    lay_out(gradients.squares, row, carver);
  }
  lay_out(rows.outside, row, carver);
  lay_out(rows.outside_squares, row, carver);
}

template <class Rows>
std::size_t lay_out(Rows& rows, std::uint8_t* memory) {
  Carver carver(memory);
  constexpr int kMargin = Rows::kMargin;
  constexpr bool kIsDeep = std::is_same_v<Rows, DeepRows>;
  const std::size_t row = static_cast<std::size_t>(rows.blocks) * kBlock;
  carver.take(2 * kBlock * Rows::kPixelBytes, &rows.pixels);
  for (int i = 0; i < Rows::kDepth; ++i) {
    carver.take(row, &rows.magnitude[i], kMargin);
    carver.take(rows.blocks, &rows.bits[i]);
  }
  carver.take(row, &rows.outside, kMargin);
  for (auto& channel : rows.channels) {
    carver.take(row, &channel.samples, kMargin);
    lay_out(channel.sums, row, &carver);
    if (kIsDeep) lay_out(channel.byte_sums, row, &carver);
    for (auto& blurred : channel.blurred) carver.take(row, &blurred, kMargin);
  }
  if constexpr (!kIsDeep) lay_out(rows.sobel, row, &carver);
  carver.take(row, &rows.smooth, kMargin);
  carver.take(row, &rows.difference, kMargin);
  carver.take(row, &rows.next_magnitude, kMargin);
  carver.take(rows.blocks, &rows.next_bits);
  carver.take(row, &rows.bins);
  carver.take(Rows::kCounts * kBins, &rows.counts);
  carver.take(1, &rows.largest);
  carver.take(row, &rows.values);
  return carver.bytes();
}

// Allocates and lays out rows.
template <class Rows>
hwy::AlignedFreeUniquePtr<std::uint8_t[]> make_rows(Rows& rows) {
  const std::size_t bytes = lay_out(rows, nullptr);
  // The operating system provides zeros, and no memory until it is used.
  const auto allocate = [](void*, std::size_t size) { return std::calloc(size, 1); };
  const auto release = [](void*, void* memory) { std::free(memory); };
  auto memory = hwy::AllocateAligned<std::uint8_t>(bytes, allocate, release, nullptr);
  if (memory == nullptr) throw std::bad_alloc();
  lay_out(rows, memory.get());
  return memory;
}

}  // namespace

std::atomic<bool> is_vnni_allowed{true};

bool has_vnni() {
#if HWY_ARCH_X86_64
  return is_vnni_allowed && __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

void Front::set_size(int width) {
  rows_.blocks = (width + kBlock - 1) / kBlock;
  deep_memory_ = nullptr;
  memory_ = make_rows(rows_);
}

void Front::start_frame(const Plan& plan) {
  progress_ = {};
  if (!plan.is_deep || deep_memory_ != nullptr) return;
  deep_rows_.blocks = rows_.blocks;
  deep_memory_ = make_rows(deep_rows_);
}

void SampleImage::set_size(int blocks, int height, int channels, int sample_bytes) {
  stride_ = std::ptrdiff_t{blocks} * kBlock * sample_bytes;
  height_ = height;
  const std::size_t bytes = static_cast<std::size_t>(stride_) * height * channels;
  if (bytes <= bytes_) return;
  bytes_ = 0;
  memory_ = hwy::AllocateAligned<std::uint8_t>(bytes);
  if (memory_ == nullptr) throw std::bad_alloc();
  bytes_ = bytes;
}

const CommonRows& Front::rows_of(const Plan& plan) const {
  if (plan.is_deep) return deep_rows_;
  return rows_;
}

void Front::clear_counts(const Plan& plan) {
  const CommonRows& rows = rows_of(plan);
  std::fill_n(rows.counts, CommonRows::kCounts * kBins, 0);
  *rows.largest = 0;
}

void Front::add_counts(const Plan& plan, Histogram* histogram) const {
  const CommonRows& rows = rows_of(plan);
  for (int i = 0; i < CommonRows::kCounts * kBins; ++i)
    histogram->bins[i % kBins] += rows.counts[i];
  const std::uint64_t magnitude = *rows.largest;
  const auto largest = static_cast<std::uint32_t>(magnitude);
  const std::uint32_t length = plan.is_deep        ? deep_length(magnitude, plan.is_squared())
                               : plan.is_squared() ? length_of_square(largest)
                                                   : largest;
  histogram->largest = std::max(histogram->largest, length);
}

void Front::run(const FrontPiece& piece) {
  // A region may need fewer columns.
  const int blocks = (piece.input.width + kBlock - 1) / kBlock;
  if (piece.plan.is_deep) {
    DeepRows rows = deep_rows_;
    rows.blocks = blocks;
    HWY_DYNAMIC_DISPATCH(run_deep_piece)(rows, piece, progress_);
  } else {
    FrontRows rows = rows_;
    rows.blocks = blocks;
    HWY_DYNAMIC_DISPATCH(run_piece)(rows, piece, progress_);
  }
}

}  // namespace canny::cpu
#endif  // HWY_ONCE

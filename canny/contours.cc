// SPDX-License-Identifier: LGPL-2.1-or-later
// Follows edges from pixel to pixel.
#include "canny/contours.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "canny/edge_bits.h"
#include "canny/frame.h"
#include "canny/guard.h"
#include "canny/pack.h"
#include "canny/try.h"

namespace canny {
namespace {

// The directions of the 8 neighbors, clockwise from the right.
constexpr int kDirections = 8;
constexpr int kX[kDirections] = {1, 1, 0, -1, -1, -1, 0, 1};
constexpr int kY[kDirections] = {0, 1, 1, 1, 0, -1, -1, -1};
constexpr int kRight = 0;
constexpr std::uint8_t kNone = kDirections;

constexpr int opposite(int direction) { return (direction + kDirections / 2) % kDirections; }

// A neighborhood is a number of 9 bits: the 3 pixels of the upper row, from the left, of the middle
// row and of the lower row.
constexpr int kNeighborhoods = 1 << 9;
constexpr unsigned kMiddle = 1 << 4;

// The preference of a step in a direction after one in another direction, 0 for the best: those
// along rows and columns come before diagonal ones, then those that turn less, then right turns.
constexpr int preference(int last, int next) {
  const int right_turn = (next - last + kDirections) % kDirections;
  const int left_turn = kDirections - right_turn;
  const bool is_left = left_turn < right_turn;
  return next % 2 * 100 + 2 * (is_left ? left_turn : right_turn) + is_left;
}

// The direction of the next step for each direction of the last one and each neighborhood.
struct Steps {
  std::uint8_t next[kDirections][kNeighborhoods];
};

constexpr std::uint8_t best_step(int last, int neighborhood) {
  std::uint8_t best = kNone;
  for (int next = 0; next < kDirections; ++next) {
    const int pixel = 3 * (kY[next] + 1) + kX[next] + 1;
    if ((neighborhood >> pixel & 1) == 0) continue;
    if (best == kNone || preference(last, next) < preference(last, best))
      best = static_cast<std::uint8_t>(next);
  }
  return best;
}

constexpr Steps make_steps() {
  Steps steps = {};
  for (int last = 0; last < kDirections; ++last)
    for (int neighborhood = 0; neighborhood < kNeighborhoods; ++neighborhood)
      steps.next[last][neighborhood] = best_step(last, neighborhood);
  return steps;
}

constexpr Steps kSteps = make_steps();

using Word = EdgeBits::Word;
constexpr int kBits = EdgeBits::kBits;

// Takes the pixels of chains out of the edge map, one after the other.
class Tracer {
 public:
  Tracer(EdgeBits* bits, std::vector<Point>* points) : bits_(*bits), points_(*points) {}

  // Appends the chain that begins at an edge pixel, up to kMaxContourPoints points in all.
  void trace(int x, int y) {
    const std::size_t first = points_.size();
    take(x, y);
    const std::uint8_t step = follow(x, y, kRight);
    // What is left at the first pixel continues the chain on its other side.
    if (step == kNone || neighborhood(x, y) == 0) return;
    std::reverse(points_.begin() + static_cast<std::ptrdiff_t>(first), points_.end());
    follow(x, y, opposite(step));
  }

 private:
  // Appends pixels after (x, y) as long as there are neighbors. Returns the direction of the first
  // step.
  std::uint8_t follow(int x, int y, int last) {
    const std::uint8_t first = kSteps.next[last][neighborhood(x, y)];
    for (std::uint8_t next = first; next != kNone && points_.size() < kMaxContourPoints;
         next = kSteps.next[next][neighborhood(x, y)]) {
      x += kX[next];
      y += kY[next];
      take(x, y);
    }
    return first;
  }

  void take(int x, int y) {
    bits_.row(y)[x / kBits] &= ~(Word{1} << x % kBits);
    points_.push_back({static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y)});
  }

  // The bits of columns x - 1 to x + 1.
  static unsigned three(const Word* row, int x) {
    const int from = x + kBits - 1;  // counted from the word before the row
    const Word* words = row + from / kBits - 1;
    const int shift = from % kBits;
    return static_cast<unsigned>(words[0] >> shift | words[1] << 1 << (kBits - 1 - shift)) & 7;
  }

  unsigned neighborhood(int x, int y) {
    const Word* row = bits_.row(y);
    const std::ptrdiff_t stride = bits_.stride();
    return (three(row - stride, x) | three(row, x) << 3 | three(row + stride, x) << 6) & ~kMiddle;
  }

  EdgeBits& bits_;
  std::vector<Point>& points_;
};

}  // namespace

struct Contours::Impl {
  EdgeBits bits;
  std::uint32_t min_points = 1;
  std::vector<Point> points;
  std::vector<std::uint32_t> ends;
  bool is_full = false;
};

void Contours::trace_bits() {
  auto& [bits, min_points, points, ends, is_full] = *impl_;
  Tracer tracer(&bits, &points);
  for (int y = 0; y < bits.height(); ++y) {
    Word* row = bits.row(y);
    for (int i = 0; i < bits.words_per_row(); ++i) {
      while (row[i] != 0) {
        const std::size_t first = points.size();
        tracer.trace(i * kBits + __builtin_ctzll(row[i]), y);
        is_full = points.size() == kMaxContourPoints;
        if (points.size() - first < min_points)
          points.resize(first);
        else
          ends.push_back(static_cast<std::uint32_t>(points.size()));
        if (is_full) return;
      }
    }
  }
}

Contours::Contours() noexcept = default;
Contours::~Contours() = default;
Contours::Contours(Contours&&) noexcept = default;
Contours& Contours::operator=(Contours&&) noexcept = default;

void Contours::set_min_points(std::uint32_t points) noexcept { min_points_ = points; }

void Contours::clear() noexcept {
  if (impl_ == nullptr) return;
  impl_->points.clear();
  impl_->ends.clear();
  impl_->is_full = false;
}

EdgeBits* Contours::reserve(int width, int height) {
  clear();
  if (impl_ == nullptr || impl_->bits.width() != width || impl_->bits.height() != height) {
    impl_.reset();  // gives back its memory first
    impl_ = std::make_unique<Impl>();
    impl_->bits.set_size(width, height);
  }
  impl_->min_points = min_points_;
  return &impl_->bits;
}

Status Contours::trace(const ConstFrame& edges) noexcept {
  clear();
  Status status = guard([&]() -> Status {
    CANNY_TRY(check_edge_map(edges));
    EdgeBits* bits = reserve(edges.width, edges.height);
    for (int y = 0; y < edges.height; ++y)
      pack_row(edges.data + y * edges.stride_bytes, edges.width, bits->row(y));
    trace_bits();
    return {};
  });
  if (!status.ok()) clear();
  return status;
}

std::size_t Contours::size() const noexcept { return impl_ == nullptr ? 0 : impl_->ends.size(); }

bool Contours::is_full() const noexcept { return impl_ != nullptr && impl_->is_full; }

Chain Contours::operator[](std::size_t i) const noexcept {
  const std::uint32_t first = i == 0 ? 0 : impl_->ends[i - 1];
  return {impl_->points.data() + first, impl_->ends[i] - first};
}

const Point* Contours::points() const noexcept {
  return impl_ == nullptr ? nullptr : impl_->points.data();
}

std::size_t Contours::point_count() const noexcept {
  return impl_ == nullptr ? 0 : impl_->points.size();
}

const std::uint32_t* Contours::ends() const noexcept {
  return impl_ == nullptr ? nullptr : impl_->ends.data();
}

}  // namespace canny

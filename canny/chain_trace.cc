// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns edges into chains, with several threads.
#include "canny/chain_trace.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace canny {
namespace {

using chains::Band;
using chains::JoinedChain;
using chains::Kept;
using chains::Number;
using chains::Part;
using Word = EdgeBits::Word;

// More bands share the work more evenly, and their maps fit in caches, but chains have more pieces.
constexpr int kMostBands = 12, kBandsPerThread = 2;
constexpr int kLeastBandRows = 32;
constexpr int kBandPixels = 1 << 20;  // Place has indices for more than these of all lanes

// Where a band begins. The heights of bands decrease from 1.4 to 0.6 times their mean, so that
// threads end at about the same time.
int first_row(int height, int band, int bands) {
  const std::int64_t all = bands;
  return static_cast<int>(height * band * (7 * all - 2 * band) / (5 * all * all));
}

}  // namespace

// Appends chains to those before.
class Tracer::Writer {
 public:
  Writer(std::size_t least, const Kept& before, Chains* result)
      : least_(least),
        next_(result->points.data() + before.points),
        end_(static_cast<std::uint32_t>(before.points)),
        next_end_(result->ends.data() + before.chains) {}

  // Consecutive chains are copied at once.
  void add(const Number* points, std::size_t size) {
    if (size < least_) return;
    if (points != pending_ + pending_size_) {
      flush();
      pending_ = points;
    }
    pending_size_ += size;
    add_end(size);
  }

  void add(const JoinedChain& chain, const std::vector<Part>& parts) {
    if (chain.size < least_) return;
    flush();
    for (std::size_t i = chain.first_part; i < chain.last_part; ++i) add(parts[i]);
    add_end(chain.size);
  }

  void flush() {
    copy(pending_, pending_size_);
    pending_size_ = 0;
  }

 private:
  void add_end(std::size_t size) {
    end_ += static_cast<std::uint32_t>(size);
    *next_end_++ = end_;
  }

  // In memory, a number is a Point.
  void copy(const Number* points, std::size_t size) {
    static_assert(sizeof(Point) == sizeof(Number));
    if (size > 0) std::memcpy(static_cast<void*>(next_), points, size * sizeof(Point));
    next_ += size;
  }

  void add(const Part& part) {
    if (!part.is_reversed) return copy(part.points, part.size);
    for (std::size_t i = part.size; i > 0; --i) copy(part.points + i - 1, 1);
  }

  const std::size_t least_;
  Point* next_;
  std::uint32_t end_;
  std::uint32_t* next_end_;
  const Number* pending_ = nullptr;
  std::size_t pending_size_ = 0;
};

void Tracer::set_size(const EdgeBits& bits, int threads) {
  const int width = bits.width(), height = bits.height();
  const int most =
      std::max({kMostBands, kBandsPerThread * threads, width * height / kBandPixels + 1});
  const int bands = std::clamp(height / kLeastBandRows, 1, most);
  memory_.resize(std::min(threads, bands));
  bands_.lanes = std::max(bands / threads, 1);
  if (width_ == width && height_ == height &&
      bands_.bands.size() == static_cast<std::size_t>(bands))
    return;
  width_ = height_ = 0;  // until there is memory for the new size
  bands_.pieces_at.assign(2 * (bands - 1) * chains::Bands::most_links(width), 0);
  bands_.bands.resize(bands);
  bands_.most_rows = 0;
  for (int i = 0; i < bands; ++i) {
    Band& band = bands_.bands[i];
    band.first_row = first_row(height, i, bands);
    band.last_row = first_row(height, i + 1, bands);
    bands_.most_rows = std::max(bands_.most_rows, band.last_row - band.first_row);
  }
  width_ = width;
  height_ = height;
}

// Clears the edges of a band after the first ones. Returns whether there are any.
bool Tracer::cut(Band* band, std::size_t most) {
  if (band->edges <= most) return false;
  std::size_t left = most;
  EdgeBits& bits = *bands_.bits;
  Word* const end = bits.row(band->last_row);
  for (Word* word = bits.row(band->first_row); word != end; ++word) {
    while (chains::count_ones(word, 1) > left)
      *word &= ~(Word{1} << (EdgeBits::kBits - 1 - __builtin_clzll(*word)));
    left -= chains::count_ones(word, 1);
  }
  band->edges = most;
  return true;
}

// Counts the edges of each band, and gives it memory for as many points. Returns whether edges were
// cut.
bool Tracer::place_points(Arena* arena) {
  EdgeBits& bits = *bands_.bits;
  std::vector<Band>& bands = bands_.bands;
  arena->parallel_for(static_cast<int>(bands.size()), [&](int i) {
    const Word* first = bits.row(bands[i].first_row);
    bands[i].edges =
        chains::count_ones(first, static_cast<std::size_t>(bits.row(bands[i].last_row) - first));
  });
  std::size_t total = 0;
  bool is_full = false;
  for (Band& band : bands) {
    is_full |= cut(&band, kMaxContourPoints - total);
    total += band.edges;
  }
  make_room(total + bands.size(), &points_);  // see Band::points
  Number* next = points_.data();
  for (Band& band : bands) {
    band.points = next;
    next += band.edges + 1;
  }
  return is_full;
}

// Writes the chains that begin in a band, in the order of their first points.
void Tracer::write(const Band& band, Writer writer) const {
  std::size_t path = 0, open = 0, loop = 0;
  std::uint32_t path_begin = 0;
  const auto write_paths = [&](Number before) {
    for (; path < band.path_ends.size(); ++path) {
      const Number* first = band.points + path_begin;
      if (*first >= before) return;
      const std::uint32_t end = band.path_ends[path];
      if (open < band.open.size() && band.open[open].path == path)
        ++open;
      else
        writer.add(first, end - path_begin);
      path_begin = end;
    }
  };
  std::uint32_t loop_begin = band.path_ends.empty() ? 0 : band.path_ends.back();
  const auto& all = joiner_.chains();
  const auto from_row = [&](int row) {
    return std::lower_bound(all.begin(), all.end(), row, [](const JoinedChain& chain, int y) {
      return chain.first >> chains::kRowShift < Number(y);
    });
  };
  auto joined = from_row(band.first_row);
  const auto joined_end = from_row(band.last_row);
  while (loop < band.loop_ends.size() || joined != joined_end) {
    const Number* first = band.points + loop_begin;
    if (joined == joined_end || (loop < band.loop_ends.size() && *first < joined->first)) {
      write_paths(*first);
      writer.add(first, band.loop_ends[loop] - loop_begin);
      loop_begin = band.loop_ends[loop++];
    } else {
      write_paths(joined->first);
      writer.add(*joined++, joiner_.parts());
    }
  }
  write_paths(std::numeric_limits<Number>::max());
  writer.flush();
}

void Tracer::trace(EdgeBits* bits, std::uint32_t min_points, Arena* arena, Chains* result) {
  result->clear();
  set_size(*bits, arena->threads());
  bands_.bits = bits;
  bands_.least = min_points;
  const bool is_full = place_points(arena);
  bands_.next = 0;
  arena->parallel_for(static_cast<int>(memory_.size()),
                      [&](int i) { chains::walk(&bands_, &memory_[i]); });
  joiner_.join(&bands_);
  chains::Kept all;
  for (Band& band : bands_.bands) {
    band.before = all;
    all.chains += band.kept.chains;
    all.points += band.kept.points;
  }
  result->set_counts(all.points, all.chains);
  arena->parallel_for(static_cast<int>(bands_.bands.size()), [&](int i) {
    const Band& band = bands_.bands[i];
    write(band, {min_points, band.before, result});
  });
  result->is_full = is_full;
}

}  // namespace canny

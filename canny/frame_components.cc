// SPDX-License-Identifier: LGPL-2.1-or-later
// Labels runs and adds up their pixels.
#include "canny/frame_components.h"

#include <hwy/base.h>

#include <algorithm>

namespace canny {
namespace {

using Word = EdgeBits::Word;
constexpr int kBits = EdgeBits::kBits;
constexpr int kLeastRows = 32;  // of a band

// Calls f(begin, end) for each run of ones in a row of so many words, with a word of zeros behind.
template <class F>
void for_each_run(const Word* row, int words, F f) {
  int begin = 0;
  bool is_inside = false;
  for (int i = 0; i <= words; ++i) {
    Word changes = row[i] ^ (row[i] << 1 | (is_inside ? 1 : 0));
    for (; changes != 0; changes &= changes - 1) {
      const int x = i * kBits + static_cast<int>(hwy::Num0BitsBelowLS1Bit_Nonzero64(changes));
      if (is_inside) f(begin, x);
      begin = x;
      is_inside = !is_inside;
    }
  }
}

// The number of ones in these columns of a row.
std::uint32_t count_ones(const Word* row, int begin, int end) {
  std::size_t ones = 0;
  for (int i = begin / kBits; i * kBits < end; ++i) {
    Word word = row[i];
    if (i * kBits < begin) word = word >> begin % kBits << begin % kBits;
    if ((i + 1) * kBits > end) word &= (Word{1} << end % kBits) - 1;
    ones += hwy::PopCount(word);
  }
  return static_cast<std::uint32_t>(ones);
}

template <class Part>
std::uint32_t root(std::vector<Part>* parts, std::uint32_t label) {
  Part* all = parts->data();
  while (all[label].parent != label) label = all[label].parent = all[all[label].parent].parent;
  return label;
}

template <class Part>
void join(std::vector<Part>* parts, std::uint32_t a, std::uint32_t b) {
  a = root(parts, a);
  b = root(parts, b);
  (*parts)[std::max(a, b)].parent = std::min(a, b);
}

// Calls touch(label) for each of the runs above that a run touches. *first, where the search begins
// for the first run of a row, moves on with each.
template <class Run, class Touch>
void for_each_touched(const std::vector<Run>& above, const Run& run, std::size_t* first,
                      Touch touch) {
  while (*first < above.size() && above[*first].end < run.begin) ++*first;
  for (std::size_t i = *first; i < above.size() && above[i].begin <= run.end; ++i)
    touch(above[i].label);
}

template <class Part>
void add_to_roots(std::vector<Part>* parts) {
  for (std::size_t label = parts->size(); label > 0;) {
    const Part& part = (*parts)[--label];
    if (part.parent != label) (*parts)[part.parent].add(part);
  }
}

}  // namespace

void ComponentFinder::Part::add(const Part& other) {
  pixels += other.pixels;
  strong_pixels += other.strong_pixels;
  left = std::min(left, other.left);
  right = std::max(right, other.right);
  top = std::min(top, other.top);
  bottom = std::max(bottom, other.bottom);
  sum_x += other.sum_x;
  sum_y += other.sum_y;
}

void ComponentFinder::Band::label_row(FrameComponents* frame, int y) {
  std::swap(above_, here_);
  here_.clear();
  std::size_t next = 0;
  const Word* strong = frame->strong.row(y);
  for_each_run(frame->edges.row(y), frame->edges.words_per_row(), [&](int begin, int end) {
    const auto new_label = static_cast<std::uint32_t>(parts.size());
    Run run = {begin, end, new_label};
    for_each_touched(above_, run, &next, [&](std::uint32_t label) {
      if (run.label == new_label)
        run.label = root(&parts, label);
      else
        join(&parts, run.label, label);
    });
    here_.push_back(run);
    const auto pixels = static_cast<std::uint32_t>(end - begin);
    const std::uint64_t sum_x = std::uint64_t{pixels} * (begin + end - 1) / 2;
    const Part part = {run.label,
                       pixels,
                       count_ones(strong, begin, end),
                       static_cast<std::uint16_t>(begin),
                       static_cast<std::uint16_t>(end - 1),
                       static_cast<std::uint16_t>(y),
                       static_cast<std::uint16_t>(y),
                       sum_x,
                       std::uint64_t{pixels} * y};
    if (run.label == new_label)
      parts.push_back(part);
    else
      parts[run.label].add(part);
  });
}

// Leaves only roots among the parts, and gives the runs at the borders their labels.
void ComponentFinder::Band::keep_roots() {
  add_to_roots(&parts);
  numbers_.resize(parts.size());
  std::uint32_t count = 0;
  for (std::size_t label = 0; label < parts.size(); ++label) {
    const std::uint32_t parent = parts[label].parent;
    numbers_[label] = parent == label ? count : numbers_[parent];
    if (parent != label) continue;
    parts[count] = parts[label];
    parts[count].parent = count;
    ++count;
  }
  parts.resize(count);
  for (std::vector<Run>* runs : {&first, &last})
    for (Run& run : *runs) run.label = numbers_[run.label];
}

void ComponentFinder::Band::label(FrameComponents* frame) {
  parts.clear();
  here_.clear();
  for (int y = first_row; y < last_row; ++y) {
    label_row(frame, y);
    if (y == first_row) first = here_;
  }
  last = here_;
  keep_roots();
}

// Puts the parts of all bands into one forest, and joins those that touch.
void ComponentFinder::join_bands() {
  parts_.clear();
  const Band* above = nullptr;
  for (Band& band : bands_) {
    const auto offset = static_cast<std::uint32_t>(parts_.size());
    for (Part part : band.parts) {
      part.parent += offset;
      parts_.push_back(part);
    }
    for (std::vector<Run>* runs : {&band.first, &band.last})
      for (Run& run : *runs) run.label += offset;
    std::size_t first = 0;
    for (const Run& run : band.first)
      if (above != nullptr)
        for_each_touched(above->last, run, &first,
                         [&](std::uint32_t label) { join(&parts_, run.label, label); });
    above = &band;
  }
  add_to_roots(&parts_);
}

void ComponentFinder::find(FrameComponents* frame, Arena* arena) {
  if (frame->is_found) return;
  const int height = frame->edges.height();
  const int bands = std::clamp(height / kLeastRows, 1, arena->threads());
  bands_.resize(bands);
  arena->parallel_for(bands, [&](int i) {
    bands_[i].first_row = static_cast<int>(std::int64_t{height} * i / bands);
    bands_[i].last_row = static_cast<int>(std::int64_t{height} * (i + 1) / bands);
    bands_[i].label(frame);
  });
  join_bands();
  frame->count = 0;
  for (std::size_t label = 0; label < parts_.size(); ++label) {
    const Part& part = parts_[label];
    if (part.parent != label || part.pixels < frame->min_pixels) continue;
    frame->is_full = frame->count == kMaxComponents;
    if (frame->is_full) return;
    if (frame->all.size() == frame->count) frame->all.emplace_back();
    frame->all[frame->count++] = {part.left,
                                  part.top,
                                  static_cast<std::uint16_t>(part.right - part.left + 1),
                                  static_cast<std::uint16_t>(part.bottom - part.top + 1),
                                  part.pixels,
                                  part.strong_pixels,
                                  part.sum_x,
                                  part.sum_y};
  }
}

}  // namespace canny

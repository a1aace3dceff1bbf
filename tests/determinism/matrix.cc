// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws cases until each pair of values of any two settings that go together is covered.
#include "matrix.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "case_region.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace matrix {
namespace {

using cases::Case;
using cases::Fill;
using reference::Random;

constexpr std::uint64_t kSeed = 20081;
constexpr std::size_t kLeastCases = 3000;

struct Thresholds {
  double low, high;
};
struct Ratios {
  double high, low;
};
struct Picture {
  Fill fill;
  int width, height;
};
// Of a frame: the offset of its first byte, the gap between rows, and whether it is bottom-up.
struct Place {
  int offset, gap;
  bool is_bottom_up;
};

constexpr Thresholds kThresholds[] = {{50, 150}, {20, 60}, {150, 50}, {0, 0.5}, {700, 2100}};
constexpr Ratios kRatios[] = {{0, 0}, {0.35, 0.6}, {1.1, 0.25}};
constexpr unsigned kPasses[] = {0, 1, 2, 5, 64};
constexpr unsigned kMinLengths[] = {0, 2, 9, 60};
constexpr double kSigmas[] = {0, 0.5, 1, 1.4, 2.3, 8.5, 20};
constexpr Picture kPictures[] = {
    {Fill::kNoise, 67, 41},   {Fill::kBlocks, 161, 97}, {Fill::kBlackWhite, 33, 65},
    {Fill::kRamp, 97, 33},    {Fill::kSpiral, 129, 70}, {Fill::kSinglePixels, 64, 64},
    {Fill::kNearMax, 225, 9}, {Fill::kNoise, 1, 1},     {Fill::kBlocks, 3, 200},
};
constexpr Place kPlaces[] = {{0, 0, false}, {1, 3, false}, {4, 64, false}, {0, 5, true}};
// None, and of one plane or two.
constexpr harness::Chroma kChroma[] = {{0, 0, 0}, {1, 1, 1}, {2, 1, 1}, {1, 0, 0}, {2, 1, 0}};

// The settings, in the order of kCounts.
enum Setting {
  kOperator,
  kNorm,
  kColor,
  kMode,
  kRatio,
  kThreshold,
  kView,
  kPass,
  kMinLength,
  kSigma,
  kDepth,
  kThin,
  kInput,
  kOutput,
  kPicture,
  kInputPlace,
  kOutputPlace,
  kChromaOf,
  kRegion,
  kSettings
};
constexpr int kCounts[kSettings] = {static_cast<int>(std::size(reference::kOperators)),
                                    2,
                                    2,
                                    5,
                                    static_cast<int>(std::size(kRatios)),
                                    static_cast<int>(std::size(kThresholds)),
                                    static_cast<int>(canny::View::kBlurred) + 1,
                                    static_cast<int>(std::size(kPasses)),
                                    static_cast<int>(std::size(kMinLengths)),
                                    static_cast<int>(std::size(kSigmas)),
                                    2,
                                    2,
                                    static_cast<int>(cases::kLastInput) + 1,
                                    cases::kOutputs,
                                    static_cast<int>(std::size(kPictures)),
                                    static_cast<int>(std::size(kPlaces)),
                                    static_cast<int>(std::size(kPlaces)),
                                    static_cast<int>(std::size(kChroma)),
                                    2};

// The place of each setting's value in its list.
using Choice = std::array<int, kSettings>;

// Two settings and their values.
using Pair = std::array<int, 4>;

bool shows_input(const Choice& choice) {
  return shows_input(static_cast<canny::View>(choice[kView]));
}

// Overlays and masks are of the input's format, not deep.
bool can_show(int format) { return !reference::is_deep(static_cast<canny::PixelFormat>(format)); }

// Whether a detector takes these settings.
bool is_valid(const Choice& choice) {
  return !shows_input(choice) || (choice[kInput] == choice[kOutput] && can_show(choice[kInput]));
}

Choice any_choice(Random& random) {
  Choice choice;
  for (int i = 0; i < kSettings; ++i) choice[i] = random.between(0, kCounts[i] - 1);
  return choice;
}

// Makes a choice valid without touching these two settings. False if it can't be.
bool make_valid(int first, int second, Choice* choice) {
  const auto is_free = [&](int setting) { return setting != first && setting != second; };
  if (is_valid(*choice)) return true;
  if (is_free(kOutput) && can_show((*choice)[kInput]))
    (*choice)[kOutput] = (*choice)[kInput];
  else if (is_free(kInput) && can_show((*choice)[kOutput]))
    (*choice)[kInput] = (*choice)[kOutput];
  else if (is_free(kInput) && is_free(kOutput))
    (*choice)[kInput] = (*choice)[kOutput] = static_cast<int>(canny::PixelFormat::kGray8);
  else if (is_free(kView))
    (*choice)[kView] = static_cast<int>(canny::View::kEdges);
  return is_valid(*choice);
}

void cover(const Choice& choice, std::set<Pair>* covered) {
  for (int i = 0; i < kSettings; ++i)
    for (int j = i + 1; j < kSettings; ++j) covered->insert({i, choice[i], j, choice[j]});
}

// Calls f for each pair of values of two settings.
template <class F>
void for_each_pair(F f) {
  for (int i = 0; i < kSettings; ++i)
    for (int j = i + 1; j < kSettings; ++j)
      for (int a = 0; a < kCounts[i]; ++a)
        for (int b = 0; b < kCounts[j]; ++b) f(Pair{i, a, j, b});
}

bool choose_with(const Pair& pair, Random& random, Choice* choice) {
  *choice = any_choice(random);
  (*choice)[pair[0]] = pair[1];
  (*choice)[pair[2]] = pair[3];
  // Chroma has an effect on gray pixels alone.
  if ((pair[0] == kChromaOf || pair[2] == kChromaOf) && pair[0] != kOutput && pair[2] != kOutput) {
    const auto gray = static_cast<int>(canny::PixelFormat::kGray8);
    if (pair[0] != kInput && pair[2] != kInput) (*choice)[kInput] = gray;
    (*choice)[kOutput] = gray;
  }
  return make_valid(pair[0], pair[2], choice);
}

std::vector<Choice> choices() {
  Random random(kSeed);
  std::vector<Choice> all;
  std::set<Pair> covered;
  for_each_pair([&](const Pair& pair) {
    Choice choice;
    if (covered.count(pair) > 0 || !choose_with(pair, random, &choice)) return;
    cover(choice, &covered);
    all.push_back(choice);
  });
  while (all.size() < kLeastCases) {
    Choice choice = any_choice(random);
    if (make_valid(kSettings, kSettings, &choice)) all.push_back(choice);
  }
  return all;
}

Case case_of(const Choice& at, std::uint64_t seed) {
  Case c;
  c.seed = seed;
  const Picture& picture = kPictures[at[kPicture]];
  c.fill = picture.fill;
  c.width = picture.width;
  c.height = picture.height;
  c.input = static_cast<canny::PixelFormat>(at[kInput]);
  c.output = cases::output_format(at[kOutput]);
  const Place &in = kPlaces[at[kInputPlace]], &out = kPlaces[at[kOutputPlace]];
  c.input_offset = in.offset;
  c.input_gap = in.gap;
  c.input_bottom_up = in.is_bottom_up;
  c.output_offset = out.offset;
  c.output_gap = out.gap;
  c.output_bottom_up = out.is_bottom_up;
  const auto gray = canny::PixelFormat::kGray8;
  if (c.output == gray && (c.input == gray || !shows_input(at))) c.chroma = kChroma[at[kChromaOf]];
  Random random(seed);
  if (at[kRegion] != 0) c.region = cases::any_region(c.width, c.height, random);
  canny::Params& params = c.params;
  params.low_threshold = kThresholds[at[kThreshold]].low;
  params.high_threshold = kThresholds[at[kThreshold]].high;
  params.sigma = kSigmas[at[kSigma]];
  params.hysteresis_passes = kPasses[at[kPass]];
  params.norm = static_cast<canny::Norm>(at[kNorm]);
  params.gradient_operator = static_cast<canny::Operator>(at[kOperator]);
  params.thin_edges = at[kThin] == 0;
  params.color_mode = static_cast<canny::ColorMode>(at[kColor]);
  params.luma_depth = static_cast<canny::LumaDepth>(at[kDepth]);
  params.threshold_mode = static_cast<canny::ThresholdMode>(at[kMode]);
  params.high_ratio = kRatios[at[kRatio]].high;
  params.low_ratio = kRatios[at[kRatio]].low;
  params.min_length = kMinLengths[at[kMinLength]];
  params.view = static_cast<canny::View>(at[kView]);
  params.edge_color = static_cast<std::uint32_t>(random.next());
  return c;
}

// Each value of each setting, with usual values of all others: most pairs above come with something
// unusual, which devices compute in other kernels than usual frames.
void add_usual(std::vector<Case>* cases) {
  Choice usual = {};
  usual[kSigma] = 3;
  usual[kInput] = static_cast<int>(canny::PixelFormat::kRgb);
  usual[kPicture] = 1;
  for (int setting = 0; setting < kSettings; ++setting) {
    for (int value = 0; value < kCounts[setting]; ++value) {
      Choice choice = usual;
      choice[setting] = value;
      if (make_valid(setting, setting, &choice)) cases->push_back(case_of(choice, cases->size()));
    }
  }
}

}  // namespace

std::vector<Group> groups() {
  std::map<int, Group> found;
  std::uint64_t seed = 0;
  for (const Choice& choice : choices()) {
    const int views = kCounts[kView];
    Group& group = found[choice[kOperator] * views + choice[kView]];
    group.cases.push_back(case_of(choice, seed++));
    const canny::Params& params = group.cases.back().params;
    group.name = std::string(name(params.gradient_operator)) + " " + name(params.view);
  }
  std::vector<Group> result;
  for (auto& [number, group] : found) result.push_back(std::move(group));
  return result;
}

// Takes the choice that covers most missing pairs, until none is missing. What a choice covers only
// shrinks, so the counts of earlier rounds are upper bounds, and few have to be made again.
std::vector<Case> pairwise() {
  const std::vector<Choice> all = choices();
  std::set<Pair> missing;
  for (const Choice& choice : all) cover(choice, &missing);
  std::priority_queue<std::pair<std::size_t, std::size_t>> bounds;  // a count, and a place in `all`
  for (std::size_t i = 0; i < all.size(); ++i) bounds.emplace(missing.size(), i);
  std::vector<Case> result;
  while (!missing.empty()) {
    const std::size_t i = bounds.top().second;
    bounds.pop();
    std::set<Pair> pairs;
    cover(all[i], &pairs);
    const auto is_missing = [&](const Pair& pair) { return missing.count(pair) > 0; };
    const std::size_t count = std::count_if(pairs.begin(), pairs.end(), is_missing);
    if (!bounds.empty() && count < bounds.top().first) {
      bounds.emplace(count, i);
      continue;
    }
    for (const Pair& pair : pairs) missing.erase(pair);
    result.push_back(case_of(all[i], i));
  }
  add_usual(&result);
  return result;
}

Coverage coverage() {
  std::set<Pair> covered;
  for (const Choice& choice : choices()) cover(choice, &covered);
  Coverage result;
  Random random(kSeed);
  for_each_pair([&](const Pair& pair) {
    Choice choice;
    if (!choose_with(pair, random, &choice)) return;
    ++result.pairs;
    if (covered.count(pair) == 0) ++result.missing;
  });
  return result;
}

}  // namespace matrix

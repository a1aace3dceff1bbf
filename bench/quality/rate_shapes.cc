// SPDX-License-Identifier: LGPL-2.1-or-later
// Rates the edges of drawn shapes.
#include <array>
#include <string>

#include "metrics.h"
#include "rate.h"
#include "settings.h"
#include "shapes.h"

namespace quality {
namespace {

/// Signal-to-noise ratios, 0 for no noise.
constexpr int kNoises[] = {0, 100, 25, 10};

constexpr std::size_t kMetrics = 4;
using Ratings = std::array<double, kMetrics>;

struct Drawn {
  cv::Mat picture, truth;
};

/// All shapes with the same level of noise.
std::vector<Drawn> drawn_with(int signal_to_noise) {
  std::vector<Drawn> all;
  for (const Shape& shape : shapes()) {
    // Every picture has noise of its own.
    const std::uint64_t seed = 100 * all.size() + std::uint64_t(signal_to_noise);
    all.push_back({noisy(shape.picture, noise_deviation(signal_to_noise), seed), shape.truth});
  }
  return all;
}

/// The means over all shapes.
Ratings rate(const std::vector<Drawn>& all, const canny::Params& params, Edges* edges) {
  Ratings sums = {};
  for (const Drawn& drawn : all) {
    const cv::Mat found = edges->find(params, drawn.picture);
    const NearEdges near = near_edges(found, drawn.truth);
    const Ratings ratings = {figure_of_merit(found, drawn.truth), near.precision, near.recall,
                             near.f_measure};
    for (std::size_t i = 0; i < kMetrics; ++i) sums[i] += ratings[i] / double(all.size());
  }
  return sums;
}

std::vector<Table> empty_tables() {
  std::vector<Table> tables = {
      {"figure_of_merit", "Drawn shapes: Pratt's figure of merit", "settings", {}, {}},
      {"precision", "Drawn shapes: precision", "settings", {}, {}},
      {"recall", "Drawn shapes: recall", "settings", {}, {}},
      {"f_measure", "Drawn shapes: F-measure", "settings", {}, {}}};
  for (Table& table : tables) {
    for (const int noise : kNoises) {
      const std::string number = std::to_string(noise);
      table.columns.push_back(noise == 0 ? Column{"no_noise", "no noise", 3}
                                         : Column{"snr_" + number, "SNR " + number, 3});
    }
  }
  return tables;
}

}  // namespace

std::vector<Table> rate_shapes(Edges* edges) {
  std::vector<Table> tables = empty_tables();
  const std::vector<Setting> settings = rated_settings();
  for (Table& table : tables)
    for (const Setting& setting : settings) table.rows.push_back({setting.name, {}});
  for (const int noise : kNoises) {
    const std::vector<Drawn> drawn = drawn_with(noise);
    for (std::size_t row = 0; row < settings.size(); ++row) {
      const Ratings ratings = rate(drawn, settings[row].params, edges);
      for (std::size_t i = 0; i < kMetrics; ++i) tables[i].rows[row].values.push_back(ratings[i]);
    }
  }
  return tables;
}

}  // namespace quality

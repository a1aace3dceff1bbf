// SPDX-License-Identifier: LGPL-2.1-or-later
// Rates the edges of pictures.
#include "metrics.h"
#include "rate.h"
#include "settings.h"

namespace quality {
namespace {

constexpr unsigned kPasses[] = {1, 2, 4, 8};

/// The two defaults that Lam (2021) states.
canny::Params params_of_lam() {
  canny::Params params;
  params.sigma = 2;
  params.hysteresis_passes = 5;
  return params;
}

/// A table whose columns are filled by `values` for each picture, and a row of means.
template <class Values>
Table table_of(Table table, const std::vector<Picture>& pictures, Values values) {
  for (const Picture& picture : pictures) table.rows.push_back({picture.name, values(picture)});
  add_mean("mean", &table);
  return table;
}

Table rate_equality(const std::vector<Picture>& pictures, Edges* edges, bool* are_equal) {
  const std::vector<Setting> settings = opencv_settings();
  Table table{"equal_pixels", "Equal pixels, %", "picture", {}, {}};
  for (const Setting& setting : settings)
    table.columns.push_back({"opencv_" + key_of(setting.name), setting.name, 2, true});
  table.columns.push_back({"accuracy", "accuracy", 2, true});
  *are_equal = true;
  return table_of(table, pictures, [&](const Picture& picture) {
    std::vector<double> values;
    const auto add = [&](const canny::Params& params, const cv::Mat& other) {
      values.push_back(100 * equal_share(edges->find(params, picture.image), other));
      *are_equal = *are_equal && values.back() == 100;
    };
    for (const Setting& setting : settings)
      add(setting.params, opencv_edges(setting.params, picture.image));
    add(params_of_lam(), reference_edges(params_of_lam(), picture.image));
    return values;
  });
}

Table rate_sharpness(const std::vector<Picture>& pictures, Edges* edges) {
  const Table table{"sharpness",
                    "Average gradient and standard deviation",
                    "picture",
                    {{"edge_percent", "edge pixels, %", 2},
                     {"average_gradient_of_picture", "average gradient: picture", 2},
                     {"average_gradient_of_edges", "edges", 2},
                     {"standard_deviation_of_picture", "standard deviation: picture", 2},
                     {"standard_deviation_of_edges", "edges", 2}},
                    {}};
  return table_of(table, pictures, [&](const Picture& picture) -> std::vector<double> {
    const cv::Mat gray = luma(picture.image), map = edges->find({}, picture.image);
    return {100.0 * cv::countNonZero(map) / double(map.total()), average_gradient(gray),
            average_gradient(map), standard_deviation(gray), standard_deviation(map)};
  });
}

Table rate_passes(const std::vector<Picture>& pictures, Edges* edges) {
  Table table{"passes", "Edges that bounded hysteresis finds, %", "picture", {}, {}};
  for (const unsigned passes : kPasses) {
    const std::string name = "hysteresis-passes=" + std::to_string(passes);
    table.columns.push_back({key_of(name), name, 2, true});
  }
  return table_of(table, pictures, [&](const Picture& picture) {
    const cv::Mat all = edges->find({}, picture.image);
    std::vector<double> values;
    for (const unsigned passes : kPasses) {
      canny::Params params;
      params.hysteresis_passes = passes;
      values.push_back(100 * found_share(edges->find(params, picture.image), all));
    }
    return values;
  });
}

}  // namespace

std::vector<Table> rate_pictures(const std::vector<Picture>& pictures, Edges* edges,
                                 bool* are_equal) {
  return {rate_equality(pictures, edges, are_equal), rate_sharpness(pictures, edges),
          rate_passes(pictures, edges)};
}

Table rate_boundaries(const std::vector<Picture>& pictures, const std::string& folder,
                      Edges* edges) {
  const Table table{"boundaries",
                    "Hand-drawn boundaries",
                    "picture",
                    {{"precision", "precision", 3},
                     {"recall", "recall", 3},
                     {"f_measure", "F-measure", 3},
                     {"figure_of_merit", "figure of merit", 3}},
                    {}};
  return table_of(table, pictures, [&](const Picture& picture) -> std::vector<double> {
    const cv::Mat truth = read_boundaries(folder, picture);
    const cv::Mat found = edges->find({}, picture.image);
    const NearEdges near = near_edges(found, truth);
    return {near.precision, near.recall, near.f_measure, figure_of_merit(found, truth)};
  });
}

}  // namespace quality

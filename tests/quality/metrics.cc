// SPDX-License-Identifier: LGPL-2.1-or-later
/// Checks each metric, the drawn shapes and the tables with cases worked out by hand.
///
/// Maps are drawn: `#` is an edge, `.` is none, and `/` ends a row.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "metrics.h"
#include "settings.h"
#include "shapes.h"
#include "table.h"

namespace {

using namespace quality;

int passed = 0;
int failed = 0;

void check(const std::string& title, bool holds) {
  if (!holds) std::printf("FAILED %s\n", title.c_str());
  ++(holds ? passed : failed);
}

void check(const std::string& title, double got, double expected) {
  const bool holds = std::abs(got - expected) < 1e-6;
  if (!holds) std::printf("FAILED %s: expected %.9g, got %.9g\n", title.c_str(), expected, got);
  ++(holds ? passed : failed);
}

void check(const std::string& title, const std::string& got, const std::string& expected) {
  if (got != expected)
    std::printf("FAILED %s: expected\n%s\ngot\n%s\n", title.c_str(), expected.c_str(), got.c_str());
  ++(got == expected ? passed : failed);
}

/// An edge map of bytes 0 and 255.
cv::Mat map(const char* rows) {
  const int width = int(std::strcspn(rows, "/"));
  const int height = (int(std::strlen(rows)) + 1) / (width + 1);
  cv::Mat result(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      result.at<std::uint8_t>(y, x) = rows[y * (width + 1) + x] == '#' ? 255 : 0;
  return result;
}

std::string drawing(const cv::Mat& edges) {
  std::string rows;
  for (int y = 0; y < edges.rows; ++y) {
    if (y > 0) rows += '/';
    for (int x = 0; x < edges.cols; ++x) rows += edges.at<std::uint8_t>(y, x) != 0 ? '#' : '.';
  }
  return rows;
}

cv::Mat image(int height, std::initializer_list<std::uint8_t> samples) {
  return cv::Mat(std::vector<std::uint8_t>(samples), true).reshape(1, height);
}

void check_equal_share() {
  check("equal: 3 of 4", equal_share(map("#./.."), map("../..")), 0.75);
  check("equal: no edges", equal_share(map("../.."), map("../..")), 1);
  check("equal: all edges", equal_share(map("##/##"), map("##/##")), 1);
  check("equal: opposite", equal_share(map("##/##"), map("../..")), 0);
  check("equal: 1x1", equal_share(map("#"), map("#")), 1);
  check("equal: 1x1, other", equal_share(map("#"), map(".")), 0);
}

void check_average_gradient() {
  check("gradient: 3 and 4", average_gradient(image(2, {0, 3, 4, 9})), std::sqrt(12.5));
  // Pixels with both neighbors: (0,0) with 2 and 0, (1,0) with -2 and 6.
  check("gradient: two pixels", average_gradient(image(2, {5, 7, 5, 5, 13, 0})),
        (std::sqrt(2.0) + std::sqrt(20.0)) / 2);
  check("gradient: largest", average_gradient(image(2, {0, 255, 255, 0})), 255);
  check("gradient: no edges", average_gradient(map(".../.../...")), 0);
  check("gradient: all edges", average_gradient(map("###/###/###")), 0);
  check("gradient: column of edges", average_gradient(map(".#./.#./.#.")), 255 / std::sqrt(2.0));
  check("gradient: 1x1", average_gradient(map("#")), 0);
  check("gradient: one row", average_gradient(map("#.#")), 0);
  check("gradient: one column", average_gradient(map("#/./#")), 0);
}

void check_standard_deviation() {
  check("deviation: half", standard_deviation(map("#.")), 127.5);
  check("deviation: a quarter", standard_deviation(map("#./..")), 255 * std::sqrt(3.0) / 4);
  check("deviation: 2 and 4", standard_deviation(image(1, {2, 4})), 1);
  check("deviation: no edges", standard_deviation(map("../..")), 0);
  check("deviation: all edges", standard_deviation(map("##/##")), 0);
  check("deviation: 1x1", standard_deviation(map("#")), 0);
}

void check_distance() {
  const cv::Mat distance = distances(map("#..../...../....."));
  check("distance: at an edge", distance.at<float>(0, 0), 0);
  check("distance: beside", distance.at<float>(0, 1), 1);
  check("distance: diagonal", distance.at<float>(1, 1), std::sqrt(2.0));
  check("distance: 4 and 2", distance.at<float>(2, 4), std::sqrt(20.0));
}

void check_figure_of_merit() {
  const cv::Mat column = map(".#../.#../.#..");
  check("merit: equal", figure_of_merit(column, column), 1);
  check("merit: one pixel off", figure_of_merit(map("..#./..#./..#."), column), 0.9);
  check("merit: two pixels off", figure_of_merit(map("...#/...#/...#"), column), 9.0 / 13);
  check("merit: twice as wide", figure_of_merit(map(".##./.##./.##."), column), 0.95);
  check("merit: a third", figure_of_merit(map("..../.#../...."), column), 1.0 / 3);
  check("merit: three pixels off", figure_of_merit(map("#..."), map("...#")), 0.5);
  check("merit: all edges", figure_of_merit(map("###/###/###"), map(".../.#./...")),
        (1 + 4 * 0.9 + 4 * 9.0 / 11) / 9);
  check("merit: no edges", figure_of_merit(map("../.."), map("../..")), 1);
  check("merit: none found", figure_of_merit(map("../.."), map("#./..")), 0);
  check("merit: none true", figure_of_merit(map("#./.."), map("../..")), 0);
  check("merit: 1x1", figure_of_merit(map("#"), map("#")), 1);
  check("merit: 1x1, no edge", figure_of_merit(map("."), map(".")), 1);
}

void check_near(const char* title, const char* found, const char* truth,
                const NearEdges& expected) {
  const NearEdges got = near_edges(map(found), map(truth));
  check(std::string(title) + ", precision", got.precision, expected.precision);
  check(std::string(title) + ", recall", got.recall, expected.recall);
  check(std::string(title) + ", F-measure", got.f_measure, expected.f_measure);
}

void check_near_edges() {
  check_near("near: equal", "#.../....", "#.../....", {1, 1, 1});
  check_near("near: beside", ".#../....", "#.../....", {1, 1, 1});
  check_near("near: diagonal", "..../.#..", "#.../....", {1, 1, 1});
  check_near("near: two pixels off", "..#./....", "#.../....", {0, 0, 0});
  // One of two found edges is near, and one of three true ones.
  check_near("near: half and a third", "#..../...../....#", "#..../...../##...",
             {0.5, 1.0 / 3, 0.4});
  check_near("near: all edges", "####/####", "#.../....", {4.0 / 8, 1, 2.0 / 3});
  check_near("near: no edges", "../..", "../..", {1, 1, 1});
  check_near("near: none found", "../..", "#./..", {1, 0, 0});
  check_near("near: none true", "#./..", "../..", {0, 1, 0});
  check_near("near: 1x1", "#", "#", {1, 1, 1});
}

void check_found_share() {
  check("found: 1 of 3", found_share(map("..#"), map("###")), 1.0 / 3);
  check("found: others do not count", found_share(map("##./###"), map("#.#/...")), 0.5);
  check("found: all edges", found_share(map("##"), map("##")), 1);
  check("found: none", found_share(map(".."), map("##")), 0);
  check("found: no edges", found_share(map(".."), map("..")), 1);
  check("found: 1x1", found_share(map("#"), map("#")), 1);
}

void check_edge_of_coverage() {
  check("edge: half covered", drawing(edge_of(image(1, {0, 0, 2, 4}), 4)), "..#.");
  check("edge: between pixels", drawing(edge_of(image(1, {0, 0, 4, 4}), 4)), "..#.");
  check("edge: nearer to half", drawing(edge_of(image(1, {0, 1, 4, 4}), 4)), ".#..");
  check("edge: downwards", drawing(edge_of(image(3, {4, 1, 0}), 4)), "./#/.");
  check("edge: corner", drawing(edge_of(image(2, {0, 0, 0, 4}), 4)), "../.#");
  check("edge: none", drawing(edge_of(image(2, {4, 4, 4, 4}), 4)), "../..");
  check("edge: 1x1", drawing(edge_of(image(1, {2}), 4)), ".");
}

void check_shapes() {
  const std::vector<Shape> all = shapes();
  const Shape& step = all.at(0);
  check("step: dark", step.picture.at<std::uint8_t>(7, 127), kDark);
  check("step: ramp", step.picture.at<std::uint8_t>(7, 128), (kDark + kBright) / 2);
  check("step: bright", step.picture.at<std::uint8_t>(7, 129), kBright);
  check("step: edges", cv::countNonZero(step.truth), step.truth.rows);
  check("step: column", cv::countNonZero(step.truth.col(128)), step.truth.rows);
  for (const Shape& shape : all)
    check(shape.name + " without noise", equal_share(noisy(shape.picture, 0, 1), shape.picture), 1);
  // A circle that is one pixel wide and 8-connected has 8 r / sqrt(2) pixels.
  const cv::Mat& disc = all.at(2).truth;
  double farthest = 0;
  for (int y = 0; y < disc.rows; ++y) {
    for (int x = 0; x < disc.cols; ++x) {
      if (disc.at<std::uint8_t>(y, x) == 0) continue;
      farthest = std::max(farthest, std::abs(std::hypot(x - 127.5, y - 127.5) - 80));
    }
  }
  check("disc: edges are on the circle", farthest < 0.75);
  check("disc: the circle is thin", std::abs(cv::countNonZero(disc) - 4 * std::sqrt(2.0) * 80) < 5);
}

void check_noise() {
  const cv::Mat flat(256, 256, CV_8UC1, cv::Scalar(128));
  const cv::Mat once = noisy(flat, 16, 1);
  check("noise: mean", std::abs(cv::mean(once)[0] - 128) < 0.3);
  check("noise: deviation", std::abs(standard_deviation(once) - 16) < 0.3);
  check("noise: repeats", equal_share(once, noisy(flat, 16, 1)), 1);
  check("noise: depends on the seed", equal_share(once, noisy(flat, 16, 2)) < 0.1);
  check("noise: none", noise_deviation(0), 0);
  check("noise: ratio of 1", noise_deviation(1), kBright - kDark);
  check("noise: ratio of 100", noise_deviation(100), (kBright - kDark) / 10.0);
}

void check_settings() {
  const auto named = [](const std::string& name) {
    for (const Setting& setting : rated_settings())
      if (setting.name == name) return true;
    return false;
  };
  check("settings: Scharr", named("operator=scharr low-threshold=200 high-threshold=600"));
  check("settings: sobel-7", named("operator=sobel-7 low-threshold=8000 high-threshold=24000"));
  check("settings: roberts", named("operator=roberts low-threshold=12.5 high-threshold=37.5"));
  check("settings: key", key_of("sigma=0 norm=l1"), "sigma_0_norm_l1");
}

void check_table() {
  check("table: down", text_of(99.999, {"", "", 2, true}), "99.99");
  check("table: complete", text_of(100, {"", "", 2, true}), "100.00");
  check("table: down from a product", text_of(100 * 0.57, {"", "", 2, true}), "57.00");
  check("table: to the nearest", text_of(0.6666, {"", "", 3}), "0.667");
  Table table{"key", "Title", "picture", {{"a", "A", 1}, {"b", "long", 0}}, {}};
  table.rows = {{"x", {1, 2}}, {"yy", {2, 4}}};
  add_mean("mean", &table);
  check("table: text", text({table}),
        "Title\n"
        "  picture    A  long\n"
        "  x        1.0     2\n"
        "  yy       2.0     4\n"
        "  mean     1.5     3\n");
  check("table: Markdown", markdown({table}),
        "### Title\n\n"
        "| picture | A | long |\n"
        "|---|---:|---:|\n"
        "| x | 1.0 | 2 |\n"
        "| yy | 2.0 | 4 |\n"
        "| mean | 1.5 | 3 |\n");
}

}  // namespace

int main() {
  check_equal_share();
  check_average_gradient();
  check_standard_deviation();
  check_distance();
  check_figure_of_merit();
  check_near_edges();
  check_found_share();
  check_edge_of_coverage();
  check_shapes();
  check_noise();
  check_settings();
  check_table();
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
#include "images.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace conformance {

using reference::Bytes;
using reference::Random;

int passed = 0;
int failed = 0;

namespace {

/// Prints both images around the first difference.
template <class Sample>
void dump(const cv::Mat& expected, const cv::Mat& got, int x, int y) {
  for (int row = std::max(0, y - 3); row < std::min(expected.rows, y + 4); row++) {
    std::printf("   ");
    for (const cv::Mat* image : {&expected, &got}) {
      for (int column = std::max(0, x - 5); column < std::min(image->cols, x + 6); column++) {
        std::printf(" %3d", image->at<Sample>(row, column));
      }
      std::printf("   ");
    }
    std::putchar('\n');
  }
}

constexpr const char* kContentNames[] = {"noise",  "0 and 255", "few levels", "blocks",
                                         "smooth", "near 255",  "dots",       "sector borders"};

/// Overwrites 3x3 pixels here and there so that their middle has a gradient next to the border of
/// two sectors: ratios of gx and gy that distinguish 13573 / 2^15 from its neighbors.
void plant_tangents(Random& random, int width, int height, int channels,
                    std::vector<std::uint8_t>& samples) {
  static constexpr int kGradients[][2] = {{239, 99},  {338, 140}, {478, 198},
                                          {577, 239}, {676, 280}, {816, 338}};
  for (int y = 1; y + 1 < height; y += 4) {
    for (int x = 1; x + 1 < width; x += 4) {
      const auto& [gx, gy] = kGradients[random.between(0, 5)];
      const int bottom_right = random.between(0, 255);
      const int top_right = random.between(0, 255);
      const int twice_right = gx - bottom_right - top_right;
      const int twice_bottom = gy - bottom_right + top_right;
      if (twice_right % 2 != 0 || twice_right < 0 || twice_right > 510) continue;
      if (twice_bottom % 2 != 0 || twice_bottom < 0 || twice_bottom > 510) continue;
      const int patch[3][3] = {{0, 0, top_right},
                               {0, random.between(0, 255), twice_right / 2},
                               {0, twice_bottom / 2, bottom_right}};
      const bool swap = random.between(0, 1) == 1;
      const int sign_x = random.between(0, 1) * 2 - 1;
      const int sign_y = random.between(0, 1) * 2 - 1;
      for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
          const int column = x + sign_x * (swap ? dy : dx);
          const int row = y + sign_y * (swap ? dx : dy);
          const std::size_t pixel = std::size_t(row) * width + column;
          std::fill_n(samples.begin() + pixel * channels, channels, patch[dy + 1][dx + 1]);
        }
      }
    }
  }
}

}  // namespace

template <class Sample>
void compare(const std::string& title, const cv::Mat& expected,
             const reference::Plane<Sample>& got) {
  const cv::Mat actual = view(got);
  if (expected.type() != actual.type() || expected.size() != actual.size())
    return check(false, title + ": another kind of image is expected");
  for (int y = 0; y < got.height; y++) {
    for (int x = 0; x < got.width; x++) {
      const int wanted = expected.at<Sample>(y, x);
      if (wanted == got.row(y)[x]) continue;
      std::printf("FAILED %s, %dx%d: first difference at (%d, %d), expected %d, got %d\n",
                  title.c_str(), got.width, got.height, x, y, wanted, got.row(y)[x]);
      dump<Sample>(expected, actual, x, y);
      failed++;
      return;
    }
  }
  passed++;
}

template void compare(const std::string&, const cv::Mat&, const Bytes&);
template void compare(const std::string&, const cv::Mat&, const reference::Words&);

void check(bool is_right, const std::string& failure) {
  ++(is_right ? passed : failed);
  if (!is_right) std::printf("FAILED %s\n", failure.c_str());
}

int summary() {
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

bool run(int argc, char** argv, const std::vector<Kind>& kinds, const char* more) {
  // The bytes do not depend on the number of threads, and other tests run at the same time.
  cv::setNumThreads(1);
  const std::uint64_t seed = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : UINT64_MAX;
  if (argc == 3 && argv[1] == std::string("--seed") && seed / kSeedsPerKind < kinds.size()) {
    kinds[seed / kSeedsPerKind].check(seed);
    return false;
  }
  if (argc != 1) {
    std::fprintf(stderr, "usage: %s [%s--seed N]\n", argv[0], more);
    std::exit(2);
  }
  for (std::size_t kind = 0; kind < kinds.size(); kind++) {
    const int passed_before = passed;
    for (std::uint64_t i = 0; i < kinds[kind].cases; i++)
      kinds[kind].check(kind * kSeedsPerKind + i);
    std::printf("%s: %d random comparisons equal\n", kinds[kind].name, passed - passed_before);
  }
  return true;
}

Bytes reference_edges(const reference::Response& response, double low, double high,
                      canny::Norm norm, reference::Operator op) {
  Bytes edges = reference::hysteresis(
      reference::suppress(response.direction, response.magnitude,
                          reference::thresholds(low, high, norm, op, response.unit)));
  for (std::uint8_t& edge : edges.samples) edge = edge ? 255 : 0;
  return edges;
}

Content random_content(Random& random) {
  return Content(random.between(0, int(Content::kCount) - 1));
}

std::vector<std::uint8_t> random_samples(Random& random, Content content, int width, int height,
                                         int channels) {
  std::vector<std::uint8_t> samples(std::size_t(width) * height * channels);
  const int levels = random.between(2, 6);
  const int block = random.between(2, 16);
  const int start = random.between(0, 255);
  const int slope_x = random.between(-40, 40);
  const int slope_y = random.between(-40, 40);
  const int bend = random.between(-20, 20);
  const std::uint64_t blocks_seed = random.next();
  std::size_t i = 0;
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      for (int c = 0; c < channels; c++, i++) {
        int value = 0;
        switch (content) {
          case Content::kNoise:
            value = random.between(0, 255);
            break;
          case Content::kBinary:
            value = random.between(0, 1) * 255;
            break;
          case Content::kFewLevels:
            value = random.between(0, levels - 1) * 255 / (levels - 1);
            break;
          case Content::kBlocks:
            value = Random(blocks_seed + (y / block * 101 + x / block) * 4 + c).between(0, 255);
            break;
          case Content::kSmooth:
            value = (start + slope_x * x / 8 + slope_y * y / 8 + bend * x * y / 256 + 20 * c) & 255;
            break;
          case Content::kNearMax:
            value = random.between(250, 255);
            break;
          case Content::kDots:
            value = random.between(0, 40) == 0 ? 255 : 0;
            break;
          case Content::kTangent:
          case Content::kCount:
            value = random.between(0, 40);
            break;
        }
        samples[i] = std::uint8_t(value);
      }
    }
  }
  if (content == Content::kTangent) plant_tangents(random, width, height, channels, samples);
  return samples;
}

Bytes random_image(Random& random, Content content) {
  Bytes image(random_side(random), random_side(random));
  image.samples = random_samples(random, content, image.width, image.height, 1);
  return image;
}

int random_side(Random& random) {
  return random.between(0, 7) == 0 ? random.between(1, 4) : random.between(1, 100);
}

double random_threshold(Random& random) {
  switch (random.between(0, 6)) {
    case 0:
      return 0;
    case 1:
      return random.between(1, 20);
    case 2:
      return random.between(1500, 2200);
    case 3:
      return fraction(random) * 300;
    case 4:
      return fraction(random) * 1500;
    case 5:
      return fraction(random) * 3000;
    default:
      return random.between(1, 500);
  }
}

double fraction(Random& random) { return random.between(0, 1 << 30) / double(1 << 30); }

std::string title_of(const char* kind, std::uint64_t seed, Content content) {
  return std::string(kind) + ", --seed " + std::to_string(seed) + ", " +
         kContentNames[int(content)];
}

}  // namespace conformance

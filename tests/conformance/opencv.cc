// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the reference with the system's OpenCV, to the bit: luma, Gaussian blur, Canny, and
/// whole pipelines on random images and on real pictures.
///
///     opencv [random | pictures | --seed N]
///
/// Without an argument, everything runs. `--seed N` runs one random case again. The pictures are
/// binary PPM files in the folder CANNY_TEST_PICTURES, by default `pictures` beside the program.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "ppm.h"
#include "random.h"
#include "reference.h"

namespace {

using reference::Bytes;
using reference::Random;

constexpr std::size_t kPicturesAtLeast = 10;

/// A random case's kind and content follow from its seed: the kind is seed / kSeedsPerKind.
constexpr std::uint64_t kSeedsPerKind = 1000000;
constexpr std::uint64_t kLumaCases = 200;
constexpr std::uint64_t kBlurCases = 500;
constexpr std::uint64_t kCannyCases = 1000;
constexpr std::uint64_t kPipelineCases = 300;

int passed = 0;
int failed = 0;

/// Prints both images around the first difference.
void dump(const Bytes& expected, const Bytes& got, int x, int y) {
  for (int row = std::max(0, y - 3); row < std::min(expected.height, y + 4); row++) {
    std::printf("   ");
    for (const Bytes* image : {&expected, &got}) {
      for (int column = std::max(0, x - 5); column < std::min(image->width, x + 6); column++) {
        std::printf(" %3d", image->row(row)[column]);
      }
      std::printf("   ");
    }
    std::putchar('\n');
  }
}

/// Counts a case: passed if the reference's bytes equal OpenCV's.
void compare(const std::string& title, const cv::Mat& opencv, const Bytes& got) {
  if (opencv.type() != CV_8UC1 || opencv.cols != got.width || opencv.rows != got.height) {
    std::printf("FAILED %s: OpenCV's result is another kind of image\n", title.c_str());
    failed++;
    return;
  }
  Bytes expected(got.width, got.height);
  for (int y = 0; y < got.height; y++) {
    std::copy_n(opencv.ptr<std::uint8_t>(y), got.width, expected.row(y));
  }
  for (int y = 0; y < got.height; y++) {
    for (int x = 0; x < got.width; x++) {
      if (expected.row(y)[x] == got.row(y)[x]) continue;
      std::printf("FAILED %s, %dx%d: first difference at (%d, %d), OpenCV %d, reference %d\n",
                  title.c_str(), got.width, got.height, x, y, expected.row(y)[x], got.row(y)[x]);
      dump(expected, got, x, y);
      failed++;
      return;
    }
  }
  passed++;
}

/// OpenCV's view of the image, on the same bytes.
cv::Mat view(const Bytes& image) {
  return cv::Mat(image.height, image.width, CV_8UC1,
                 const_cast<std::uint8_t*>(image.samples.data()));
}

cv::Mat opencv_blur(const cv::Mat& image, double sigma) {
  if (sigma == 0) return image;
  cv::Mat blurred;
  cv::GaussianBlur(image, blurred, cv::Size(0, 0), sigma, sigma, cv::BORDER_REFLECT_101);
  return blurred;
}

cv::Mat opencv_canny(const cv::Mat& image, const canny::Params& params) {
  cv::Mat edges;
  cv::Canny(image, edges, params.low_threshold, params.high_threshold, 3,
            params.norm == canny::Norm::kL2);
  return edges;
}

Bytes reference_canny(const Bytes& image, const canny::Params& params) {
  const reference::Gradient gradient = reference::sobel(image);
  Bytes edges = reference::hysteresis(reference::suppress(
      gradient, reference::magnitude(gradient, params.norm), reference::thresholds(params)));
  for (std::uint8_t& edge : edges.samples) edge = edge ? 255 : 0;
  return edges;
}

std::string describe(const canny::Params& params) {
  char text[160];
  std::snprintf(text, sizeof text, "sigma %.17g, thresholds %.17g and %.17g, %s", params.sigma,
                params.low_threshold, params.high_threshold,
                params.norm == canny::Norm::kL2 ? "L2" : "L1");
  return text;
}

/// A number in 0..1 with 30 random bits.
double fraction(Random& random) { return random.between(0, 1 << 30) / double(1 << 30); }

/// Contents that reveal different errors: ties, plateaus, saturation, slow slopes.
enum class Content {
  kNoise,
  kBinary,
  kFewLevels,
  kBlocks,
  kSmooth,
  kNearMax,
  kDots,
  kTangent,
  kCount
};

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

/// `channels` interleaved samples for each of width x height pixels.
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

/// 1..100 pixels, now and then so few that every pixel is at a border.
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

canny::Params random_params(Random& random) {
  canny::Params params;
  params.sigma = 0;
  params.low_threshold = random_threshold(random);
  params.high_threshold = random_threshold(random);
  if (random.between(0, 7) == 0) params.high_threshold = params.low_threshold;
  if (random.between(0, 31) == 0) params.high_threshold = canny::kMaxThreshold;
  params.norm = random.between(0, 1) == 0 ? canny::Norm::kL1 : canny::Norm::kL2;
  return params;
}

/// A grid over 0..20 in its first half (steps of 0.08), then tiny, small and any values.
double blur_sigma(std::uint64_t index, Random& random) {
  if (index < kBlurCases / 2) return canny::kMaxSigma * double(index) / (kBlurCases / 2 - 1);
  switch (random.between(0, 3)) {
    case 0:
      return fraction(random) * 1e-3;
    case 1:
      return fraction(random) * 0.5;
    case 2:
      return fraction(random) * 3;
    default:
      return fraction(random) * canny::kMaxSigma;
  }
}

Content random_content(Random& random) {
  return Content(random.between(0, int(Content::kCount) - 1));
}

std::string title_of(const char* kind, std::uint64_t seed, Content content) {
  return std::string(kind) + ", --seed " + std::to_string(seed) + ", " +
         kContentNames[int(content)];
}

/// The pixel formats that OpenCV converts, and how. It does not support an X byte before the
/// colors.
struct OpenCvFormat {
  canny::PixelFormat format;
  int channels;
  int conversion;
};
constexpr OpenCvFormat kOpenCvFormats[] = {
    {canny::PixelFormat::kRgb, 3, cv::COLOR_RGB2GRAY},
    {canny::PixelFormat::kBgr, 3, cv::COLOR_BGR2GRAY},
    {canny::PixelFormat::kRgbx, 4, cv::COLOR_RGBA2GRAY},
    {canny::PixelFormat::kBgrx, 4, cv::COLOR_BGRA2GRAY},
};

void check_luma_case(std::uint64_t seed) {
  Random random(seed);
  const OpenCvFormat& format = kOpenCvFormats[random.between(0, 3)];
  const Content content = random_content(random);
  const int width = random_side(random);
  const int height = random_side(random);
  const auto samples = random_samples(random, content, width, height, format.channels);
  const cv::Mat pixels(height, width, CV_8UC(format.channels),
                       const_cast<std::uint8_t*>(samples.data()));
  cv::Mat expected;
  cv::cvtColor(pixels, expected, format.conversion);
  const std::string title = title_of("luma", seed, content);
  compare(title, expected,
          reference::luma({samples.data(), format.channels * width, width, height, format.format}));
  if (format.channels == 3) return;
  // The same colors with the X byte in front.
  std::vector<std::uint8_t> moved(samples.size());
  for (std::size_t i = 0; i < samples.size(); i++) moved[i / 4 * 4 + (i + 1) % 4] = samples[i];
  const bool is_rgb = format.format == canny::PixelFormat::kRgbx;
  const auto moved_format = is_rgb ? canny::PixelFormat::kXrgb : canny::PixelFormat::kXbgr;
  compare(title + ", X first", expected,
          reference::luma({moved.data(), 4 * width, width, height, moved_format}));
}

/// All 2^24 colors.
void check_luma_of_all_colors() {
  constexpr int kSide = 4096;
  std::vector<std::uint8_t> samples(std::size_t(3) * kSide * kSide);
  for (std::size_t i = 0; i < samples.size(); i++) {
    samples[i] = std::uint8_t((i / 3) >> (8 * (i % 3)));
  }
  const cv::Mat pixels(kSide, kSide, CV_8UC3, samples.data());
  cv::Mat expected;
  cv::cvtColor(pixels, expected, cv::COLOR_RGB2GRAY);
  compare("luma of all colors, RGB", expected,
          reference::luma({samples.data(), 3 * kSide, kSide, kSide, canny::PixelFormat::kRgb}));
  cv::cvtColor(pixels, expected, cv::COLOR_BGR2GRAY);
  compare("luma of all colors, BGR", expected,
          reference::luma({samples.data(), 3 * kSide, kSide, kSide, canny::PixelFormat::kBgr}));
}

void check_blur_case(std::uint64_t seed) {
  Random random(seed);
  const double sigma = blur_sigma(seed % kSeedsPerKind, random);
  const Content content = random_content(random);
  Bytes image(random_side(random), random_side(random));
  image.samples = random_samples(random, content, image.width, image.height, 1);
  compare(title_of("blur", seed, content) + ", sigma " + std::to_string(sigma),
          opencv_blur(view(image), sigma), reference::blur(image, sigma));
}

void check_canny_case(std::uint64_t seed) {
  Random random(seed);
  const canny::Params params = random_params(random);
  const Content content = random_content(random);
  Bytes image(random_side(random), random_side(random));
  image.samples = random_samples(random, content, image.width, image.height, 1);
  compare(title_of("Canny", seed, content) + ", " + describe(params),
          opencv_canny(view(image), params), reference_canny(image, params));
}

/// RGB pixels through OpenCV's pipeline and through reference::detect.
void check_pipeline(const std::string& title, const canny::Params& params, int width, int height,
                    const std::vector<std::uint8_t>& rgb) {
  const cv::Mat pixels(height, width, CV_8UC3, const_cast<std::uint8_t*>(rgb.data()));
  cv::Mat gray;
  cv::cvtColor(pixels, gray, cv::COLOR_RGB2GRAY);
  Bytes got(width, height);
  got.samples =
      reference::detect(params, {rgb.data(), 3 * width, width, height, canny::PixelFormat::kRgb});
  compare(title + ", " + describe(params), opencv_canny(opencv_blur(gray, params.sigma), params),
          got);
}

void check_pipeline_case(std::uint64_t seed) {
  Random random(seed);
  canny::Params params = random_params(random);
  params.sigma = blur_sigma(kBlurCases, random);
  params.low_threshold /= 1 + params.sigma * params.sigma;  // a blur leaves weaker edges
  params.high_threshold /= 1 + params.sigma * params.sigma;
  const Content content = random_content(random);
  const int width = random_side(random);
  const int height = random_side(random);
  check_pipeline(title_of("pipeline", seed, content), params, width, height,
                 random_samples(random, content, width, height, 3));
}

struct Kind {
  const char* name;
  std::uint64_t cases;
  void (*check)(std::uint64_t seed);
};
constexpr Kind kKinds[] = {
    {"luma", kLumaCases, check_luma_case},
    {"blur", kBlurCases, check_blur_case},
    {"Canny", kCannyCases, check_canny_case},
    {"pipeline", kPipelineCases, check_pipeline_case},
};

void check_random() {
  check_luma_of_all_colors();
  for (std::uint64_t kind = 0; kind < std::size(kKinds); kind++) {
    const int passed_before = passed;
    for (std::uint64_t i = 0; i < kKinds[kind].cases; i++) {
      kKinds[kind].check(kind * kSeedsPerKind + i);
    }
    std::printf("%s: %d random comparisons equal\n", kKinds[kind].name, passed - passed_before);
  }
}

bool check_seed(std::uint64_t seed) {
  const std::uint64_t kind = seed / kSeedsPerKind;
  if (kind >= std::size(kKinds)) return false;
  kKinds[kind].check(seed);
  return true;
}

std::filesystem::path picture_folder() {
  const char* folder = std::getenv("CANNY_TEST_PICTURES");
  if (folder != nullptr && *folder != '\0') return folder;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pictures";
}

std::vector<std::filesystem::path> picture_paths(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".ppm") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void check_picture(const std::filesystem::path& path) {
  const ppm::Picture picture = ppm::read(path.string());
  if (picture.rgb.empty()) {
    std::printf("FAILED %s: not a complete binary PPM file of 8 bits\n", path.c_str());
    failed++;
    return;
  }
  using canny::Norm;
  const canny::Params settings[] = {
      {},
      {50, 150, 0, 0, Norm::kL2},
      {30, 90, 1.4, 0, Norm::kL1},
      {20.5, 61.5, 2.0, 0, Norm::kL2},
      {40, 10, 5.0, 0, Norm::kL2},
      {0, 0, 0.7, 0, Norm::kL1},
      {3, 8, 20.0, 0, Norm::kL1},
  };
  for (const canny::Params& params : settings) {
    check_pipeline(path.filename().string(), params, picture.width, picture.height, picture.rgb);
  }
}

void check_pictures() {
  const std::filesystem::path folder = picture_folder();
  const auto paths = picture_paths(folder);
  if (paths.size() < kPicturesAtLeast) {
    std::printf("FAILED pictures: %zu of at least %zu; run tests/pictures/fetch %s\n", paths.size(),
                kPicturesAtLeast, folder.c_str());
    failed++;
  }
  for (const auto& path : paths) check_picture(path);
  std::printf("pictures: %zu\n", paths.size());
}

int usage() {
  std::fprintf(stderr, "usage: opencv [random | pictures | --seed N]\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  // The bytes do not depend on the number of threads, and other tests run at the same time.
  cv::setNumThreads(1);
  const std::string wanted = argc > 1 ? argv[1] : "";
  if (argc == 3 && wanted == "--seed") {
    if (!check_seed(std::strtoull(argv[2], nullptr, 10))) return usage();
  } else if (argc <= 2 && (wanted.empty() || wanted == "random" || wanted == "pictures")) {
    std::printf("OpenCV %s\n", CV_VERSION);
    if (wanted != "pictures") check_random();
    if (wanted != "random") check_pictures();
  } else {
    return usage();
  }
  std::printf("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

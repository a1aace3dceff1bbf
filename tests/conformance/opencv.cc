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

#include "images.h"
#include "ppm.h"
#include "random.h"
#include "reference.h"

namespace {

using namespace conformance;
using reference::Bytes;
using reference::Random;

constexpr std::size_t kPicturesAtLeast = 10;

constexpr std::uint64_t kLumaCases = 200;
constexpr std::uint64_t kBlurCases = 500;
constexpr std::uint64_t kCannyCases = 1000;
constexpr std::uint64_t kPipelineCases = 300;

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
  return reference_edges({gradient, reference::magnitude(gradient, params.norm)},
                         params.low_threshold, params.high_threshold, params.norm,
                         params.gradient_operator);
}

std::string describe(const canny::Params& params) {
  char text[160];
  std::snprintf(text, sizeof text, "sigma %.17g, thresholds %.17g and %.17g, %s", params.sigma,
                params.low_threshold, params.high_threshold,
                params.norm == canny::Norm::kL2 ? "L2" : "L1");
  return text;
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
  const OpenCvFormat format = random.any(kOpenCvFormats);
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
  const Bytes image = random_image(random, content);
  compare(title_of("blur", seed, content) + ", sigma " + std::to_string(sigma),
          opencv_blur(view(image), sigma), reference::blur(image, sigma));
}

void check_canny_case(std::uint64_t seed) {
  Random random(seed);
  const canny::Params params = random_params(random);
  const Content content = random_content(random);
  const Bytes image = random_image(random, content);
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
    return check(false, path.string() + ": not a complete binary PPM file of 8 bits");
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
    check(false, "pictures: " + std::to_string(paths.size()) + " of at least " +
                     std::to_string(kPicturesAtLeast) + "; run tests/pictures/fetch " +
                     folder.string());
  }
  for (const auto& path : paths) check_picture(path);
  std::printf("pictures: %zu\n", paths.size());
}

}  // namespace

int main(int argc, char** argv) {
  cv::setNumThreads(1);
  const std::string wanted = argc == 2 ? argv[1] : "";
  std::printf("OpenCV %s\n", CV_VERSION);
  if (wanted != "pictures" && run(wanted == "random" ? 1 : argc, argv,
                                  {{"luma", kLumaCases, check_luma_case},
                                   {"blur", kBlurCases, check_blur_case},
                                   {"Canny", kCannyCases, check_canny_case},
                                   {"pipeline", kPipelineCases, check_pipeline_case}},
                                  "random | pictures | "))
    check_luma_of_all_colors();
  if (argc == 1 || wanted == "pictures") check_pictures();
  return summary();
}

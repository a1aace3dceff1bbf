// SPDX-License-Identifier: LGPL-2.1-or-later
/// Runs OpenCV's Canny on a picture.
///
///     opencv gray IN OUT                                         the luma of IN
///     opencv luma|rgb|bgr SIGMA LOW HIGH APERTURE l1|l2 IN OUT   the edges of IN
///     opencv version
///
/// Pictures are binary PPM files. SIGMA is the standard deviation of a Gaussian blur, 0 for none.
#include <cstdio>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>

#include "ppm.h"

namespace {

struct Settings {
  std::string image;
  double sigma = 0, low = 0, high = 0;
  int aperture = 3;
  bool is_l2 = false;
};

cv::Mat gray_of(const cv::Mat& rgb) {
  cv::Mat gray;
  cv::cvtColor(rgb, gray, cv::COLOR_RGB2GRAY);
  return gray;
}

cv::Mat edges_of(const cv::Mat& rgb, const Settings& settings) {
  cv::Mat image = settings.image == "luma" ? gray_of(rgb) : rgb, edges;
  if (settings.image == "bgr") cv::cvtColor(rgb, image, cv::COLOR_RGB2BGR);
  if (settings.sigma > 0) cv::GaussianBlur(image, image, {}, settings.sigma);
  cv::Canny(image, edges, settings.low, settings.high, settings.aperture, settings.is_l2);
  return edges;
}

bool write(const char* path, const cv::Mat& gray) {
  ppm::Picture picture{gray.cols, gray.rows, {}};
  cv::Mat rgb;
  cv::cvtColor(gray, rgb, cv::COLOR_GRAY2RGB);
  picture.rgb.assign(rgb.data, rgb.data + rgb.total() * rgb.elemSize());
  return ppm::write(path, picture);
}

int usage() {
  std::fprintf(stderr,
               "usage: opencv gray IN OUT\n"
               "       opencv luma|rgb|bgr SIGMA LOW HIGH APERTURE l1|l2 IN OUT\n"
               "       opencv version\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "version") return std::puts(CV_VERSION) < 0;
  if (argc != (what == "gray" ? 4 : 9)) return usage();
  ppm::Picture picture = ppm::read(argv[argc - 2]);
  if (picture.rgb.empty()) {
    std::fprintf(stderr, "opencv: %s is no binary PPM file\n", argv[argc - 2]);
    return 1;
  }
  const cv::Mat rgb(picture.height, picture.width, CV_8UC3, picture.rgb.data());
  cv::Mat result;
  if (what == "gray") {
    result = gray_of(rgb);
  } else {
    const Settings settings{what,
                            std::atof(argv[2]),
                            std::atof(argv[3]),
                            std::atof(argv[4]),
                            std::atoi(argv[5]),
                            argv[6] == std::string("l2")};
    result = edges_of(rgb, settings);
  }
  return !write(argv[argc - 1], result);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads pictures and boundaries.
#include "picture.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "detect.h"
#include "ppm.h"

namespace quality {

namespace fs = std::filesystem;

namespace {

Picture read_picture(const std::string& path) {
  if (!fs::exists(path)) throw std::runtime_error(path + ": there is no such file");
  ppm::Picture file = ppm::read(path);
  if (file.rgb.empty())
    throw std::runtime_error(path + ": not a complete binary PPM or PGM file of 8 bits; convert " +
                             "the picture, for example with GStreamer's pnmenc");
  return {fs::path(path).stem(),
          cv::Mat(file.height, file.width, CV_8UC3, file.rgb.data()).clone()};
}

}  // namespace

std::vector<Picture> read_pictures(const std::vector<std::string>& paths) {
  std::vector<Picture> pictures;
  for (const std::string& path : paths) pictures.push_back(read_picture(path));
  return pictures;
}

std::vector<std::string> pictures_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".ppm") paths.push_back(entry.path());
  if (paths.empty())
    throw std::runtime_error(folder + ": no PPM files; run tests/pictures/fetch " + folder +
                             ", or name pictures as arguments");
  std::sort(paths.begin(), paths.end());
  return paths;
}

cv::Mat read_boundaries(const std::string& folder, const Picture& picture) {
  const std::string path = fs::path(folder) / (picture.name + ".pgm");
  const cv::Mat drawn = luma(read_picture(path).image);
  if (drawn.size() != picture.image.size())
    throw std::runtime_error(path + ": " + std::to_string(drawn.cols) + "x" +
                             std::to_string(drawn.rows) + " pixels, but the picture has " +
                             std::to_string(picture.image.cols) + "x" +
                             std::to_string(picture.image.rows));
  return drawn != 0;
}

}  // namespace quality

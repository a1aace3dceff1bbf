// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures and hand-drawn boundaries, read from files.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace quality {

struct Picture {
  std::string name;  ///< of the file, without folder and ending
  cv::Mat image;     ///< RGB bytes
};

/// Reads binary PPM or PGM files. Throws std::runtime_error if one can't be read.
std::vector<Picture> read_pictures(const std::vector<std::string>& paths);

/// All PPM files of a folder, in the order of their names. Throws std::runtime_error if there are
/// none.
std::vector<std::string> pictures_in(const std::string& folder);

/// Reads the boundaries of a picture, FOLDER/NAME.pgm: 255 where the file has a pixel that is not
/// 0. Throws std::runtime_error if the file is missing or of another size than the picture.
cv::Mat read_boundaries(const std::string& folder, const Picture& picture);

}  // namespace quality

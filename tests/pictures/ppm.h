// SPDX-License-Identifier: LGPL-2.1-or-later
// Binary PPM and PGM files with 8-bit samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ppm {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height bytes, rows from top to bottom
};

/// Reads a picture, empty if the file is not a complete binary PPM or PGM with 8-bit samples. A
/// gray sample of a PGM becomes red, green and blue.
Picture read(const std::string& path);

/// Writes a picture. Returns whether the file was written.
bool write(const std::string& path, const Picture& picture);

}  // namespace ppm

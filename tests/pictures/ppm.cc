// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads and writes binary PPM files.
#include "ppm.h"

#include <fstream>

namespace ppm {
namespace {

constexpr int kMaxSide = 65536;

/// The header's next number, after white space and comments; 0 if there is none.
int number(std::istream& file) {
  std::string ignored;
  while ((file >> std::ws).peek() == '#') std::getline(file, ignored);
  int value = 0;
  return file >> value ? value : 0;
}

}  // namespace

Picture read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (file.get() != 'P' || file.get() != '6') return {};
  Picture picture;
  picture.width = number(file);
  picture.height = number(file);
  const int largest_sample = number(file);
  if (picture.width < 1 || picture.width > kMaxSide || picture.height < 1 ||
      picture.height > kMaxSide || largest_sample != 255)
    return {};
  file.get();
  picture.rgb.resize(std::size_t{3} * picture.width * picture.height);
  file.read(reinterpret_cast<char*>(picture.rgb.data()),
            static_cast<std::streamsize>(picture.rgb.size()));
  return file ? picture : Picture{};
}

bool write(const std::string& path, const Picture& picture) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << picture.width << ' ' << picture.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(picture.rgb.data()),
             static_cast<std::streamsize>(picture.rgb.size()));
  file.close();
  return bool(file);
}

}  // namespace ppm

// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads binary PPM and PGM files, writes binary PPM files.
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

/// Each gray sample as red, green and blue.
std::vector<std::uint8_t> repeated(const std::vector<std::uint8_t>& gray) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(3 * gray.size());
  for (const std::uint8_t sample : gray) rgb.insert(rgb.end(), 3, sample);
  return rgb;
}

}  // namespace

Picture read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[2] = {};
  file.read(magic, sizeof magic);
  const bool is_gray = magic[1] == '5';
  if (magic[0] != 'P' || (magic[1] != '6' && !is_gray)) return {};
  Picture picture;
  picture.width = number(file);
  picture.height = number(file);
  const int largest_sample = number(file);
  if (picture.width < 1 || picture.width > kMaxSide || picture.height < 1 ||
      picture.height > kMaxSide || largest_sample != 255)
    return {};
  file.get();
  const std::size_t pixels = std::size_t(picture.width) * picture.height;
  picture.rgb.resize(is_gray ? pixels : 3 * pixels);
  file.read(reinterpret_cast<char*>(picture.rgb.data()),
            static_cast<std::streamsize>(picture.rgb.size()));
  if (!file) return {};
  if (is_gray) picture.rgb = repeated(picture.rgb);
  return picture;
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

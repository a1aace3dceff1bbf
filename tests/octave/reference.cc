// SPDX-License-Identifier: LGPL-2.1-or-later
// Writes the edges of a picture by the reference, for comparison with Octave's functions.
//
//     reference FORMAT WIDTH HEIGHT [NAME=VALUE]... <PIXELS >EDGES
//
// FORMAT is gray8, gray16, rgb or rgbx64. PIXELS are in row-major order without gaps. A VALUE is a
// number; choices are numbered in the order of canny.h. EDGES has a byte of 0 or 255 for each
// pixel.
#include "reference.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using canny::Params;
using canny::PixelFormat;

struct Format {
  PixelFormat format;
  int pixel_bytes;
};
const std::map<std::string, Format> kFormats = {{"gray8", {PixelFormat::kGray8, 1}},
                                                {"gray16", {PixelFormat::kGray16Le, 2}},
                                                {"rgb", {PixelFormat::kRgb, 3}},
                                                {"rgbx64", {PixelFormat::kRgbx64Le, 8}}};

template <auto kMember>
void set(double value, Params* params) {
  auto& member = params->*kMember;
  member = static_cast<std::decay_t<decltype(member)>>(value);
}

template <auto kMember>
void choose(double value, Params* params) {
  auto& member = params->*kMember;
  member = static_cast<std::decay_t<decltype(member)>>(static_cast<int>(value));
}

const std::map<std::string, void (*)(double, Params*)> kSettings = {
    {"low-threshold", set<&Params::low_threshold>},
    {"high-threshold", set<&Params::high_threshold>},
    {"sigma", set<&Params::sigma>},
    {"hysteresis-passes", set<&Params::hysteresis_passes>},
    {"norm", choose<&Params::norm>},
    {"operator", choose<&Params::gradient_operator>},
    {"thin-edges", set<&Params::thin_edges>},
    {"color-mode", choose<&Params::color_mode>},
    {"luma-depth", choose<&Params::luma_depth>},
    {"threshold-mode", choose<&Params::threshold_mode>},
    {"high-ratio", set<&Params::high_ratio>},
    {"low-ratio", set<&Params::low_ratio>},
    {"min-length", set<&Params::min_length>},
};

[[noreturn]] void fail(const char* text) {
  std::fprintf(stderr, "reference: wrong argument or input: %s\n", text);
  std::exit(2);
}

Params params_of(int count, char** arguments) {
  Params params;
  for (int i = 0; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const auto setting = kSettings.find(argument.substr(0, equals));
    if (equals == std::string::npos || setting == kSettings.end()) fail(arguments[i]);
    setting->second(std::atof(arguments[i] + equals + 1), &params);
  }
  return params;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || kFormats.count(argv[1]) == 0) fail("FORMAT WIDTH HEIGHT");
  const Format format = kFormats.at(argv[1]);
  canny::ConstFrame frame;
  frame.format = format.format;
  frame.width = std::atoi(argv[2]);
  frame.height = std::atoi(argv[3]);
  frame.stride_bytes = frame.width * format.pixel_bytes;
  std::vector<std::uint8_t> pixels(std::size_t(frame.stride_bytes) * std::size_t(frame.height));
  if (std::fread(pixels.data(), 1, pixels.size(), stdin) != pixels.size()) fail("PIXELS");
  frame.data = pixels.data();
  const auto edges = reference::detect(params_of(argc - 4, argv + 4), frame);
  return std::fwrite(edges.data(), 1, edges.size(), stdout) == edges.size() ? 0 : 1;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Detects the edges of a drawn square with libcudacanny, without GStreamer.
///
///     g++ -std=c++17 library.cc $(pkg-config --cflags --libs cudacanny) -o library

#include <cudacanny/canny.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kWidth = 64;
constexpr int kHeight = 48;

/// White in columns 16..47 and rows 12..35 of a black RGB frame.
std::vector<std::uint8_t> square() {
  std::vector<std::uint8_t> pixels(3 * kWidth * kHeight, 0);
  for (int y = 12; y < 36; ++y) {
    for (int byte = 3 * 16; byte < 3 * 48; ++byte) pixels[3 * kWidth * y + byte] = 255;
  }
  return pixels;
}

canny::Status detect(const std::vector<std::uint8_t>& rgb, std::vector<std::uint8_t>* edges,
                     canny::Result* result) {
  canny::Options options;  // auto: CUDA, else OpenCL on a GPU, else the CPU
  canny::Detector detector;
  canny::Status status = canny::Detector::create(options, &detector);
  if (!status.ok()) return status;
  std::printf("backend %s: %s (%s)\n", canny::name(detector.info().backend),
              detector.info().device.c_str(), detector.info().reason.c_str());
  status = detector.set_size(kWidth, kHeight);
  if (!status.ok()) return status;

  canny::Params params;
  params.sigma = 0.0;  // a drawn square has no noise to blur
  canny::ConstFrame input;
  input.data = rgb.data();
  input.stride_bytes = 3 * kWidth;
  input.width = kWidth;
  input.height = kHeight;
  input.format = canny::PixelFormat::kRgb;
  edges->resize(kWidth * kHeight);
  canny::Frame output;
  output.data = edges->data();
  output.stride_bytes = kWidth;
  output.width = kWidth;
  output.height = kHeight;
  output.format = canny::PixelFormat::kGray8;
  return detector.detect(params, input, output, result);
}

/// The middle row crosses the square's left and right sides: an edge on each, one pixel wide, on
/// the last black and the last white column.
bool is_right(const std::vector<std::uint8_t>& edges) {
  for (int x = 0; x < kWidth; ++x) {
    const int expected = x == 15 || x == 47 ? 255 : 0;
    if (edges[kWidth * (kHeight / 2) + x] != expected) return false;
  }
  return true;
}

}  // namespace

int main() {
  std::vector<std::uint8_t> edges;
  canny::Result result;
  const canny::Status status = detect(square(), &edges, &result);
  if (!status.ok()) {
    std::fprintf(stderr, "library: %s\n", status.message().c_str());
    return EXIT_FAILURE;
  }
  for (int y = 0; y < kHeight; y += 2) {
    for (int x = 0; x < kWidth; ++x) std::putchar(edges[kWidth * y + x] ? '#' : '.');
    std::putchar('\n');
  }
  std::printf("%llu edge pixels\n", static_cast<unsigned long long>(result.edge_pixels));
  if (!is_right(edges)) {
    std::fprintf(stderr, "library: these are not the edges of the square\n");
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

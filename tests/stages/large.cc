// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares frames of the largest size, 16384x16384 pixels of 1, 4 and 8 bytes, with the reference.
// They take minutes and about 7 GB of memory, so they are not part of `meson test`.
#include <cstdio>
#include <initializer_list>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

constexpr int kSide = canny::kMaxSide;
constexpr std::size_t kPixels = std::size_t{kSide} * kSide;

// Flat squares of random color with noise on some of them: long edges and dense ones.
std::vector<std::uint8_t> paint() {
  std::vector<std::uint8_t> pixels(4 * kPixels);
  reference::Random random(1);
  constexpr int kSquare = 37;
  std::vector<std::uint32_t> colors(kSide / kSquare + 1);
  for (int y = 0; y < kSide; ++y) {
    if (y % kSquare == 0)
      for (std::uint32_t& color : colors) color = static_cast<std::uint32_t>(random.next());
    for (int x = 0; x < kSide; ++x) {
      std::uint32_t color = colors[x / kSquare];
      if (color % 4 == 0) color ^= static_cast<std::uint32_t>(random.next()) & 0x3f3f3f3f;
      for (int i = 0; i < 4; ++i)
        pixels[4 * (std::size_t{kSide} * y + x) + i] = static_cast<std::uint8_t>(color >> 8 * i);
    }
  }
  return pixels;
}

// The same gray samples as 8 bits, and in the highest bits of 16 as a color of 8 bytes. A row of
// these is 128 KiB long and a frame has 2^31 bytes.
std::vector<std::uint8_t> gray_of(const std::vector<std::uint8_t>& pixels) {
  std::vector<std::uint8_t> gray(kPixels);
  for (std::size_t i = 0; i < kPixels; ++i) gray[i] = pixels[4 * i + 1];
  return gray;
}

std::vector<std::uint8_t> deep_of(const std::vector<std::uint8_t>& gray) {
  std::vector<std::uint8_t> deep(8 * kPixels);
  for (std::size_t i = 0; i < kPixels; ++i)
    for (int color = 0; color < 3; ++color) deep[8 * i + 2 * color + 1] = gray[i];
  return deep;
}

canny::ConstFrame frame_of(const std::vector<std::uint8_t>& bytes, canny::PixelFormat format) {
  return {bytes.data(), canny::row_bytes(format, kSide), kSide, kSide, format};
}

// Compares the bytes of all pixels with an edge map. The last byte of four is 255.
std::string difference(const std::vector<std::uint8_t>& edges,
                       const std::vector<std::uint8_t>& output, std::size_t bytes) {
  for (std::size_t i = 0; i < kPixels; ++i)
    for (std::size_t byte = 0; byte < bytes; ++byte)
      if (output[bytes * i + byte] != (byte == 3 ? 255 : edges[i]))
        return "byte " + std::to_string(byte) + " of pixel " + std::to_string(i % kSide) + "," +
               std::to_string(i / kSide);
  return "";
}

std::string check(canny::Detector& detector, const canny::Params& params,
                  const canny::ConstFrame& input, canny::PixelFormat format,
                  const std::vector<std::uint8_t>& expected) {
  const auto stride = static_cast<std::size_t>(canny::row_bytes(format, kSide));
  std::vector<std::uint8_t> output(stride * kSide, 1);
  canny::Status status = detector.set_size(kSide, kSide);
  if (status.ok()) {
    status = detector.detect(
        params, input, {output.data(), static_cast<std::ptrdiff_t>(stride), kSide, kSide, format},
        nullptr);
  }
  return status.ok() ? difference(expected, output, stride / kSide) : status.message();
}

harness::Tally tally;

// Runs the frame on each backend of the options, to each format.
void run(const harness::Options& options, const char* what, const canny::Params& params,
         const canny::ConstFrame& input, const std::vector<std::uint8_t>& expected,
         std::initializer_list<canny::PixelFormat> outputs) {
  const auto run_on = [&](canny::Backend backend, canny::Detector& detector,
                          const harness::Options&) {
    for (const canny::PixelFormat output : outputs)
      tally.count(backend,
                  std::string(what) + " to format " + std::to_string(static_cast<int>(output)),
                  check(detector, params, input, output, expected));
  };
  harness::for_backends(options, &tally, run_on);
}

}  // namespace

int main(int argc, char** argv) {
  using canny::PixelFormat;
  const harness::Options options = harness::parse(argc, argv, {});
  std::vector<std::uint8_t> pixels = paint();
  std::vector<std::uint8_t> expected = reference::detect({}, frame_of(pixels, PixelFormat::kRgbx));
  run(options, "RGBA", {}, frame_of(pixels, PixelFormat::kRgbx), expected,
      {PixelFormat::kGray8, PixelFormat::kRgbx});

  // Without a blur, 8 and 16 bits give the same edges.
  canny::Params sharp;
  sharp.sigma = 0;
  sharp.hysteresis_passes = 3;
  sharp.min_length = 9;
  const std::vector<std::uint8_t> gray = gray_of(pixels);
  pixels = {};
  expected = reference::detect(sharp, frame_of(gray, PixelFormat::kGray8));
  run(options, "gray", sharp, frame_of(gray, PixelFormat::kGray8), expected, {PixelFormat::kGray8});
  const std::vector<std::uint8_t> deep = deep_of(gray);
  run(options, "RGBA of 16 bits", sharp, frame_of(deep, PixelFormat::kRgbx64Le), expected,
      {PixelFormat::kGray8, PixelFormat::kBgrx});
  return tally.summary();
}

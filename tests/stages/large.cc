// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares one frame of the largest size, 16384x16384 RGBA, with the reference. It takes minutes
// and about 12 GiB of memory, so it is not part of `meson test`.
#include <cstdio>

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

std::string check(canny::Detector& detector, const canny::ConstFrame& input,
                  const std::vector<std::uint8_t>& expected) {
  std::vector<std::uint8_t> output(kPixels, 1);
  canny::Status status = detector.set_size(kSide, kSide);
  if (status.ok()) {
    status = detector.detect(
        {}, input,
        {output.data(), kSide, kSide, kSide, canny::PixelFormat::kGray8, canny::Memory::kHost},
        nullptr);
  }
  return status.ok() ? harness::difference(expected, output, kSide) : status.message();
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  const std::vector<std::uint8_t> pixels = paint();
  const canny::ConstFrame input{
      pixels.data(), 4 * kSide, kSide, kSide, canny::PixelFormat::kRgbx, canny::Memory::kHost};
  const std::vector<std::uint8_t> expected = reference::detect({}, input);

  harness::Tally tally;
  for (canny::Backend backend : {canny::Backend::kCpu, canny::Backend::kCuda}) {
    if (!(backend == canny::Backend::kCpu ? options.cpu : options.cuda)) continue;
    canny::Detector detector;
    canny::Options detector_options;
    detector_options.backend = backend;
    const canny::Status status = canny::Detector::create(detector_options, &detector);
    const std::string failure = status.ok() ? check(detector, input, expected) : "";
    if (!status.ok())
      tally.skip(backend, status.message());
    else if (failure.empty())
      tally.pass(backend);
    else
      tally.fail(backend, failure);
  }
  return tally.summary();
}

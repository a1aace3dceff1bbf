// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests fill() and row_bytes() with sizes that have no rows, or whose rows have too many bytes.
#include <limits>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::PixelFormat;

constexpr int kMost = std::numeric_limits<int>::max(), kLeast = std::numeric_limits<int>::min();

harness::Tally tally;

void test_row_bytes() {
  const struct {
    PixelFormat format;
    int width, bytes;
  } rows[] = {{PixelFormat::kRgb, 7, 21},
              {PixelFormat::kV210, 7, 32},
              {PixelFormat::kGray8, kMost, kMost},
              {PixelFormat::kRgb, kMost / 3, kMost / 3 * 3},
              {PixelFormat::kRgb, kMost / 3 + 1, 0},
              {PixelFormat::kV210, kMost, 0},
              {PixelFormat::kRgb, 0, 0},
              {PixelFormat::kRgb, -5, 0},
              {static_cast<PixelFormat>(99), 5, 0}};
  for (const auto& row : rows) {
    const int bytes = canny::row_bytes(row.format, row.width);
    tally.count(Backend::kCpu, "row_bytes() of " + std::to_string(row.width) + " pixels",
                bytes == row.bytes ? "" : std::to_string(bytes));
  }
}

void test_sizes(Backend backend, canny::Detector& detector) {
  const struct {
    int width, height;
  } sizes[] = {{0, 8},     {-1, 8}, {16, 0}, {16, -8}, {kLeast, 8}, {kMost, 8}, {kMost / 3 + 1, 8},
               {8, kLeast}};
  for (const auto& size : sizes) {
    std::vector<std::uint8_t> bytes(48 * 8, 77);
    const canny::Frame frame = {bytes.data(),        48, size.width, size.height, PixelFormat::kRgb,
                                canny::Memory::kHost};
    const canny::Status status = detector.fill(frame, 1);
    std::string failure;
    if (status.message().find("filled frame: size " + std::to_string(size.width)) != 0)
      failure = "message '" + status.message() + "'";
    if (status.code() != canny::StatusCode::kInvalidFrame) failure = "accepted, or another code";
    if (bytes != std::vector<std::uint8_t>(48 * 8, 77)) failure = "wrote to the frame";
    tally.count(backend, "fill() of a frame without rows", failure);
  }
}

void test_backend(Backend backend) {
  canny::Detector detector;
  const canny::Status status =
      canny::Detector::create(harness::detector_options(backend), &detector);
  if (!status.ok()) return tally.skip(backend, status.message());
  test_sizes(backend, detector);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  test_row_bytes();
  for (const Backend backend : options.backends()) test_backend(backend);
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests fills of outputs, and row_bytes().
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "harness.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::Backend;
using canny::PixelFormat;
using canny::StatusCode;

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

// A gray picture of 16x8 pixels as input, and an output with two bytes after each row and a plane
// of its own. Some bytes belong to neither.
struct Frames {
  static constexpr int kWidth = 16, kHeight = 8, kStride = 20, kBeyond = 2;
  static constexpr std::uint8_t kUntouched = 77;

  Frames()
      : input(reference::Random(1).bytes(kWidth * kHeight)),
        rows(kStride * kHeight, kUntouched),
        alpha(5 * 3 + 1, kUntouched) {
    fills[0] = {{rows.data() + kWidth, kStride}, kBeyond, kHeight, 128};
    fills[1] = {{alpha.data() + 10, -5}, 4, 3, 255};  // bottom-up
    fills[2] = {{alpha.data() + 15, 1}, 1, 1, 7};
  }
  canny::ConstFrame in() const { return {input.data(), kWidth, kWidth, kHeight}; }
  canny::Frame out() {
    canny::Frame frame = {rows.data(), kStride, kWidth, kHeight};
    frame.fills = fills;
    frame.fill_count = 3;
    return frame;
  }
  bool has_untouched() const {
    return rows == std::vector<std::uint8_t>(rows.size(), kUntouched) &&
           alpha == std::vector<std::uint8_t>(alpha.size(), kUntouched);
  }

  std::vector<std::uint8_t> input, rows, alpha;
  canny::Fill fills[3];
};

// What the output of these frames must be.
Frames expected_of(const canny::Params& params) {
  Frames expected;
  std::vector<std::uint8_t> pixels(Frames::kWidth * Frames::kHeight);
  const canny::Frame frame = {pixels.data(), Frames::kWidth, Frames::kWidth, Frames::kHeight};
  reference::render(params, expected.in(), frame);
  for (int y = 0; y < Frames::kHeight; ++y) {
    std::uint8_t* row = expected.rows.data() + y * Frames::kStride;
    std::copy_n(pixels.data() + y * Frames::kWidth, Frames::kWidth, row);
    std::fill_n(row + Frames::kWidth, Frames::kBeyond, std::uint8_t{128});
  }
  for (int y = 0; y < 3; ++y) std::fill_n(expected.alpha.data() + y * 5, 4, std::uint8_t{255});
  expected.alpha[15] = 7;
  return expected;
}

void test_bytes(Backend backend, canny::Detector& detector) {
  for (const canny::View view :
       {canny::View::kEdges, canny::View::kOverlay, canny::View::kGradient, canny::View::kPasses}) {
    canny::Params params;
    params.view = view;
    const Frames expected = expected_of(params);
    Frames frames;
    tally.expect(backend, "fills", detector.detect(params, frames.in(), frames.out(), nullptr),
                 StatusCode::kOk);
    const bool is_equal = frames.rows == expected.rows && frames.alpha == expected.alpha;
    tally.count(backend, std::string("fills beside ") + name(view), is_equal ? "" : "wrong bytes");
  }
}

void test_refusals(Backend backend, canny::Detector& detector) {
  const auto refuse = [&](const char* what, const char* message, auto change) {
    Frames frames;
    canny::Frame output = frames.out();
    change(&frames, &output);
    const canny::Status status = detector.detect({}, frames.in(), output, nullptr);
    tally.expect(backend, what, status, StatusCode::kInvalidFrame, message);
    tally.count(backend, what, frames.has_untouched() ? "" : "wrote to the output");
  };
  using Output = canny::Frame*;
  refuse("fills at null", "fills is null, but fill_count is 3",
         [](Frames*, Output output) { output->fills = nullptr; });
  refuse("a fill at null", "output frame, fill: data is null",
         [](Frames* frames, Output) { frames->fills[1].rows.data = nullptr; });
  for (const int size : {0, -1, std::numeric_limits<int>::min()}) {
    refuse("rows without bytes", "is empty",
           [=](Frames* frames, Output) { frames->fills[0].row_bytes = size; });
    refuse("no rows", "is empty", [=](Frames* frames, Output) { frames->fills[0].height = size; });
  }
  refuse("a short stride", "stride_bytes 4 is shorter than a row of 5 bytes",
         [](Frames* frames, Output) {
           frames->fills[1].rows.stride_bytes = 4;
           frames->fills[1].row_bytes = 5;
         });
  refuse("a fill over pixels", "its planes overlap",
         [](Frames* frames, Output) { --frames->fills[0].rows.data; });
  refuse("a fill over a fill", "its planes overlap",
         [](Frames* frames, Output) { frames->fills[1] = frames->fills[0]; });
  refuse("a fill over the input", "overlaps the input frame", [](Frames* frames, Output) {
    frames->fills[1] = {{frames->input.data() + 100, 4}, 4, 1, 0};
  });
}

void test_backend(Backend backend, canny::Detector& detector, const harness::Options&) {
  const canny::Status status = detector.set_size(Frames::kWidth, Frames::kHeight);
  tally.expect(backend, "a size", status, StatusCode::kOk);
  test_bytes(backend, detector);
  test_refusals(backend, detector);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  test_row_bytes();
  harness::for_backends(options, &tally, test_backend);
  return tally.summary();
}

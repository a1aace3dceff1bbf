// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares overlays and masks with results that were computed by hand, and tests which frames they
// refuse.
#include <algorithm>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "harness.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::PixelFormat;
using canny::StatusCode;
using canny::View;
using Bytes = std::vector<std::uint8_t>;

harness::Tally tally;

constexpr int kWidth = 5, kHeight = 3;
constexpr std::uint32_t kColor = 0x80c04020;  // alpha 128, components 192, 64, 32

// All rows are equal. The third pixel is the last one before a step of about 200, so it is an edge
// and no other pixel is.
struct Drawn {
  const char* name;
  PixelFormat format;
  Bytes row, overlay, masked;
};

const Drawn kDrawn[] = {
    {"gray",
     PixelFormat::kGray8,
     {10, 10, 10, 210, 210},
     {10, 10, 101, 210, 210},
     {0, 0, 10, 0, 0}},
    {"RGB",
     PixelFormat::kRgb,
     {10, 20, 30, 10, 20, 30, 10, 20, 30, 210, 220, 230, 210, 220, 230},
     {10, 20, 30, 10, 20, 30, 101, 42, 31, 210, 220, 230, 210, 220, 230},
     {0, 0, 0, 0, 0, 0, 10, 20, 30, 0, 0, 0, 0, 0, 0}},
    {"BGR with X",
     PixelFormat::kBgrx,
     {30, 20, 10, 1, 30, 20, 10, 2, 30, 20, 10, 3, 230, 220, 210, 4, 230, 220, 210, 5},
     {30, 20, 10, 1, 30, 20, 10, 2, 31, 42, 101, 3, 230, 220, 210, 4, 230, 220, 210, 5},
     {0, 0, 0, 1, 0, 0, 0, 2, 30, 20, 10, 3, 0, 0, 0, 4, 0, 0, 0, 5}},
    {"YUY2",
     PixelFormat::kYuy2,
     {10, 100, 10, 90, 10, 110, 210, 80, 210, 120},
     {10, 100, 10, 90, 101, 87, 210, 56, 210, 120},
     {16, 128, 16, 128, 10, 110, 16, 80, 16, 128}},
    {"UYVY",
     PixelFormat::kUyvy,
     {100, 10, 90, 10, 110, 10, 80, 210, 120, 210},
     {100, 10, 90, 10, 87, 101, 56, 210, 120, 210},
     {128, 16, 128, 16, 110, 10, 80, 16, 128, 16}},
    {"AYUV",
     PixelFormat::kAyuv,
     {1, 10, 99, 98, 2, 10, 99, 98, 3, 10, 110, 80, 4, 210, 99, 98, 5, 210, 99, 98},
     {1, 10, 99, 98, 2, 10, 99, 98, 3, 101, 87, 56, 4, 210, 99, 98, 5, 210, 99, 98},
     {1, 16, 128, 128, 2, 16, 128, 128, 3, 10, 110, 80, 4, 16, 128, 128, 5, 16, 128, 128}},
    {"VUYA",
     PixelFormat::kVuya,
     {98, 99, 10, 1, 98, 99, 10, 2, 80, 110, 10, 3, 98, 99, 210, 4, 98, 99, 210, 5},
     {98, 99, 10, 1, 98, 99, 10, 2, 56, 87, 101, 3, 98, 99, 210, 4, 98, 99, 210, 5},
     {128, 128, 16, 1, 128, 128, 16, 2, 80, 110, 10, 3, 128, 128, 16, 4, 128, 128, 16, 5}},
    // Colors 1, 5, 3 and 26, 55, 28; the edge becomes 12, 10, 3.
    {"RGB16",
     PixelFormat::kRgb16,
     {0xa3, 0x08, 0xa3, 0x08, 0xa3, 0x08, 0xfc, 0xd6, 0xfc, 0xd6},
     {0xa3, 0x08, 0xa3, 0x08, 0x43, 0x61, 0xfc, 0xd6, 0xfc, 0xd6},
     {0, 0, 0, 0, 0xa3, 0x08, 0, 0, 0, 0}},
    // Colors 1, 2, 3 and 26, 27, 28, with the unused bit set; the edge becomes 12, 5, 3.
    {"RGB15",
     PixelFormat::kRgb15,
     {0x43, 0x84, 0x43, 0x84, 0x43, 0x84, 0x7c, 0xeb, 0x7c, 0xeb},
     {0x43, 0x04, 0x43, 0x04, 0xa3, 0x30, 0x7c, 0x6b, 0x7c, 0x6b},
     {0, 0, 0, 0, 0x43, 0x04, 0, 0, 0, 0}},
};

canny::Params params_of(View view) {
  canny::Params params;
  params.sigma = 0;
  params.view = view;
  params.edge_color = kColor;
  return params;
}

Bytes repeated(const Bytes& row) {
  Bytes image;
  for (int y = 0; y < kHeight; ++y) image.insert(image.end(), row.begin(), row.end());
  return image;
}

void check(Backend backend, const std::string& what, const canny::Status& status,
           const canny::Result& result, const Bytes& expected, const Bytes& actual, int width) {
  std::string failure = status.message();
  if (failure.empty()) failure = harness::difference(expected, actual, width);
  if (failure.empty() && result.edge_pixels != kHeight)
    failure = "counted " + std::to_string(result.edge_pixels) + " edges";
  tally.count(backend, what, failure);
}

void test_drawn(Backend backend, Detector& detector, const Drawn& drawn) {
  const Bytes input = repeated(drawn.row);
  const auto stride = static_cast<std::ptrdiff_t>(drawn.row.size());
  const canny::ConstFrame from = {input.data(), stride, kWidth, kHeight, drawn.format};
  for (const View view : {View::kOverlay, View::kMasked}) {
    Bytes output(input.size(), 77);
    const canny::Frame to = {output.data(), stride, kWidth, kHeight, drawn.format};
    canny::Result result;
    const canny::Status status = detector.detect(params_of(view), from, to, &result);
    const bool is_overlay = view == View::kOverlay;
    check(backend, drawn.name + std::string(is_overlay ? ", overlay" : ", masked"), status, result,
          repeated(is_overlay ? drawn.overlay : drawn.masked), output,
          static_cast<int>(drawn.row.size()));
  }
}

// The luma of the drawn gray row in 15 bytes, then U and V for blocks of 2x2 pixels.
struct Picture {
  Bytes bytes = Bytes(27);
  canny::ConstFrame input() const { return frame_of<const std::uint8_t>(bytes.data()); }
  canny::Frame output() { return frame_of<std::uint8_t>(bytes.data()); }

  bool is_interleaved = false;

 private:
  template <class Byte>
  canny::BasicFrame<Byte> frame_of(Byte* data) const {
    canny::BasicFrame<Byte> frame = {data, kWidth, kWidth, kHeight, PixelFormat::kGray8};
    if (is_interleaved)
      frame.chroma = {{data + 15, 6}, {data + 16, 6}, 2, 1, 1};
    else
      frame.chroma = {{data + 15, 3}, {data + 21, 3}, 1, 1, 1};
    return frame;
  }
};

Picture picture_of(const Bytes& luma_row, const Bytes& chroma, bool is_interleaved) {
  Picture picture;
  picture.bytes = repeated(luma_row);
  picture.bytes.insert(picture.bytes.end(), chroma.begin(), chroma.end());
  picture.is_interleaved = is_interleaved;
  return picture;
}

void test_chroma(Backend backend, Detector& detector, bool is_interleaved) {
  const auto chroma = [&](const Bytes& planar) {
    if (!is_interleaved) return planar;
    Bytes result;
    for (int i = 0; i < 6; ++i) result.insert(result.end(), {planar[i], planar[6 + i]});
    return result;
  };
  const Picture input =
      picture_of({10, 10, 10, 210, 210},
                 chroma({100, 110, 120, 130, 140, 150, 90, 80, 70, 60, 50, 40}), is_interleaved);
  const Bytes overlay =
      picture_of({10, 10, 101, 210, 210},
                 chroma({100, 87, 120, 130, 102, 150, 90, 56, 70, 60, 41, 40}), is_interleaved)
          .bytes;
  const Bytes masked =
      picture_of({16, 16, 10, 16, 16},
                 chroma({128, 110, 128, 128, 140, 128, 128, 80, 128, 128, 50, 128}), is_interleaved)
          .bytes;
  for (const View view : {View::kOverlay, View::kMasked}) {
    Picture output = input;
    std::fill(output.bytes.begin(), output.bytes.end(), 77);
    canny::Result result;
    const canny::Status status =
        detector.detect(params_of(view), input.input(), output.output(), &result);
    check(backend, is_interleaved ? "interleaved chroma" : "planes of chroma", status, result,
          view == View::kOverlay ? overlay : masked, output.bytes, kWidth);
  }
}

// A picture and its output, which a test damages.
struct Frames {
  Picture from = picture_of(Bytes(kWidth, 100), Bytes(12, 50), false);
  Picture to = picture_of(Bytes(kWidth, 77), Bytes(12, 77), false);
  canny::ConstFrame input = from.input();
  canny::Frame output = to.output();
};

struct Refusal {
  const char* message;
  void (*spoil)(Frames& frames);
};
const Refusal kRefusals[] = {
    {"output frame: the pixel format differs from the input's",
     [](Frames& f) {
       f.input.format = PixelFormat::kYuy2;
       f.input.stride_bytes = 2 * kWidth;
     }},
    {"output frame: the layout of the chroma differs", [](Frames& f) { f.output.chroma = {}; }},
    {"output frame: the layout of the chroma differs", [](Frames& f) { f.input.chroma = {}; }},
    {"output frame: the layout of the chroma differs",
     [](Frames& f) { f.input.chroma.shift_y = 2; }},
    {"output frame: the layout of the chroma differs",
     [](Frames& f) { f.input.chroma.shift_x = 2; }},
    {"output frame: the layout of the chroma differs",
     [](Frames& f) {
       f.input.chroma = {{f.input.data + 15, 6}, {f.input.data + 16, 6}, 2, 1, 1};
     }},
    {"outside 0..2", [](Frames& f) { f.input.chroma.shift_x = 3; }},
    {"outside 0..2", [](Frames& f) { f.output.chroma.shift_y = -1; }},
    {"step_bytes 3", [](Frames& f) { f.output.chroma.step_bytes = 3; }},
    {"input frame, V plane: data is null", [](Frames& f) { f.input.chroma.v = {}; }},
    {"input frame, U plane: stride_bytes 2 is shorter than a row of 3",
     [](Frames& f) { f.input.chroma.u.stride_bytes = 2; }},
    {"output frame, V plane: stride_bytes -2 is shorter than a row of 3",
     [](Frames& f) { f.output.chroma.v.stride_bytes = -2; }},
    {"output frame: U and V of step_bytes 2 are not next to each other",
     [](Frames& f) { f.output.chroma.step_bytes = 2; }},
    {"input frame, chroma plane: stride_bytes 5 is shorter than a row of 6",
     [](Frames& f) {
       f.input.chroma = {{f.input.data + 15, 5}, {f.input.data + 16, 5}, 2, 1, 1};
     }},
    {"output frame: its planes overlap", [](Frames& f) { f.output.chroma.v = f.output.chroma.u; }},
    {"output frame: its planes overlap",
     [](Frames& f) { f.output.chroma.u.data = f.output.data + 4; }},
    {"output frame: overlaps the input frame",
     [](Frames& f) {
       f.input.chroma.v = {f.output.data, 3};
     }},
};

void test_refusal(Backend backend, Detector& detector, const Refusal& refusal) {
  for (const View view : {View::kOverlay, View::kMasked}) {
    Frames frames;
    refusal.spoil(frames);
    const canny::Status status =
        detector.detect(params_of(view), frames.input, frames.output, nullptr);
    tally.expect(backend, refusal.message, status, StatusCode::kInvalidFrame, refusal.message);
    tally.count(backend, refusal.message,
                frames.to.bytes == Bytes(27, 77) ? "" : "wrote to the output");
  }
}

// Other views have no color: they do not look at the input's chroma.
void test_neutral_chroma(Backend backend, Detector& detector) {
  for (const View view : {View::kEdges, View::kGradient}) {
    Frames frames;
    frames.input.chroma.shift_x = 9;
    frames.input.chroma.v = {};
    const canny::Status status =
        detector.detect(params_of(view), frames.input, frames.output, nullptr);
    const bool is_neutral =
        std::all_of(frames.to.bytes.begin() + kWidth * kHeight, frames.to.bytes.end(),
                    [](std::uint8_t byte) { return byte == 128; });
    tally.count(backend, "a view without color", is_neutral ? status.message() : "has color");
    frames.output.chroma.v = {};
    tally.expect(backend, "a view without a plane of its output",
                 detector.detect(params_of(view), frames.input, frames.output, nullptr),
                 StatusCode::kInvalidFrame);
  }
}

void run(Backend backend, Detector& detector, const harness::Options&) {
  const canny::Status status = detector.set_size(kWidth, kHeight);
  tally.expect(backend, "set_size()", status, StatusCode::kOk);
  for (const Drawn& drawn : kDrawn) test_drawn(backend, detector, drawn);
  test_chroma(backend, detector, false);
  test_chroma(backend, detector, true);
  for (const Refusal& refusal : kRefusals) test_refusal(backend, detector, refusal);
  test_neutral_chroma(backend, detector);
}

}  // namespace

int main(int argc, char** argv) {
  harness::for_backends(harness::parse(argc, argv, {}), &tally, run);
  return tally.summary();
}

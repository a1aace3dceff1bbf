// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests the bounds of frames: memory without access around each plane, strides of every size, and
// inputs and outputs in each other's memory.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/frame.h"
#include "cases.h"
#include "frames.h"
#include "harness.h"
#include "overlaps.h"
#include "paged.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::PixelFormat;
using canny::Status;
using canny::StatusCode;
using cases::Case;

harness::Tally tally;

// Runs a case whose planes touch memory without access.
std::string check_paged(Detector& detector, const Case& c, paged::Block::At at) {
  const frames::CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  const paged::Copy in(frames.input().const_frame(), at);
  const paged::Copy out(output.const_frame(), at);
  Status status = detector.set_size(c.width, c.height);
  canny::Result result;
  if (status.ok()) status = detector.detect(c.params, in.const_frame(), out.frame(), &result);
  if (!status.ok()) return status.message();
  out.restore(output.frame());
  return frames.check(output, result);
}

void test_pages(Backend backend, Detector& detector, const harness::Options& options) {
  const std::uint64_t first = options.one_case ? options.seed : cases::table_size();
  const std::uint64_t count = options.one_case ? 1 : options.cases;
  for (std::uint64_t seed = first; seed < first + count; seed += options.step) {
    const Case c = cases::make_case(seed, options.max_side);
    for (const auto at : {paged::Block::At::kStart, paged::Block::At::kEnd})
      tally.count(backend, describe(c), check_paged(detector, c, at));
  }
}

// ---- strides ----

constexpr int kWidth = 21, kHeight = 9;

struct Shape {
  PixelFormat format;
  harness::Chroma chroma;
};
constexpr Shape kShapes[] = {
    {PixelFormat::kGray8, {}},        {PixelFormat::kGray8, {1, 1, 1}},
    {PixelFormat::kGray8, {2, 1, 0}}, {PixelFormat::kRgb, {}},
    {PixelFormat::kRgb16, {}},        {PixelFormat::kRgbPlanes, {}},
    {PixelFormat::kGray16Le, {}},     {PixelFormat::kRgbPlanesF16, {}},
};

// Strides that no row of `row` bytes may have.
std::vector<std::ptrdiff_t> broken_strides(std::ptrdiff_t row) {
  constexpr std::ptrdiff_t kTwo31 = std::ptrdiff_t{1} << 31, kTwo32 = std::ptrdiff_t{1} << 32;
  return {0,
          1,
          -1,
          row - 1,
          1 - row,
          kTwo31,
          -kTwo31,
          kTwo32 + row,  // cut to 32 bits, these would be strides
          -kTwo32 - row,
          PTRDIFF_MAX / kHeight + 1,  // times the height, these overflow
          PTRDIFF_MIN / kHeight - 1,
          PTRDIFF_MAX,
          PTRDIFF_MAX - 1,
          PTRDIFF_MIN,
          PTRDIFF_MIN + 1};
}

// The rows of a plane of the frame, and of the V that shares them.
void set_stride(canny::Frame* frame, int plane, std::ptrdiff_t stride) {
  if (plane == 0) {
    frame->stride_bytes = stride;
  } else if (canny::planes(frame->format) > 1) {
    (plane == 1 ? frame->green : frame->blue).stride_bytes = stride;
  } else {
    const bool is_shared = frame->chroma.step_bytes == 2;
    if (plane == 1 || is_shared) frame->chroma.u.stride_bytes = stride;
    if (plane == 2 || is_shared) frame->chroma.v.stride_bytes = stride;
  }
}

// Planes a page apart in memory without access: whatever is read or written ends the process.
canny::Frame closed_frame(const Shape& shape, const paged::Space& space) {
  const harness::GuardedFrame model(kWidth, kHeight, shape.format, 0, 0, false, shape.chroma);
  return model.frame(space.data(), canny::Memory::kHost);
}

// Overlays read all planes, but there are none of deep formats.
void expect_refusal(Backend backend, Detector& detector, const canny::Frame& input,
                    const canny::Frame& output, const std::string& what) {
  const canny::ConstFrame read = paged::to_read(input);
  canny::Params params;
  if (!canny::is_deep(input.format)) params.view = canny::View::kOverlay;
  tally.expect(backend, what, detector.detect(params, read, output, nullptr),
               StatusCode::kInvalidFrame);
  tally.expect(backend, what + ", submitted", detector.submit(params, read, output),
               StatusCode::kInvalidFrame);
  tally.expect(backend, what + ", not in flight", detector.wait(nullptr),
               StatusCode::kNotConfigured);
}

void test_broken_strides(Backend backend, Detector& detector) {
  const paged::Space in(1 << 16, true), out(1 << 16, true);
  tally.expect(backend, "set_size", detector.set_size(kWidth, kHeight), StatusCode::kOk);
  for (const Shape& shape : kShapes) {
    const canny::Frame input = closed_frame(shape, in), output = closed_frame(shape, out);
    for (int plane = 0; plane < canny::plane_count(input); ++plane) {
      const std::ptrdiff_t row = canny::row_bytes(canny::plane(input, plane));
      for (const std::ptrdiff_t stride : broken_strides(row)) {
        const std::string what = "format " + std::to_string(static_cast<int>(shape.format)) +
                                 ", plane " + std::to_string(plane) + ", stride " +
                                 std::to_string(stride);
        canny::Frame broken = input;
        set_stride(&broken, plane, stride);
        expect_refusal(backend, detector, broken, output, "input " + what);
        broken = output;
        set_stride(&broken, plane, stride);
        expect_refusal(backend, detector, input, broken, "output " + what);
        const canny::Fill fill = {
            {canny::plane(output, plane).data, stride}, static_cast<int>(row), kHeight, 0};
        broken = output;
        broken.fills = &fill;
        broken.fill_count = 1;
        expect_refusal(backend, detector, input, broken, "filled " + what);
      }
    }
  }
  // A mask of the region.
  const canny::Frame output = closed_frame(kShapes[0], out);
  for (const std::ptrdiff_t stride : broken_strides(kWidth)) {
    canny::Region region;
    region.mask = {in.data() + (1 << 15), stride};
    canny::Frame input = closed_frame(kShapes[0], in);
    input.region = &region;
    expect_refusal(backend, detector, input, output, "mask, stride " + std::to_string(stride));
  }
}

// Rows 2 GiB apart, in either direction: no product of a row and a stride fits in 32 bits.
void test_longest_strides(Backend backend, Detector& detector) {
  constexpr int kRows = 4;
  constexpr std::ptrdiff_t kStride = INT_MAX;
  const paged::Space in((kRows - 1) * kStride + 3 * kWidth, false);
  const paged::Space out((kRows - 1) * kStride + kWidth, false);
  Case c = cases::make_case(cases::table_size(), kWidth);
  cases::set_size(kWidth, kRows, &c);
  c.input = PixelFormat::kRgb;
  c.output = PixelFormat::kGray8;
  c.chroma = {};
  c.region = nullptr;
  c.params = {};
  const frames::CaseFrames frames(c);
  const canny::ConstFrame from = frames.input().const_frame();
  for (const bool is_bottom_up : {false, true}) {
    canny::Frame input = paged::to_write(from);
    canny::Frame output{out.data(), kStride, kWidth, kRows, c.output};
    input.data = in.data();
    input.stride_bytes = kStride;
    if (is_bottom_up) {
      input.data += (kRows - 1) * kStride;
      output.data += (kRows - 1) * kStride;
      input.stride_bytes = output.stride_bytes = -kStride;
    }
    for (int y = 0; y < kRows; ++y)
      std::copy_n(from.data + y * from.stride_bytes, 3 * kWidth,
                  input.data + y * input.stride_bytes);
    harness::GuardedFrame copy = frames.output();
    const canny::Frame to = copy.frame();
    Status status = detector.set_size(kWidth, kRows);
    canny::Result result;
    if (status.ok()) status = detector.detect(c.params, paged::to_read(input), output, &result);
    for (int y = 0; y < kRows; ++y)
      std::copy_n(output.data + y * output.stride_bytes, kWidth, to.data + y * to.stride_bytes);
    tally.count(backend, is_bottom_up ? "the longest stride, bottom-up" : "the longest stride",
                status.ok() ? frames.check(copy, result) : status.message());
  }
}

void run(Backend backend, Detector& detector, const harness::Options& options) {
  test_pages(backend, detector, options);
  if (options.one_case) return;
  test_broken_strides(backend, detector);
  test_longest_strides(backend, detector);
  overlaps::test(backend, detector, options, &tally);
}

}  // namespace

int main(int argc, char** argv) {
  harness::Options defaults;
  defaults.cases = 2000;
  defaults.max_side = 70;
  harness::for_backends(harness::parse(argc, argv, defaults), &tally, run);
  return tally.summary();
}

// SPDX-License-Identifier: LGPL-2.1-or-later
// Tests the bounds of frames: memory without access around each plane, strides of every size, and
// inputs and outputs in each other's memory.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/frame.h"
#include "cases.h"
#include "frames.h"
#include "harness.h"
#include "pages.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::Frame;
using canny::PixelFormat;
using canny::Status;
using canny::StatusCode;
using canny::View;
using cases::Case;
using harness::to_read;
using harness::to_write;
using paged::Block;
using paged::Space;
using reference::Random;

harness::Tally tally;

// ---- planes in pages ----

// The bytes from the first to the last one of a plane's rows.
std::size_t extent(const Frame& plane) {
  return static_cast<std::size_t>(std::abs(plane.stride_bytes)) * (plane.height - 1) +
         canny::row_bytes(plane);
}

// Calls change(data, stride) for the rows of a plane of the frame, and for the V that shares them.
template <class Change>
void change_rows(Frame* frame, int plane, Change change) {
  const auto change_plane = [&](canny::BasicPlane<std::uint8_t>& rows) {
    change(rows.data, rows.stride_bytes);
  };
  const bool is_shared = frame->chroma.step_bytes == 2;
  if (plane == 0) return change(frame->data, frame->stride_bytes);
  if (canny::planes(frame->format) > 1)
    return change_plane(plane == 1 ? frame->green : frame->blue);
  if (plane == 1 || is_shared) change_plane(frame->chroma.u);
  if (plane == 2 || is_shared) change_plane(frame->chroma.v);
}

// A copy of a frame in host memory, and of its region's mask, each plane in a Block of its own.
class Copy {
 public:
  Copy(const canny::ConstFrame& from, Block::At at) : frame_(to_write(from)) {
    const Frame original = frame_;
    for (int i = 0; i < canny::plane_count(original); ++i) {
      const Frame plane = canny::plane(original, i);
      const std::uint8_t* lowest = canny::lowest_row(plane);
      const std::ptrdiff_t moved = add(lowest, extent(plane), at) - lowest;
      change_rows(&frame_, i, [&](std::uint8_t*& data, std::ptrdiff_t&) { data += moved; });
    }
    if (from.region == nullptr) return;
    region_ = *from.region;
    frame_.region = &region_;
    if (region_.mask.data == nullptr) return;
    const Frame mask = to_write(canny::mask_frame(region_, from.width, from.height));
    const std::uint8_t* lowest = canny::lowest_row(mask);
    region_.mask.data += add(lowest, extent(mask), at) - lowest;
  }

  const Frame& frame() const { return frame_; }

  // Copies all bytes back, with those between the rows.
  void restore(const Frame& to) const {
    for (int i = 0; i < canny::plane_count(to); ++i) {
      const Frame plane = canny::plane(to, i);
      std::memcpy(canny::lowest_row(plane), blocks_[i]->data(), extent(plane));
    }
  }

 private:
  std::uint8_t* add(const std::uint8_t* lowest, std::size_t bytes, Block::At at) {
    blocks_.push_back(std::make_unique<Block>(bytes, at));
    std::memcpy(blocks_.back()->data(), lowest, bytes);
    return blocks_.back()->data();
  }

  Frame frame_;
  canny::Region region_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

// Runs a case whose planes touch memory without access.
std::string check_paged(Detector& detector, const Case& c, Block::At at) {
  const frames::CaseFrames frames(c);
  harness::GuardedFrame output = frames.output();
  const Copy in(frames.input().const_frame(), at);
  const Copy out(output.const_frame(), at);
  Status status = detector.set_size(c.width, c.height);
  canny::Result result;
  if (status.ok()) status = detector.detect(c.params, to_read(in.frame()), out.frame(), &result);
  if (!status.ok()) return status.message();
  out.restore(output.frame());
  return frames.check(output, result);
}

void test_pages(Backend backend, Detector& detector, const harness::Options& options) {
  const std::uint64_t first = options.one_case ? options.seed : cases::table_size();
  const std::uint64_t count = options.one_case ? 1 : options.cases;
  for (std::uint64_t seed = first; seed < first + count; seed += options.step) {
    const Case c = cases::make_case(seed, options.max_side);
    for (const auto at : {Block::At::kStart, Block::At::kEnd})
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

void set_stride(Frame* frame, int plane, std::ptrdiff_t stride) {
  change_rows(frame, plane, [&](std::uint8_t*&, std::ptrdiff_t& of_rows) { of_rows = stride; });
}

// Planes a page apart in memory without access: whatever is read or written ends the process.
Frame closed_frame(const Shape& shape, const Space& space) {
  const harness::GuardedFrame model(kWidth, kHeight, shape.format, 0, 0, false, shape.chroma);
  return model.frame(space.data(), canny::Memory::kHost);
}

// Overlays read all planes, but there are none of deep formats.
void expect_refusal(Backend backend, Detector& detector, const Frame& input, const Frame& output,
                    const std::string& what) {
  const canny::ConstFrame read = to_read(input);
  canny::Params params;
  if (!canny::is_deep(input.format)) params.view = View::kOverlay;
  tally.expect(backend, what, detector.detect(params, read, output, nullptr),
               StatusCode::kInvalidFrame);
  tally.expect(backend, what + ", submitted", detector.submit(params, read, output),
               StatusCode::kInvalidFrame);
  tally.expect(backend, what + ", not in flight", detector.wait(nullptr),
               StatusCode::kNotConfigured);
}

void test_broken_strides(Backend backend, Detector& detector) {
  const Space in(1 << 16, true), out(1 << 16, true);
  tally.expect(backend, "set_size", detector.set_size(kWidth, kHeight), StatusCode::kOk);
  for (const Shape& shape : kShapes) {
    const Frame input = closed_frame(shape, in), output = closed_frame(shape, out);
    for (int plane = 0; plane < canny::plane_count(input); ++plane) {
      const std::ptrdiff_t row = canny::row_bytes(canny::plane(input, plane));
      for (const std::ptrdiff_t stride : broken_strides(row)) {
        const std::string what = "format " + std::to_string(static_cast<int>(shape.format)) +
                                 ", plane " + std::to_string(plane) + ", stride " +
                                 std::to_string(stride);
        Frame broken = input;
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
  const Frame output = closed_frame(kShapes[0], out);
  for (const std::ptrdiff_t stride : broken_strides(kWidth)) {
    canny::Region region;
    region.mask = {in.data() + (1 << 15), stride};
    Frame input = closed_frame(kShapes[0], in);
    input.region = &region;
    expect_refusal(backend, detector, input, output, "mask, stride " + std::to_string(stride));
  }
}

// Rows 2 GiB apart, in either direction: no product of a row and a stride fits in 32 bits.
void test_longest_strides(Backend backend, Detector& detector) {
  constexpr int kRows = 4;
  constexpr std::ptrdiff_t kStride = INT_MAX;
  const Space in((kRows - 1) * kStride + 3 * kWidth, false);
  const Space out((kRows - 1) * kStride + kWidth, false);
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
    Frame input = to_write(from);
    Frame output{out.data(), kStride, kWidth, kRows, c.output};
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
    const Frame to = copy.frame();
    Status status = detector.set_size(kWidth, kRows);
    canny::Result result;
    if (status.ok()) status = detector.detect(c.params, to_read(input), output, &result);
    for (int y = 0; y < kRows; ++y)
      std::copy_n(output.data + y * output.stride_bytes, kWidth, to.data + y * to.stride_bytes);
    tally.count(backend, is_bottom_up ? "the longest stride, bottom-up" : "the longest stride",
                status.ok() ? frames.check(copy, result) : status.message());
  }
}

// ---- frames in one block ----

constexpr int kMaxSide = 9;
constexpr int kBlockBytes = 1500;
constexpr PixelFormat kFormats[] = {PixelFormat::kGray8,     PixelFormat::kRgb,
                                    PixelFormat::kRgbPlanes, PixelFormat::kYuy2,
                                    PixelFormat::kGray16Le,  PixelFormat::kRgbPlanesF16};

// A plane's rows anywhere in the block. Often the pitch is that of others.
canny::BasicPlane<std::uint8_t> any_rows(std::uint8_t* block, int row, int rows, int pitch,
                                         Random& random) {
  if (pitch < row || random.between(0, 2) == 0) pitch = row + random.between(0, 6);
  const int extent = pitch * (rows - 1) + row;
  const int lowest = random.between(0, std::max(0, kBlockBytes - extent));
  const bool is_bottom_up = random.between(0, 1) != 0;
  return {block + lowest + (is_bottom_up ? pitch * (rows - 1) : 0), is_bottom_up ? -pitch : pitch};
}

Frame any_frame(std::uint8_t* block, int width, int height, PixelFormat format, bool has_chroma,
                int pitch, Random& random) {
  Frame frame{nullptr, 0, width, height, format};
  const int row = canny::row_bytes(format, width);
  const auto rows = any_rows(block, row, height, pitch, random);
  frame.data = rows.data;
  frame.stride_bytes = rows.stride_bytes;
  if (canny::planes(format) == 3) {
    frame.green = any_rows(block, row, height, pitch, random);
    frame.blue = any_rows(block, row, height, pitch, random);
  } else if (has_chroma && format == PixelFormat::kGray8) {
    const int samples = canny::chroma_samples(width, 1), lines = canny::chroma_samples(height, 1);
    frame.chroma = {any_rows(block, samples, lines, pitch, random),
                    any_rows(block, samples, lines, pitch, random), 1, 1, 1};
  }
  return frame;
}

// Calls f for each byte of a plane's rows.
template <class F>
void for_each_byte(const Frame& plane, F f) {
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < canny::row_bytes(plane); ++x) f(plane.data + y * plane.stride_bytes + x);
}

// The documented rule for two planes, byte by byte.
bool may_not_meet(const Frame& one, const Frame& other, const std::uint8_t* block) {
  std::vector<bool> taken(kBlockBytes);
  const std::uint8_t *first = one.data, *last = one.data;
  for_each_byte(one, [&](const std::uint8_t* byte) {
    taken[byte - block] = true;
    first = std::min(first, byte);
    last = std::max(last, byte);
  });
  bool shares = false;
  const std::uint8_t *other_first = other.data, *other_last = other.data;
  for_each_byte(other, [&](const std::uint8_t* byte) {
    shares = shares || taken[byte - block];
    other_first = std::min(other_first, byte);
    other_last = std::max(other_last, byte);
  });
  const bool interleaves = other_first <= last && first <= other_last;
  return shares || (interleaves && std::abs(one.stride_bytes) != std::abs(other.stride_bytes));
}

bool is_refused(const Frame& input, const Frame& output, const std::uint8_t* block) {
  for (int i = 0; i < canny::plane_count(output); ++i) {
    const Frame written = canny::plane(output, i);
    for (int j = 0; j < canny::plane_count(input); ++j)
      if (may_not_meet(canny::plane(input, j), written, block)) return true;
    for (int j = 0; j < i; ++j)
      if (may_not_meet(canny::plane(output, j), written, block)) return true;
  }
  return false;
}

// The block after a frame: the reference's pixels in the output, all other bytes as before.
std::vector<std::uint8_t> expected_block(const canny::Params& params, const Frame& input,
                                         const Frame& output, const std::uint8_t* block) {
  std::vector<std::uint8_t> result(block, block + kBlockBytes);
  // A frame of the copy is as far from its start as the original is from the block's.
  const auto moved = [&](const Frame& frame) {
    Frame copy = frame;
    for (std::uint8_t** data :
         {&copy.data, &copy.green.data, &copy.blue.data, &copy.chroma.u.data, &copy.chroma.v.data})
      if (*data != nullptr) *data = result.data() + (*data - block);
    return copy;
  };
  const Frame to = moved(output);
  reference::render(params, to_read(input), to);
  if (params.view != View::kEdges) return result;
  for (int i = 0; i < canny::chroma_planes(to); ++i)
    for_each_byte(canny::chroma_plane(to, i), [](std::uint8_t* byte) { *byte = canny::kNeutral; });
  return result;
}

struct Counts {
  int refused = 0, accepted = 0;
};

std::string check(Detector& detector, std::uint64_t seed, Counts* counts) {
  Random random(seed);
  std::vector<std::uint8_t> block = random.bytes(kBlockBytes);
  const int width = random.between(1, kMaxSide), height = random.between(1, kMaxSide);
  const PixelFormat format = random.any(kFormats);
  const bool shows_input = !reference::is_deep(format) && random.between(0, 2) == 0;
  const bool has_chroma = random.between(0, 2) == 0;
  const int pitch = random.between(3 * kMaxSide, 6 * kMaxSide);
  const Frame input = any_frame(block.data(), width, height, format, has_chroma, pitch, random);
  Frame output = any_frame(block.data(), width, height, shows_input ? format : random.any(kFormats),
                           has_chroma, pitch, random);
  if (random.between(0, 15) == 0) output = input;  // in place
  canny::Params params;
  params.low_threshold = params.high_threshold = 40;
  params.sigma = 0;
  if (shows_input) params.view = random.between(0, 1) ? View::kOverlay : View::kMasked;

  Frame read = input;
  if (params.view == View::kEdges) read.chroma = {};
  const bool refused = is_refused(read, output, block.data());
  ++(refused ? counts->refused : counts->accepted);
  const std::vector<std::uint8_t> expected =
      refused ? block : expected_block(params, input, output, block.data());
  Status status = detector.set_size(width, height);
  if (status.ok()) status = detector.detect(params, to_read(input), output, nullptr);
  if (refused && status.code() != StatusCode::kInvalidFrame)
    return "not refused: code " + std::to_string(static_cast<int>(status.code())) + " '" +
           status.message() + "'";
  if (!refused && !status.ok()) return status.message();
  return harness::difference(expected, block, 50);
}

// Runs `options.cases` random frames in one block. The detector must refuse those whose output
// shares a byte with another plane, or interleaves with it at another stride, and leave all bytes
// as they are; all others must be exact.
void test_overlaps(Backend backend, Detector& detector, const harness::Options& options) {
  Counts counts;
  for (std::uint64_t seed = 0; seed < options.cases; seed += options.step)
    tally.count(backend, "frames in one block, number " + std::to_string(seed),
                check(detector, seed, &counts));
  const std::uint64_t cases = (options.cases + options.step - 1) / options.step;
  if (cases < 100) return;
  // Both kinds are among them.
  tally.count(backend, "frames in one block",
              counts.refused > 10 && counts.accepted > 10
                  ? ""
                  : std::to_string(counts.refused) + " refused, " +
                        std::to_string(counts.accepted) + " accepted");
}

void run(Backend backend, Detector& detector, const harness::Options& options) {
  test_pages(backend, detector, options);
  if (options.one_case) return;
  test_broken_strides(backend, detector);
  test_longest_strides(backend, detector);
  test_overlaps(backend, detector, options);
}

}  // namespace

int main(int argc, char** argv) {
  harness::Options defaults;
  defaults.cases = 2000;
  defaults.max_side = 70;
  harness::for_backends(harness::parse(argc, argv, defaults), &tally, run);
  return tally.summary();
}

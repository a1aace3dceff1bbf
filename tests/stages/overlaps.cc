// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws frames in one block of memory and compares the detector's refusals with their bytes.
#include "overlaps.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "canny/frame.h"
#include "paged.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace overlaps {
namespace {

using canny::Frame;
using canny::PixelFormat;
using canny::View;
using reference::Random;

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
    const auto move = [&](std::uint8_t** data) {
      if (*data != nullptr) *data = result.data() + (*data - block);
    };
    for (std::uint8_t** data :
         {&copy.data, &copy.green.data, &copy.blue.data, &copy.chroma.u.data, &copy.chroma.v.data})
      move(data);
    return copy;
  };
  const Frame to = moved(output);
  reference::render(params, paged::to_read(input), to);
  if (params.view != View::kEdges) return result;
  for (int i = 0; i < canny::chroma_planes(to); ++i)
    for_each_byte(canny::chroma_plane(to, i), [](std::uint8_t* byte) { *byte = canny::kNeutral; });
  return result;
}

struct Counts {
  int refused = 0, accepted = 0;
};

std::string check(canny::Detector& detector, std::uint64_t seed, Counts* counts) {
  Random random(seed);
  std::vector<std::uint8_t> block(kBlockBytes);
  for (std::uint8_t& byte : block) byte = static_cast<std::uint8_t>(random.next());
  const int width = random.between(1, kMaxSide), height = random.between(1, kMaxSide);
  const auto any_format = [&] { return kFormats[random.between(0, std::size(kFormats) - 1)]; };
  const PixelFormat format = any_format();
  const bool shows_input = !reference::is_deep(format) && random.between(0, 2) == 0;
  const bool has_chroma = random.between(0, 2) == 0;
  const int pitch = random.between(3 * kMaxSide, 6 * kMaxSide);
  const Frame input = any_frame(block.data(), width, height, format, has_chroma, pitch, random);
  Frame output = any_frame(block.data(), width, height, shows_input ? format : any_format(),
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
  canny::Status status = detector.set_size(width, height);
  if (status.ok()) status = detector.detect(params, paged::to_read(input), output, nullptr);
  if (refused && status.code() != canny::StatusCode::kInvalidFrame)
    return "not refused: code " + std::to_string(static_cast<int>(status.code())) + " '" +
           status.message() + "'";
  if (!refused && !status.ok()) return status.message();
  return harness::difference(expected, block, 50);
}

}  // namespace

void test(canny::Backend backend, canny::Detector& detector, const harness::Options& options,
          harness::Tally* tally) {
  Counts counts;
  for (std::uint64_t seed = 0; seed < options.cases; seed += options.step)
    tally->count(backend, "frames in one block, number " + std::to_string(seed),
                 check(detector, seed, &counts));
  const std::uint64_t cases = (options.cases + options.step - 1) / options.step;
  if (cases < 100) return;
  // Both kinds are among them.
  tally->count(backend, "frames in one block",
               counts.refused > 10 && counts.accepted > 10
                   ? ""
                   : std::to_string(counts.refused) + " refused, " +
                         std::to_string(counts.accepted) + " accepted");
}

}  // namespace overlaps

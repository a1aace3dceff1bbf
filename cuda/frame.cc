// SPDX-License-Identifier: LGPL-2.1-or-later
// The table of pixel layouts, and the checks of a frame.
#include "frame.h"

#include <cstdlib>

namespace canny {
namespace {

// In the order of PixelFormat.
constexpr PixelLayout kLayouts[] = {
    {1, 0, 0, 0},                   // kGray8
    {3, 0, 1, 2},                   // kRgb
    {3, 2, 1, 0},                   // kBgr
    {4, 0, 1, 2, 3, 255},           // kRgbx
    {4, 2, 1, 0, 3, 255},           // kBgrx
    {4, 1, 2, 3, 0, 255},           // kXrgb
    {4, 3, 2, 1, 0, 255},           // kXbgr
    {2, 0, 0, 0, 1, 128, 0},        // kYuy2
    {2, 0, 0, 0, 0, 128, 8},        // kUyvy
    {2, 0, 0, 0, -1, 0, 2, false},  // kGray10Le
    {2, 0, 0, 0, -1, 0, 8, false},  // kGray16Le
    {2, 0, 0, 0, -1, 0, 0, false},  // kGray16Be
};
constexpr int kFormats = sizeof(kLayouts) / sizeof(kLayouts[0]);

bool is_known(PixelFormat format) {
  return static_cast<int>(format) >= 0 && static_cast<int>(format) < kFormats;
}

// What CUDA's copies accept, and far from overflow when multiplied by a height.
constexpr std::ptrdiff_t kMaxStrideBytes = (std::ptrdiff_t{1} << 31) - 1;

Status invalid(const char* which, const std::string& rule) {
  return {StatusCode::kInvalidFrame, std::string(which) + " frame: " + rule};
}

template <class Byte>
Status check_frame(const char* which, const BasicFrame<Byte>& frame, int width, int height) {
  if (!is_known(frame.format)) return invalid(which, "unknown pixel format");
  if (frame.memory != Memory::kHost && frame.memory != Memory::kDevice)
    return invalid(which, "unknown memory");
  if (frame.data == nullptr) return invalid(which, "data is null");
  if (frame.width != width || frame.height != height) {
    return invalid(which, "size " + std::to_string(frame.width) + "x" +
                              std::to_string(frame.height) + " is not the detector's " +
                              std::to_string(width) + "x" + std::to_string(height));
  }
  if (frame.stride_bytes > kMaxStrideBytes || frame.stride_bytes < -kMaxStrideBytes) {
    return invalid(which, "stride_bytes " + std::to_string(frame.stride_bytes) + " is beyond +-" +
                              std::to_string(kMaxStrideBytes));
  }
  if (std::abs(frame.stride_bytes) < row_bytes(frame)) {
    return invalid(which, "stride_bytes " + std::to_string(frame.stride_bytes) +
                              " is shorter than a row of " + std::to_string(row_bytes(frame)) +
                              " bytes");
  }
  return {};
}

// Rows may interleave (two fields of one buffer), so only rows of equal pitch that lie in
// disjoint columns are told apart; all else that overlaps as a whole is refused.
bool overlap(const ConstFrame& input, const Frame& output) {
  const std::ptrdiff_t pitch = std::abs(input.stride_bytes);
  const auto in = reinterpret_cast<std::uintptr_t>(lowest_row(input));
  const auto out = reinterpret_cast<std::uintptr_t>(lowest_row(output));
  const auto extent = [](const auto& frame) -> std::uintptr_t {
    return std::abs(frame.stride_bytes) * (frame.height - 1) + row_bytes(frame);
  };
  if (in + extent(input) <= out || out + extent(output) <= in) return false;
  if (std::abs(output.stride_bytes) != pitch) return true;
  const std::uintptr_t column = (in < out ? out - in : in - out) % pitch;
  const std::uintptr_t first = in < out ? row_bytes(input) : row_bytes(output);
  const std::uintptr_t second = in < out ? row_bytes(output) : row_bytes(input);
  return column < first || column + second > static_cast<std::uintptr_t>(pitch);
}

}  // namespace

const PixelLayout& layout(PixelFormat format) { return kLayouts[static_cast<int>(format)]; }

int bytes_per_pixel(PixelFormat format) noexcept {
  return is_known(format) ? layout(format).bytes : 0;
}

Status check_size(int width, int height) {
  if (width >= 1 && width <= kMaxSide && height >= 1 && height <= kMaxSide) return {};
  return {StatusCode::kInvalidSize, "size " + std::to_string(width) + "x" + std::to_string(height) +
                                        " is outside 1x1.." + std::to_string(kMaxSide) + "x" +
                                        std::to_string(kMaxSide)};
}

Status check_frame(const Frame& frame) {
  return check_frame("filled", frame, frame.width, frame.height);
}

Status check_frames(const ConstFrame& input, const Frame& output, int width, int height) {
  if (Status s = check_frame("input", input, width, height); !s.ok()) return s;
  if (Status s = check_frame("output", output, width, height); !s.ok()) return s;
  if (!layout(output.format).is_output)
    return invalid("output", "the pixel format is for input only");
  if (overlap(input, output)) return invalid("output", "overlaps the input frame");
  return {};
}

}  // namespace canny

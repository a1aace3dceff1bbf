// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns a row of pixels of a deep format into rows of samples. The compiler vectorizes these loops.

// Included once for each instruction set.
#if defined(CANNY_CPU_DEEP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CANNY_CPU_DEEP_INL_H_
#undef CANNY_CPU_DEEP_INL_H_
#else
#define CANNY_CPU_DEEP_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "canny/constants.h"
#include "canny/floats.h"
#include "canny/frame.h"
#include "cpu/front/front.h"

HWY_BEFORE_NAMESPACE();
namespace canny::cpu::HWY_NAMESPACE {
namespace {

constexpr int kSampleBits = 16;

template <class Number>
HWY_INLINE Number load_number(const std::uint8_t* bytes) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  Number number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// Reads the sample from bit `lowest` on of pixels that are numbers.
template <class Number>
void read_numbers(const std::uint8_t* pixels, int width, int lowest, int bits, std::uint16_t* out) {
  const int left = kSampleBits - bits;
  for (int x = 0; x < width; ++x) {
    const Number number = load_number<Number>(pixels + x * sizeof(Number));
    out[x] = static_cast<std::uint16_t>(static_cast<std::uint16_t>(number >> lowest) << left);
  }
}

void read_big_endian(const std::uint8_t* pixels, int width, std::uint16_t* out) {
  for (int x = 0; x < width; ++x) {
    const auto number = load_number<std::uint16_t>(pixels + 2 * x);
    out[x] = static_cast<std::uint16_t>(number << 8 | number >> 8);
  }
}

void read_v210(const std::uint8_t* pixels, int width, std::uint16_t* out) {
  constexpr int kWordBits = 32, kLeft = kSampleBits - 10;
  for (int x = 0; x < width; x += kV210Pixels, pixels += kV210Bytes) {
    const int count = std::min(kV210Pixels, width - x);
    for (int i = 0; i < count; ++i) {
      const int lowest = kV210Luma[i];
      const auto word = load_number<std::uint32_t>(pixels + lowest / kWordBits * 4);
      out[x + i] = static_cast<std::uint16_t>(word >> lowest % kWordBits << kLeft);
    }
  }
}

// Reads the sample of each pixel whose lowest bit is `lowest`.
void read_samples(const PixelLayout& pixel, const std::uint8_t* pixels, int width, int lowest,
                  std::uint16_t* out) {
  if (pixel.group > 1) return read_v210(pixels, width, out);
  if (pixel.is_big_endian) return read_big_endian(pixels, width, out);
  const auto read = pixel.bytes == 2   ? read_numbers<std::uint16_t>
                    : pixel.bytes == 4 ? read_numbers<std::uint32_t>
                                       : read_numbers<std::uint64_t>;
  read(pixels, width, lowest, pixel.bits, out);
}

// Reads floats, `step` bytes from one to the next, as numbers up to `largest`.
template <SampleType kType, class Bits>
void read_floats(const std::uint8_t* samples, int width, int step, float largest,
                 std::uint16_t* out) {
  for (int x = 0; x < width; ++x) {
    const std::uint32_t bits = load_number<Bits>(samples + x * step);
    out[x] = static_cast<std::uint16_t>(number_of_sample<kType>(bits, largest));
  }
}

// Reads color i of row y of floats.
void read_floats(const PixelLayout& pixel, const ConstFrame& input, int i, int y, float largest,
                 std::uint16_t* out) {
  const ConstFrame rows = pixel.planes > 1 ? plane(input, i) : input;
  const int first = pixel.planes > 1 ? 0 : i * pixel.sample_bytes();
  const auto read =
      pixel.type == SampleType::kFloat32   ? read_floats<SampleType::kFloat32, std::uint32_t>
      : pixel.type == SampleType::kFloat16 ? read_floats<SampleType::kFloat16, std::uint16_t>
                                           : read_floats<SampleType::kBfloat16, std::uint16_t>;
  read(rows.data + y * rows.stride_bytes + first, input.width, pixel.bytes, largest, out);
}

// Replaces red by luma. Sums of 16-bit colors fit 32 bits.
void weigh(int width, std::uint16_t* red, const std::uint16_t* green, const std::uint16_t* blue) {
  for (int x = 0; x < width; ++x) {
    const std::uint32_t sum = std::uint32_t{kLumaRed} * red[x] +
                              std::uint32_t{kLumaGreen} * green[x] +
                              std::uint32_t{kLumaBlue} * blue[x] + kLumaHalf;
    red[x] = static_cast<std::uint16_t>(sum >> kLumaShift);
  }
}

// Converts row y to samples of 16 bits, or of their highest 8 bits alone; floats to those of 8
// bits.
template <class Rows>
void convert_deep_row(const Rows& rows, const ConstFrame& input, int channels, int y,
                      bool keeps_all) {
  const PixelLayout& pixel = layout(input.format);
  const std::uint8_t* pixels = input.data + y * input.stride_bytes;
  const int width = input.width, lowest[] = {pixel.r, pixel.g, pixel.b};
  const int samples = has_colors(input.format) ? 3 : 1;
  for (int i = 0; i < samples; ++i) {
    std::uint16_t* row = rows.channels[i].samples;
    if (pixel.has_floats()) {
      read_floats(pixel, input, i, y, keeps_all ? kLargestWord : kLargestByte, row);
      continue;
    }
    read_samples(pixel, pixels, width, lowest[i], row);
    for (int x = 0; x < width && !keeps_all; ++x) row[x] = row[x] >> 8;
  }
  if (samples > channels)
    weigh(width, rows.channels[0].samples, rows.channels[1].samples, rows.channels[2].samples);
}

// Half of the range of samples. Without it they are signed, as multiplications of pairs need them.
constexpr std::uint16_t kHalfSample = 0x8000;

void subtract_half(std::uint16_t* row, int width) {
  for (int x = 0; x < width; ++x) row[x] ^= kHalfSample;
}

}  // namespace
}  // namespace canny::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// SPDX-License-Identifier: LGPL-2.1-or-later
// Options, guarded frames, counts and dumps of the stage programs.
#include "harness.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <numeric>
#include <sstream>

#include "reference/pixel_formats.h"
#include "reference/random.h"
#include "reference/reference.h"

namespace harness {
namespace {

constexpr int kGuardBytes = 64;

bool is_set_to(const char* variable, const char* value) {
  const char* set = std::getenv(variable);
  return set != nullptr && std::strcmp(set, value) == 0;
}

// Devices without other kernels run older ones anyway.
const char* cuda_kernels() {
  for (const char* older : {"generic", "portable", "8.0"})
    if (is_set_to("CANNY_CUDA_KERNELS", older)) return older;
  return "the fastest for the device";
}

// Blocks of 2^shift pixels that cover these.
int blocks(int pixels, int shift) { return (pixels + (1 << shift) - 1) >> shift; }

[[noreturn]] void usage(const char* program, const char* argument) {
  std::fprintf(stderr,
               "%s: %s?\nusage: %s [--backend cpu|cuda|opencl|all] [--cases N] [--max-side PIXELS] "
               "[--step N] [--seed N] [--held-streams yes|no] [--threads yes|no]\n",
               program, argument, program);
  std::exit(2);
}

template <class To, class From>
canny::BasicFrame<To> converted(const canny::BasicFrame<From>& frame) {
  const auto rows = [](const canny::BasicPlane<From>& plane) {
    return canny::BasicPlane<To>{const_cast<To*>(plane.data), plane.stride_bytes};
  };
  canny::BasicFrame<To> result;
  result.data = const_cast<To*>(frame.data);
  result.stride_bytes = frame.stride_bytes;
  result.width = frame.width;
  result.height = frame.height;
  result.format = frame.format;
  result.memory = frame.memory;
  result.green = rows(frame.green);
  result.blue = rows(frame.blue);
  const auto& chroma = frame.chroma;
  result.chroma = {rows(chroma.u), rows(chroma.v), chroma.step_bytes, chroma.shift_x,
                   chroma.shift_y};
  result.region = frame.region;
  return result;
}

}  // namespace

Options parse(int argc, char** argv, const Options& defaults) {
  Options options = defaults;
  for (int i = 1; i < argc; i += 2) {
    const std::string key = argv[i];
    if (i + 1 == argc) usage(argv[0], argv[i]);
    const std::string value = argv[i + 1];
    const bool is_all = value == "all";
    if (key == "--backend" && (is_all || value == "cpu" || value == "cuda" || value == "opencl")) {
      options.cpu = is_all || value == "cpu";
      options.cuda = is_all || value == "cuda";
      options.opencl = is_all || value == "opencl";
    } else if (key == "--held-streams" && (value == "yes" || value == "no")) {
      options.held_streams = value == "yes";
    } else if (key == "--threads" && (value == "yes" || value == "no")) {
      options.threads = value == "yes";
    } else if (key == "--cases") {
      options.cases = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "--step") {
      options.step = std::max(1ull, std::strtoull(value.c_str(), nullptr, 10));
    } else if (key == "--max-side") {
      options.max_side = std::atoi(value.c_str());
    } else if (key == "--seed") {
      options.one_case = true;
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else {
      usage(argv[0], argv[i]);
    }
  }
  const char* factor = std::getenv("CANNY_TEST_STEP");
  if (factor != nullptr) options.step *= std::max(1ull, std::strtoull(factor, nullptr, 10));
  return options;
}

std::vector<canny::Backend> Options::backends() const {
  std::vector<canny::Backend> chosen;
  if (cpu) chosen.push_back(canny::Backend::kCpu);
  if (cuda) chosen.push_back(canny::Backend::kCuda);
  if (opencl) chosen.push_back(canny::Backend::kOpenCl);
  return chosen;
}

canny::Options detector_options(canny::Backend backend, unsigned threads) {
  canny::Options options;
  options.backend = backend;
  options.threads = threads;
  if (backend != canny::Backend::kOpenCl) return options;
  // Which frames are copied shall not depend on their addresses, unless the caller asks for that.
  setenv("CANNY_OPENCL_MEMORY", "copied", 0);
  const char* name = std::getenv("CANNY_TEST_OPENCL_DEVICE");
  options.opencl_device = name != nullptr ? name : "0";
  return options;
}

canny::ConstFrame to_read(const canny::Frame& frame) {
  return converted<const std::uint8_t>(frame);
}

canny::Frame to_write(const canny::ConstFrame& frame) { return converted<std::uint8_t>(frame); }

GuardedFrame::GuardedFrame(int width, int height, canny::PixelFormat format, int offset, int gap,
                           bool bottom_up, const Chroma& chroma)
    : width_(width), height_(height), format_(format), chroma_(chroma) {
  const int row_bytes = canny::row_bytes(format, width);
  for (int i = 0; i < canny::planes(format); ++i) planes_.push_back({0, 0, row_bytes, height});
  const int samples = blocks(width, chroma.shift_x), rows = blocks(height, chroma.shift_y);
  const int chroma_planes = chroma.step_bytes == 0 ? 0 : 2 / chroma.step_bytes;
  for (int i = 0; i < chroma_planes; ++i)
    planes_.push_back({0, 0, samples * chroma.step_bytes, rows});
  std::size_t lowest = kGuardBytes + offset;
  for (int i = static_cast<int>(planes_.size()) - 1; i >= 0; --i) {
    Plane& plane = planes_[i];
    const std::ptrdiff_t pitch = plane.row_bytes + gap + i * (gap % 3);
    plane.top = bottom_up ? lowest + pitch * (plane.rows - 1) : lowest;
    plane.stride = bottom_up ? -pitch : pitch;
    // The next plane has the same alignment as this one, unless the gap is odd.
    lowest += (pitch * plane.rows + kGuardBytes) / kGuardBytes * kGuardBytes + gap % 2;
  }
  block_.resize(lowest + kGuardBytes);
  for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = guard(i);
}

canny::Frame GuardedFrame::frame(std::uint8_t* block, canny::Memory memory) const {
  canny::Frame frame = {
      block + planes_[0].top, planes_[0].stride, width_, height_, format_, memory};
  const auto rows = [&](std::size_t i) {
    return canny::BasicPlane<std::uint8_t>{block + planes_[i].top, planes_[i].stride};
  };
  if (canny::planes(format_) > 1) {
    frame.green = rows(1);
    frame.blue = rows(2);
  } else if (chroma_.step_bytes == 1) {
    frame.chroma = {rows(1), rows(2), 1, chroma_.shift_x, chroma_.shift_y};
  } else if (chroma_.step_bytes == 2) {
    const auto first = rows(1);
    const canny::BasicPlane<std::uint8_t> second = {first.data + 1, first.stride_bytes};
    // Which of U and V comes first depends on the size.
    const bool u_is_first = width_ % 2 == 0;
    frame.chroma = {u_is_first ? first : second, u_is_first ? second : first, 2, chroma_.shift_x,
                    chroma_.shift_y};
  }
  return frame;
}

canny::ConstFrame GuardedFrame::const_frame(const std::uint8_t* block, canny::Memory memory) const {
  canny::ConstFrame result = to_read(frame(const_cast<std::uint8_t*>(block), memory));
  if (region_ != nullptr) result.region = &region_->region;
  return result;
}

void GuardedFrame::paint_pixel(int value, int x, int y, reference::Random& random) {
  const int bytes = canny::bytes_per_pixel(format_);
  const auto near_value = [&] { return std::clamp(value + random.between(-8, 8), 0, 255); };
  for (int i = 0; i < canny::planes(format_); ++i) {
    const Plane& plane = planes_[i];
    std::uint8_t* pixel = block_.data() + plane.top + y * plane.stride + x * bytes;
    if (const auto colors = reference::color_bits(format_)) {
      const int green = colors->bits[1];  // where red and blue have 5
      const int unused = green == 5 ? random.between(0, 1) << 15 : 0;
      const int word = unused | near_value() >> 3 << (5 + green) |
                       near_value() >> (8 - green) << 5 | near_value() >> 3;
      pixel[0] = static_cast<std::uint8_t>(word);
      pixel[1] = static_cast<std::uint8_t>(word >> 8);
      continue;
    }
    const bool is_exact = bytes == 1 && canny::planes(format_) == 1;
    for (int byte = 0; byte < bytes; ++byte)
      pixel[byte] = static_cast<std::uint8_t>(is_exact ? value : near_value());
  }
}

// The samples of a pixel of a deep format that count: the number of their bits, and the place of
// their lowest bits in the row, as a little-endian number.
struct DeepSamples {
  int bits;
  std::vector<int> lowest;
};

static DeepSamples deep_samples(canny::PixelFormat format, int x) {
  constexpr int kGroup[] = {10, 32, 52, 74, 96, 116};
  switch (format) {
    case canny::PixelFormat::kGray10Le:
      return {10, {16 * x}};
    case canny::PixelFormat::kGray12Le:
      return {12, {16 * x}};
    case canny::PixelFormat::kY210Le:
      return {16, {32 * x}};
    case canny::PixelFormat::kY410Le:
      return {10, {32 * x + 10}};
    case canny::PixelFormat::kV210:
      return {10, {x / 6 * 128 + kGroup[x % 6]}};
    case canny::PixelFormat::kRgb10a2Le:
    case canny::PixelFormat::kBgr10a2Le:
      return {10, {32 * x, 32 * x + 10, 32 * x + 20}};
    case canny::PixelFormat::kRgbx64Le:
      return {16, {64 * x, 64 * x + 16, 64 * x + 32}};
    case canny::PixelFormat::kXrgb64Le:
      return {16, {64 * x + 16, 64 * x + 32, 64 * x + 48}};
    default:
      return {16, {16 * x}};
  }
}

// All other bits are random.
void GuardedFrame::paint_deep(const std::vector<std::uint8_t>& gray, bool has_low_bits,
                              reference::Random& random) {
  const Plane& plane = planes_[0];
  for (int y = 0; y < height_; ++y) {
    std::uint8_t* row = block_.data() + plane.top + y * plane.stride;
    for (int i = 0; i < plane.row_bytes; ++i)
      row[i] = static_cast<std::uint8_t>(random.between(0, 255));
    for (int x = 0; x < width_; ++x) {
      const DeepSamples samples = deep_samples(format_, x);
      const int value = gray[static_cast<std::size_t>(y) * width_ + x];
      for (const int lowest : samples.lowest) {
        const int shown =
            samples.lowest.size() == 1 ? value : std::clamp(value + random.between(-8, 8), 0, 255);
        const int low_bits = has_low_bits ? random.between(0, 255) : 0;
        const int sample = (256 * shown + low_bits) >> (16 - samples.bits);
        for (int bit = 0; bit < samples.bits; ++bit) {
          const int place = lowest + bit;
          row[place / 8] &= static_cast<std::uint8_t>(~(1 << place % 8));
          row[place / 8] |= static_cast<std::uint8_t>((sample >> bit & 1) << place % 8);
        }
      }
      if (format_ == canny::PixelFormat::kGray16Be) std::swap(row[2 * x], row[2 * x + 1]);
    }
  }
}

void GuardedFrame::paint_floats(const std::vector<std::uint8_t>& gray, bool has_low_bits,
                                reference::Random& random) {
  const reference::Floats at = *reference::floats(format_);
  const canny::Frame to = frame();
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_; ++x) {
      const int value = gray[static_cast<std::size_t>(y) * width_ + x];
      for (int color = 0; color < at.colors; ++color) {
        const int shown =
            at.colors == 1 ? value : std::clamp(value + random.between(-8, 8), 0, 255);
        std::uint8_t* sample = reference::float_sample(to, x, y, color);
        const double low_bits = has_low_bits ? random.between(0, 255) / 257.0 : 0;
        reference::store_float(at, std::min((shown + low_bits) / 255, 1.0), sample);
        if (!has_low_bits || random.between(0, 63) > 0) continue;
        for (int i = 0; i < at.bytes(); ++i)
          sample[i] = static_cast<std::uint8_t>(random.between(0, 255));
      }
    }
  }
}

void GuardedFrame::paint(const std::vector<std::uint8_t>& gray, std::uint64_t seed) {
  reference::Random random(seed);
  if (reference::floats(format_)) return paint_floats(gray, seed % 2 == 1, random);
  if (reference::is_deep(format_)) return paint_deep(gray, seed % 2 == 1, random);
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x)
      paint_pixel(gray[static_cast<std::size_t>(y) * width_ + x], x, y, random);
  for (std::size_t i = canny::planes(format_); i < planes_.size(); ++i) {
    const Plane& plane = planes_[i];
    for (int y = 0; y < plane.rows; ++y)
      for (int x = 0; x < plane.row_bytes; ++x)
        block_[plane.top + y * plane.stride + x] =
            static_cast<std::uint8_t>(random.between(0, 255));
  }
}

void GuardedFrame::set_bytes(const std::uint8_t* bytes, std::size_t count) {
  std::size_t next = 0;
  for (const Plane& plane : planes_)
    for (int y = 0; y < plane.rows; ++y)
      for (int i = 0; i < plane.row_bytes; ++i)
        block_[plane.top + y * plane.stride + i] = count == 0 ? 0 : bytes[next++ % count];
}

std::vector<GuardedFrame::Gap> GuardedFrame::gaps() const {
  std::vector<bool> inside(block_.size());
  for (const Plane& plane : planes_)
    for (int y = 0; y < plane.rows; ++y)
      std::fill_n(inside.begin() + static_cast<std::ptrdiff_t>(plane.top + y * plane.stride),
                  plane.row_bytes, true);
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i]) continue;
    if (i == 0 || inside[i - 1]) gaps.push_back({i, i});
    gaps.back().end = i + 1;
  }
  return gaps;
}

bool GuardedFrame::intact() const {
  for (const Gap& gap : gaps())
    for (std::size_t i = gap.begin; i < gap.end; ++i)
      if (block_[i] != guard(i)) return false;
  return true;
}

void Tally::fail(canny::Backend backend, const std::string& message) {
  ++failed_[static_cast<int>(backend)];
  std::printf("FAILED on %s: %s\n", canny::name(backend), message.c_str());
}

void Tally::skip(canny::Backend backend, const std::string& reason) {
  ++skipped_[static_cast<int>(backend)];
  std::printf("SKIPPED: everything on %s: %s\n", canny::name(backend), reason.c_str());
}

void Tally::count(bool is_right, const std::string& what) {
  is_right ? count(canny::Backend::kCpu, what, "") : fail(canny::Backend::kCpu, what);
}

void Tally::count(canny::Backend backend, const std::string& what, const std::string& failure) {
  if (!failure.empty()) return fail(backend, what + "\n  " + failure);
  ++passed_[static_cast<int>(backend)];
}

void Tally::expect(canny::Backend backend, const std::string& what, const canny::Status& status,
                   canny::StatusCode code, const std::string& part_of_message) {
  const bool has_part = status.message().find(part_of_message) != std::string::npos;
  const bool is_expected =
      status.code() == code && has_part && status.ok() == status.message().empty();
  count(backend, what,
        is_expected ? ""
                    : "code " + std::to_string(static_cast<int>(status.code())) + " instead of " +
                          std::to_string(static_cast<int>(code)) + ", message '" +
                          status.message() + "' instead of one with '" + part_of_message + "'");
}

int Tally::summary() const {
  using canny::Backend;
  const auto sum = [](const int(&counts)[kBackends]) {
    return std::accumulate(std::begin(counts), std::end(counts), 0);
  };
  const int failed = sum(failed_), passed = sum(passed_), on_opencl = cases(Backend::kOpenCl);
  if (cases(Backend::kCuda) > 0) std::printf("cuda kernels: %s\n", cuda_kernels());
  if (on_opencl > 0) std::printf("opencl: %d cases\n", on_opencl);
  std::printf("cpu: %d cases, cuda: %d cases\n", cases(Backend::kCpu), cases(Backend::kCuda));
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, sum(skipped_));
  const auto is_missing = [&](const char* required, Backend backend) {
    return is_set_to(required, "1") && skipped_[static_cast<int>(backend)] > 0;
  };
  if (is_missing("CANNY_REQUIRE_CUDA", Backend::kCuda) ||
      is_missing("CANNY_REQUIRE_OPENCL", Backend::kOpenCl))
    return 1;
  constexpr int kSkipped = 77;  // for Meson
  const bool has_run = passed + failed > 0;
  if (!has_run && skipped_[static_cast<int>(Backend::kOpenCl)] > 0) return kSkipped;
  return failed > 0 || !has_run;
}

std::string difference(const std::vector<std::uint8_t>& expected,
                       const std::vector<std::uint8_t>& actual, int width) {
  if (expected.size() != actual.size()) return "the sizes differ";
  const auto first = std::mismatch(expected.begin(), expected.end(), actual.begin()).first;
  if (first == expected.end()) return "";
  const int at = static_cast<int>(first - expected.begin());
  const int x = at % width, y = at / width;
  const int height = static_cast<int>(expected.size()) / width;
  std::ostringstream text;
  text << "first difference at sample " << x << " of row " << y << "; expected | actual:\n";
  for (int row = std::max(0, y - 3); row < std::min(height, y + 4); ++row) {
    for (const auto* image : {&expected, &actual}) {
      for (int column = std::max(0, x - 6); column < std::min(width, x + 7); ++column) {
        char sample[8];
        std::snprintf(sample, sizeof sample, "%4d",
                      (*image)[static_cast<std::size_t>(row) * width + column]);
        text << sample;
      }
      text << (image == &expected ? "  |" : "\n");
    }
  }
  return text.str();
}

std::vector<std::uint8_t> pixels(const canny::ConstFrame& frame) {
  std::vector<std::uint8_t> result;
  const auto add = [&](const canny::BasicPlane<const std::uint8_t>& plane, int row_bytes,
                       int height) {
    for (int y = 0; y < height; ++y) {
      const std::uint8_t* row = plane.data + y * plane.stride_bytes;
      result.insert(result.end(), row, row + row_bytes);
    }
  };
  const canny::BasicPlane<const std::uint8_t> planes[] = {
      {frame.data, frame.stride_bytes}, frame.green, frame.blue};
  for (int i = 0; i < canny::planes(frame.format); ++i)
    add(planes[i], canny::row_bytes(frame.format, frame.width), frame.height);
  const auto& chroma = frame.chroma;
  if (chroma.u.data == nullptr) return result;
  const int samples = blocks(frame.width, chroma.shift_x);
  const int rows = blocks(frame.height, chroma.shift_y);
  if (chroma.step_bytes == 2) {
    add(chroma.u.data < chroma.v.data ? chroma.u : chroma.v, 2 * samples, rows);
  } else {
    add(chroma.u, samples, rows);
    add(chroma.v, samples, rows);
  }
  return result;
}

std::string bytes_of(const canny::Contours& contours, const canny::Components& components) {
  std::string bytes;
  const auto add = [&](const auto* first, std::size_t count) {
    if (count > 0) bytes.append(reinterpret_cast<const char*>(first), count * sizeof *first);
  };
  add(contours.points(), contours.point_count());
  add(contours.ends(), contours.size());
  add(components.data(), components.size());
  return bytes;
}

}  // namespace harness

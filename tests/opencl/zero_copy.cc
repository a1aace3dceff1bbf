// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that an OpenCL device reads and writes in the host's memory, which have the edges of the
// CPU, and those that it has to copy.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "canny/canny.h"
#include "canny/frame.h"
#include "opencl/device.h"
#include "opencl/shared_memory.h"
#include "reference/random.h"
#include "stages/harness.h"

namespace {

using canny::Backend;
using canny::Detector;
using canny::PixelFormat;

constexpr std::size_t kAlignment = canny::opencl::kSharedAlignment;
constexpr unsigned kInFlight = 3;

harness::Tally tally;

/// Random bytes, from a multiple of kAlignment on: areas with edges, some of which are strong.
class Memory {
 public:
  static constexpr std::size_t kBytes = 1 << 18;

  explicit Memory(std::uint64_t seed) : block_(kBytes + kAlignment) {
    reference::Random random(seed);
    int value = 0;
    for (std::size_t i = 0; i < kBytes; ++i) {
      if (random.between(0, 4) == 0) value = random.between(0, 255);
      data()[i] = static_cast<std::uint8_t>(value);
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::uint8_t* data() {
    const auto address = reinterpret_cast<std::uintptr_t>(block_.data());
    return block_.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  bool equals(Memory& other) { return std::memcmp(data(), other.data(), kBytes) == 0; }

 private:
  std::vector<std::uint8_t> block_;
};

/// How a frame lies in its memory.
struct Layout {
  PixelFormat format = PixelFormat::kGray8;
  int offset = 0;  // of the first byte
  int gap = 0;     // between rows
  bool bottom_up = false;
  bool has_chroma = false;   // of half the width and height, U and V alternating
  bool is_separate = false;  // whether many bytes lie between planes
};

template <class Byte>
canny::BasicFrame<Byte> frame_in(Byte* data, int width, int height, const Layout& layout) {
  const std::ptrdiff_t pitch = canny::row_bytes(layout.format, width) + layout.gap;
  const std::ptrdiff_t plane = pitch * height + (layout.is_separate ? 8192 : 0);
  const auto top_of = [&](int i) {
    Byte* const lowest = data + layout.offset + i * plane;
    return layout.bottom_up ? lowest + pitch * (height - 1) : lowest;
  };
  const std::ptrdiff_t stride = layout.bottom_up ? -pitch : pitch;
  canny::BasicFrame<Byte> frame = {top_of(0), stride, width, height, layout.format};
  if (canny::planes(layout.format) == 3) {
    frame.green = {top_of(1), stride};
    frame.blue = {top_of(2), stride};
  }
  if (layout.has_chroma) {
    Byte* const chroma = data + layout.offset + plane;
    frame.chroma = {{chroma, pitch}, {chroma + 1, pitch}, 2, 1, 1};
  }
  return frame;
}

struct Case {
  std::string what;
  int width, height;
  Layout input, output;
  bool is_input_shared, is_output_shared;
  canny::View view = canny::View::kEdges;
};

Detector make_detector(Backend backend, const Case& c) {
  Detector detector;
  canny::Status status = Detector::create(harness::detector_options(backend), &detector);
  if (status.ok()) status = detector.set_size(c.width, c.height, kInFlight);
  if (!status.ok()) tally.count(backend, c.what, status.message());
  return detector;
}

// A frame with memory of its own.
struct InFlight {
  InFlight(const Case& c, std::uint64_t seed)
      : input(seed), before(seed), output(seed + 1), expected(seed + 1) {
    params.view = c.view;
    params.sigma = 0.8;
    params.high_threshold = 200;
  }

  canny::Params params;
  Memory input, before, output, expected;
};

std::string submit(Detector& detector, const Case& c, InFlight* frame, Memory* output) {
  return detector
      .submit(frame->params,
              frame_in<const std::uint8_t>(frame->input.data(), c.width, c.height, c.input),
              frame_in(output->data(), c.width, c.height, c.output))
      .message();
}

std::string check_copies(const Case& c, const canny::Result& result) {
  if ((result.uploaded_bytes == 0) != c.is_input_shared)
    return std::to_string(result.uploaded_bytes) + " bytes uploaded";
  if ((result.downloaded_bytes == 0) != c.is_output_shared)
    return std::to_string(result.downloaded_bytes) + " bytes downloaded";
  return "";
}

// The CPU's output is equal up to its last byte, what is between the rows included.
std::string check(Detector& detector, Detector& cpu, const Case& c, InFlight* frame,
                  Memory* output) {
  canny::Result result, of_cpu;
  if (const canny::Status status = detector.wait(&result); !status.ok()) return status.message();
  std::string wrong = submit(cpu, c, frame, &frame->expected);
  if (!wrong.empty()) return wrong;
  if (const canny::Status status = cpu.wait(&of_cpu); !status.ok()) return status.message();
  if (of_cpu.edge_pixels == 0) return "no edges to compare";
  if (result.edge_pixels != of_cpu.edge_pixels) return "other edges than on the CPU";
  if (!output->equals(frame->expected)) return "other bytes than on the CPU";
  if (!frame->input.equals(frame->before)) return "changed the input";
  return check_copies(c, result);
}

void test_case(const Case& c) {
  Detector detector = make_detector(Backend::kOpenCl, c), cpu = make_detector(Backend::kCpu, c);
  std::vector<std::unique_ptr<InFlight>> frames;
  for (std::uint64_t i = 0; i < 2 * kInFlight; ++i)
    frames.push_back(std::make_unique<InFlight>(c, 10 * i));
  std::string wrong;
  const auto note = [&](const std::string& what) {
    if (wrong.empty()) wrong = what;
  };
  for (std::size_t i = 0; i < frames.size() + kInFlight; ++i) {
    if (i >= kInFlight) {
      InFlight* const frame = frames[i - kInFlight].get();
      note(check(detector, cpu, c, frame, &frame->output));
    }
    if (i < frames.size()) note(submit(detector, c, frames[i].get(), &frames[i]->output));
  }
  tally.count(Backend::kOpenCl, c.what, wrong);
}

// Two frames in flight with one input: the second one is copied, as are those of another detector.
// Afterwards the memory can be shared again.
void test_same_input() {
  const Case c = {"the same input twice", 64, 64, {}, {}, true, true};
  Case copied = c;
  copied.is_input_shared = false;
  InFlight frame(c, 1);
  Memory second_output(2), third_output(2);
  Detector detector = make_detector(Backend::kOpenCl, c);
  Detector other = make_detector(Backend::kOpenCl, c), cpu = make_detector(Backend::kCpu, c);
  std::string wrong = submit(detector, c, &frame, &frame.output);
  wrong += submit(detector, c, &frame, &second_output);
  wrong += submit(other, c, &frame, &third_output);
  wrong += check(detector, cpu, c, &frame, &frame.output);
  wrong += check(detector, cpu, copied, &frame, &second_output);
  wrong += check(other, cpu, copied, &frame, &third_output);
  wrong += submit(other, c, &frame, &frame.output);
  wrong += check(other, cpu, c, &frame, &frame.output);
  tally.count(Backend::kOpenCl, c.what, wrong);
}

// A frame that is never waited for gives its memory back with its detector.
void test_abandoned_frame() {
  const Case c = {"a frame that nobody waits for", 64, 64, {}, {}, true, true};
  InFlight frame(c, 1);
  std::string wrong;
  {
    Detector detector = make_detector(Backend::kOpenCl, c);
    wrong = submit(detector, c, &frame, &frame.output);
  }
  Detector detector = make_detector(Backend::kOpenCl, c), cpu = make_detector(Backend::kCpu, c);
  wrong += submit(detector, c, &frame, &frame.output);
  wrong += check(detector, cpu, c, &frame, &frame.output);
  tally.count(Backend::kOpenCl, c.what, wrong);
}

std::vector<Case> all_cases() {
  const Layout gray, rgb = {PixelFormat::kRgb}, rgbx = {PixelFormat::kRgbx};
  Layout planes = {PixelFormat::kRgbPlanes}, separate = planes, bottom_up = rgb, gaps = rgb;
  Layout odd = rgb, beside_page = gray, gray_gaps = gray, with_chroma = gray;
  separate.is_separate = bottom_up.bottom_up = with_chroma.has_chroma = true;
  gaps.gap = 64;
  gray_gaps.gap = 64;
  odd.offset = 1;
  beside_page.offset = 64;
  constexpr auto kPainted = canny::View::kOverlay;
  return {{"gray", 64, 48, gray, gray, true, true},
          {"one unit of bytes", 8, 8, gray, gray, true, true},
          {"RGB", 320, 100, rgb, gray, true, true},
          {"RGBx to RGBx", 128, 33, rgbx, rgbx, true, true},
          {"painted RGB", 64, 48, rgb, rgb, true, true, kPainted},
          {"planes", 128, 64, planes, planes, true, true},
          {"painted planes", 128, 64, planes, planes, true, true, kPainted},
          {"painted chroma", 128, 64, with_chroma, with_chroma, true, true, kPainted},
          {"separate planes", 128, 64, separate, separate, false, false},
          {"upside down", 64, 48, bottom_up, bottom_up, true, true},
          {"16 bits", 128, 64, {PixelFormat::kGray16Be}, gray, true, true},
          {"gaps between rows", 64, 49, gaps, gray_gaps, true, false},
          {"a row that no unit ends", 61, 61, gray, gray, false, false},
          {"an odd address", 64, 48, odd, odd, false, false},
          {"an address within a page", 64, 48, beside_page, beside_page, false, false}};
}

// Whether the device's memory is the host's, unless the environment says otherwise.
bool shares_memory() {
  canny::opencl::Device device;
  cl_bool is_unified = CL_FALSE;
  const std::string name = harness::detector_options(Backend::kOpenCl).opencl_device;
  if (canny::opencl::find_device(name, &device).ok())
    device.library->clGetDeviceInfo(device.id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof is_unified,
                                    &is_unified, nullptr);
  return is_unified == CL_TRUE && std::getenv("CANNY_OPENCL_MEMORY") == std::string("shared");
}

}  // namespace

int main(int argc, char** argv) {
  harness::parse(argc, argv, {});
  setenv("CANNY_OPENCL_MEMORY", "shared", 0);
  Detector detector;
  const canny::Status status =
      Detector::create(harness::detector_options(Backend::kOpenCl), &detector);
  if (!status.ok()) {
    tally.skip(Backend::kOpenCl, status.message());
    return tally.summary();
  }
  const bool is_shared = shares_memory();
  tally.count(
      Backend::kOpenCl, "the alignment",
      detector.info().zero_copy_alignment == (is_shared ? kAlignment : 0) ? "" : "is another");
  for (Case c : all_cases()) {
    c.is_input_shared &= is_shared;
    c.is_output_shared &= is_shared;
    test_case(c);
  }
  if (is_shared) {
    test_same_input();
    test_abandoned_frame();
  }
  return tally.summary();
}

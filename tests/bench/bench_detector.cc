// SPDX-License-Identifier: LGPL-2.1-or-later
// Times one Detector::detect() call, wait included, on every backend at hand. A result that differs
// from the reference is not timed.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "canny.h"
#include "pictures.h"
#include "reference/reference.h"

namespace {

constexpr canny::Params kParams{50.0, 100.0, 1.4, 0, canny::Norm::kL2};

using pictures::Content;

canny::Frame gray_frame(std::uint8_t* data, int width, int height) {
  return {data, width, width, height, canny::PixelFormat::kGray8, canny::Memory::kHost};
}

// A frame in memory that suits the backend: page-locked where there is a device.
struct Buffer {
  std::vector<std::uint8_t> ordinary;
  canny::HostMemory page_locked;
  std::uint8_t* data = nullptr;

  explicit Buffer(std::size_t bytes, bool lock) {
    if (lock && canny::HostMemory::allocate(bytes, -1, &page_locked).ok()) {
      data = page_locked.data();
      return;
    }
    ordinary.resize(bytes);
    data = ordinary.data();
  }
};

void run(benchmark::State& state, canny::Backend backend, Content content, int width, int height,
         bool page_locked) {
  canny::Detector detector;
  canny::Options options;
  options.backend = backend;
  canny::Status status = canny::Detector::create(options, &detector);
  if (status.ok()) status = detector.set_size(width, height);
  if (!status.ok()) return state.SkipWithError(status.message().c_str());

  const std::vector<std::uint8_t> rgb = pictures::paint(content, width, height);
  Buffer input_bytes(rgb.size(), page_locked), output_bytes(rgb.size() / 3, page_locked);
  std::copy(rgb.begin(), rgb.end(), input_bytes.data);
  const canny::ConstFrame input{input_bytes.data,         3 * width,           width, height,
                                canny::PixelFormat::kRgb, canny::Memory::kHost};
  const canny::Frame output = gray_frame(output_bytes.data, width, height);

  canny::Result result;
  status = detector.detect(kParams, input, output, &result);
  if (!status.ok()) return state.SkipWithError(status.message().c_str());
  const auto expected = reference::detect(kParams, input);
  if (!std::equal(expected.begin(), expected.end(), output.data))
    return state.SkipWithError("the edge map differs from the reference");
  for (auto _ : state) {
    status = detector.detect(kParams, input, output, nullptr);
    if (!status.ok()) return state.SkipWithError(status.message().c_str());
  }
  state.counters["edges_percent"] = 100.0 * result.edge_pixels / (1.0 * width * height);
}

}  // namespace

int main(int argc, char** argv) {
  for (canny::Backend backend : {canny::Backend::kCuda, canny::Backend::kCpu}) {
    for (Content content : {Content::kShapes, Content::kNoise}) {
      for (const auto& [width, height] : {std::pair{1920, 1080}, {3840, 2160}}) {
        for (bool page_locked : {true, false}) {
          if (page_locked && backend == canny::Backend::kCpu) continue;
          const std::string name = std::string(canny::name(backend)) + "/" +
                                   pictures::name(content) + "/" + std::to_string(width) + "x" +
                                   std::to_string(height) +
                                   (page_locked ? "/page-locked" : "/pageable");
          benchmark::RegisterBenchmark(name.c_str(), run, backend, content, width, height,
                                       page_locked)
              ->UseRealTime()
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}

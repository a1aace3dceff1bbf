// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares components with the reference: of maps, and of frames with all settings.
#include "canny/components.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "canny/frame_components.h"
#include "cases.h"
#include "device_memory.h"
#include "frames.h"
#include "harness.h"
#include "reference/components.h"
#include "small_maps.h"

namespace {

using canny::Backend;
using canny::Component;
using canny::Components;
using canny::Detector;
using canny::Memory;
using canny::StatusCode;
using frames::Picture;
using reference::Bytes;
using List = std::vector<Component>;

harness::Tally tally;

std::string text(const Component& c) {
  return "box " + std::to_string(c.x) + "," + std::to_string(c.y) + " " + std::to_string(c.width) +
         "x" + std::to_string(c.height) + ", pixels " + std::to_string(c.pixels) + ", strong " +
         std::to_string(c.strong_pixels) + ", sums " + std::to_string(c.sum_x) + " " +
         std::to_string(c.sum_y);
}

// Returns the first difference, or "".
std::string check(const Component* actual, std::size_t count, const List& expected) {
  static_assert(std::has_unique_object_representations_v<Component>);
  for (std::size_t i = 0; i < std::min(count, expected.size()); ++i)
    if (std::memcmp(&actual[i], &expected[i], sizeof(Component)) != 0)
      return "component " + std::to_string(i) + ": " + text(actual[i]) + ", not " +
             text(expected[i]);
  if (count == expected.size()) return "";
  return std::to_string(count) + " components, not " + std::to_string(expected.size());
}

std::string check(const Components& components, const List& expected) {
  return check(components.begin(), components.size(), expected);
}

// Maps of every size. One object finds the components of all.
void test_maps(std::uint64_t step) {
  canny::ComponentFinder finder;
  canny::FrameComponents frame;
  small_maps::for_each(step, [&](std::uint64_t number, const Bytes& edges, canny::Arena* arena,
                                 reference::Random& random) {
    const Bytes strong = small_maps::scatter(60, edges.width, edges.height, random);
    small_maps::pack(edges, &frame.edges);
    small_maps::pack(strong, &frame.strong);
    frame.min_pixels = number % 3 == 0 ? 1 : static_cast<unsigned>(random.between(2, 40));
    finder.find(&frame, arena);
    tally.count(Backend::kCpu, "map " + std::to_string(number),
                check(frame.all.data(), frame.count,
                      reference::components(edges, strong, frame.min_pixels)));
  });
}

List expected_of(const canny::Params& params, const canny::ConstFrame& input, unsigned min_pixels) {
  if (!shows_edges(params.view)) return {};
  const reference::Candidates candidates = reference::front(params, input);
  return reference::components(reference::edges_of(params, candidates), candidates.strong,
                               min_pixels);
}

// Cases with all kinds of settings, regions and formats.
void test_cases(Backend backend, const harness::Options& options) {
  frames::Detectors detectors(backend);
  Components components;
  for (std::uint64_t seed = 0; seed < cases::table_size() + options.cases; seed += options.step) {
    cases::Case c = cases::make_case(seed, options.max_side);
    if (seed % 3 != 0 && !shows_edges(c.params.view)) c.params.view = canny::View::kEdges;
    c.params.measure_stages = seed % 5 == 0;
    Detector* detector = nullptr;
    canny::Status status = detectors.find(c, &detector);
    const frames::CaseFrames frames(c);
    harness::GuardedFrame output = frames.output();
    canny::Frame to = output.frame();
    to.components = &components;
    const unsigned min_pixels = seed % 2 == 0 ? 1 : static_cast<unsigned>(seed % 23);
    components.set_min_pixels(min_pixels);
    canny::Result result;
    if (status.ok()) status = detector->detect(c.params, frames.input().const_frame(), to, &result);
    std::string failure = status.message();
    if (failure.empty())
      failure = check(components, expected_of(c.params, frames.input().const_frame(), min_pixels));
    if (failure.empty() && !c.params.measure_stages) failure = frames.check(output, result);
    tally.count(backend, describe(c), failure);
  }
}

// Detects a gray picture without a blur, and only in the mask if there is one. Returns an error
// unless these are its components, or "".
std::string check_picture(Detector& detector, const Bytes& picture, const Bytes* mask,
                          Components* components) {
  canny::Params params;
  params.sigma = 0;
  params.low_threshold = params.high_threshold = 10;
  params.thin_edges = false;
  canny::Region region;
  canny::ConstFrame input = {picture.samples.data(), picture.width, picture.width, picture.height};
  if (mask != nullptr) {
    region.mask = {mask->samples.data(), mask->width};
    input.region = &region;
  }
  Bytes map(picture.width, picture.height);
  canny::Frame output = {map.samples.data(), map.width, map.width, map.height};
  output.components = components;
  canny::Status status = detector.set_size(map.width, map.height);
  if (status.ok()) status = detector.detect(params, input, output, nullptr);
  return status.ok() ? check(*components, expected_of(params, input, 1)) : status.message();
}

// Dots so far apart that each becomes a component. More than kMaxComponents, or as many.
void test_limit(Backend backend, Detector& detector) {
  constexpr int kApart = 6, kColumns = 256;
  static_assert(canny::kMaxComponents % kColumns == 0);
  constexpr int kRows = canny::kMaxComponents / kColumns;
  for (const int rows : {kRows, kRows + 1}) {
    Bytes picture(kColumns * kApart, rows * kApart);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < kColumns; ++x) picture.row(y * kApart + 2)[x * kApart + 2] = 255;
    Components components;
    std::string failure = check_picture(detector, picture, nullptr, &components);
    if (components.size() != canny::kMaxComponents) failure += " not as many as there may be";
    if (components.is_full() != (rows > kRows)) failure += " is_full() is wrong";
    tally.count(backend, std::to_string(rows) + " rows of dots", failure);
  }
}

// A mask with as many components in a tile as it can have: with neighbors, none, and above others.
void test_dense(Backend backend, Detector& detector) {
  for (const auto& [width, height] : {std::pair(32, 32), std::pair(40, 70), std::pair(130, 33)}) {
    Bytes picture(width, height), mask(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        picture.row(y)[x] = static_cast<std::uint8_t>(255 * ((x + 1) / 2 % 2));
        mask.row(y)[x] = x % 2 == 0 && y % 2 == 0;
      }
    Components components;
    std::string failure = check_picture(detector, picture, &mask, &components);
    if (components.size() != static_cast<std::size_t>((width + 1) / 2 * ((height + 1) / 2)))
      failure += " not a component in each 2x2 pixels";
    tally.count(backend, std::to_string(width) + " columns of dense dots", failure);
  }
}

// A large picture, with edges across many tiles and strips.
void test_large(Backend backend, Detector& detector) {
  for (const cases::Fill fill :
       {cases::Fill::kNoise, cases::Fill::kBlocks, cases::Fill::kSpiral, cases::Fill::kSerpentine,
        cases::Fill::kCheckerboard, cases::Fill::kSinglePixels}) {
    cases::Case c = cases::make_case(1, 100);
    c.fill = fill;
    c.params = {};
    c.params.sigma = fill == cases::Fill::kNoise ? 1 : 0;
    c.input = c.output = canny::PixelFormat::kGray8;
    c.chroma = {};
    c.region = nullptr;
    cases::set_size(1507, 1099, &c);
    for (const unsigned min_pixels : {1u, 9u}) {
      const frames::CaseFrames frames(c);
      harness::GuardedFrame output = frames.output();
      canny::Frame to = output.frame();
      Components components;
      components.set_min_pixels(min_pixels);
      to.components = &components;
      canny::Status status = detector.set_size(c.width, c.height);
      if (status.ok())
        status = detector.detect(c.params, frames.input().const_frame(), to, nullptr);
      tally.count(
          backend, std::string("large, ") + cases::name(fill),
          status.ok()
              ? check(components, expected_of(c.params, frames.input().const_frame(), min_pixels))
              : status.message());
    }
  }
}

// Several frames are in flight, every third one without components. None has any before wait().
void test_flight(Backend backend, Detector& detector) {
  constexpr int kFrames = 9, kAhead = 3;
  constexpr int kWidth = 333, kHeight = 210;
  Components components[kFrames];
  std::vector<std::uint8_t> outputs[kFrames];
  std::vector<Picture> pictures;
  for (int i = 0; i < kFrames; ++i) pictures.emplace_back(100 + i, kWidth, kHeight);
  std::string failure = detector.set_size(kWidth, kHeight, kAhead).message();
  for (int i = 0; i < kFrames + kAhead && failure.empty(); ++i) {
    if (i >= kAhead) {
      const int done = i - kAhead;
      failure = detector.wait(nullptr).message();
      if (failure.empty())
        failure = check(components[done],
                        done % 3 == 2 ? List() : expected_of({}, pictures[done].frame(), done));
    }
    if (i >= kFrames || !failure.empty()) continue;
    outputs[i].resize(static_cast<std::size_t>(kWidth) * kHeight);
    canny::Frame to = {outputs[i].data(), kWidth, kWidth, kHeight};
    components[i].set_min_pixels(i);
    if (i % 3 != 2) to.components = &components[i];
    failure = detector.submit({}, pictures[i].frame(), to).message();
    if (failure.empty()) failure = check(components[i], {});
  }
  tally.count(backend, "components of frames in flight", failure);
}

// A frame with components, and the memory of its output.
struct Found {
  Found() { to.components = &components; }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;

  const Picture picture{7, 100, 80};
  std::vector<std::uint8_t> output = std::vector<std::uint8_t>(100 * 80);
  Components components;
  canny::Frame to = {output.data(), 100, 100, 80};
};

// Frames that are dropped or refused have no components, even if there were some before.
void test_without(Backend backend, Detector& detector) {
  Found found;
  Components& components = found.components;
  canny::Status status = detector.set_size(100, 80);
  if (status.ok()) status = detector.detect({}, found.picture.frame(), found.to, nullptr);
  std::string failure = components.size() > 0 ? status.message() : "no components before";
  if (status.ok()) status = detector.submit({}, found.picture.frame(), found.to);
  detector.drop();
  if (failure.empty()) failure = status.ok() ? check(components, {}) : status.message();
  tally.count(backend, "components of a dropped frame", failure);

  if (status.ok()) status = detector.detect({}, found.picture.frame(), found.to, nullptr);
  failure = components.size() > 0 ? status.message() : "no components before";
  found.to.stride_bytes = 99;
  tally.expect(backend, "a frame with components that is refused",
               detector.detect({}, found.picture.frame(), found.to, nullptr),
               StatusCode::kInvalidFrame);
  if (failure.empty()) failure = check(components, {});
  tally.count(backend, "components of a frame that is refused", failure);
  found.to.stride_bytes = 100;
  status = detector.detect({}, found.picture.frame(), found.to, nullptr);
  const Components moved = std::move(components);
  tally.count(
      backend, "moved to",
      status.ok() ? check(moved, expected_of({}, found.picture.frame(), 1)) : status.message());
}

// Components of a frame in flight have the number of pixels that was set before.
void test_late_min_pixels(Backend backend, Detector& detector) {
  Found found;
  found.components.set_min_pixels(5);
  canny::Status status = detector.set_size(100, 80);
  if (status.ok()) status = detector.submit({}, found.picture.frame(), found.to);
  found.components.set_min_pixels(1000000);
  if (status.ok()) status = detector.wait(nullptr);
  tally.count(backend, "a number of pixels that is set late",
              status.ok() ? check(found.components, expected_of({}, found.picture.frame(), 5))
                          : status.message());
}

// Input and output are in device memory, so only the components come to the host.
void test_on_device(Detector& detector) {
  const Picture picture(8, 1001, 402);
  canny::Status status = detector.set_size(1001, 402);
  const device_memory::Block input(picture.pixels());
  const device_memory::Block output(std::vector<std::uint8_t>(std::size_t{1001} * 402));
  Components components;
  canny::Frame to = {output.data(), 1001, 1001, 402, canny::PixelFormat::kGray8, Memory::kDevice};
  to.components = &components;
  if (status.ok())
    status = detector.detect({}, picture.frame(input.data(), Memory::kDevice), to, nullptr);
  tally.count(
      Backend::kCuda, "components of a frame in device memory",
      status.ok() ? check(components, expected_of({}, picture.frame(), 1)) : status.message());
}

void test_backend(Backend backend, Detector& detector, const harness::Options& options) {
  test_cases(backend, options);
  test_limit(backend, detector);
  test_dense(backend, detector);
  test_large(backend, detector);
  test_flight(backend, detector);
  test_without(backend, detector);
  test_late_min_pixels(backend, detector);
  if (backend == Backend::kCuda) test_on_device(detector);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) test_maps(options.step);
  harness::for_backends(options, &tally, test_backend);
  return tally.summary();
}

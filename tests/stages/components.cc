// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares components with the reference: of maps, and of frames with all settings.
#include "canny/components.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "canny/arena.h"
#include "canny/canny.h"
#include "canny/frame_components.h"
#include "canny/pack.h"
#include "cases.h"
#include "device_memory.h"
#include "frames.h"
#include "harness.h"
#include "reference/components.h"
#include "reference/masks.h"

namespace {

using canny::Backend;
using canny::Component;
using canny::Components;
using canny::Detector;
using canny::Memory;
using canny::StatusCode;
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

// ---- maps ----

constexpr int kPercents[] = {2, 20, 41, 60, 90};
constexpr int kContents = masks::kMasks + static_cast<int>(std::size(kPercents));

Bytes content(int number, int width, int height, reference::Random& random) {
  if (number < masks::kMasks)
    return masks::candidates(static_cast<masks::Mask>(number), width, height);
  Bytes map(width, height);
  for (std::uint8_t& pixel : map.samples)
    pixel = random.between(0, 99) < kPercents[number - masks::kMasks] ? 1 : 0;
  return map;
}

void pack(const Bytes& map, canny::EdgeBits* bits) {
  bits->set_size(map.width, map.height);
  for (int y = 0; y < map.height; ++y) canny::pack_row(map.row(y), map.width, bits->row(y));
}

// Maps of every size up to 130x130, with several threads. One object finds the components of all.
void test_maps(std::uint64_t step) {
  constexpr int kSide = 130;
  constexpr unsigned kThreads[] = {1, 2, 3, 8};
  canny::Arena arenas[std::size(kThreads)];
  for (std::size_t i = 0; i < std::size(kThreads); ++i)
    arenas[i].set_threads(static_cast<int>(canny::usable_threads(kThreads[i])));
  canny::ComponentFinder finder;
  canny::FrameComponents frame;
  reference::Random random(4);
  for (std::uint64_t number = 0; number < kSide * kSide; number += step) {
    const int width = static_cast<int>(number % kSide) + 1;
    const int height = static_cast<int>(number / kSide) + 1;
    const Bytes edges = content(static_cast<int>(number % kContents), width, height, random);
    const Bytes strong = content(kContents - 2, width, height, random);
    pack(edges, &frame.edges);
    pack(strong, &frame.strong);
    frame.min_pixels = number % 3 == 0 ? 1 : static_cast<unsigned>(random.between(2, 40));
    finder.find(&frame, &arenas[number % std::size(kThreads)]);
    tally.count(Backend::kCpu, "map " + std::to_string(number),
                check(frame.all.data(), frame.count,
                      reference::components(edges, strong, frame.min_pixels)));
  }
}

// ---- frames ----

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

// Dots so far apart that each becomes a component. More than kMaxComponents, or as many.
void test_limit(Backend backend, Detector& detector) {
  constexpr int kApart = 6, kColumns = 256;
  static_assert(canny::kMaxComponents % kColumns == 0);
  constexpr int kRows = canny::kMaxComponents / kColumns;
  canny::Params params;
  params.sigma = 0;
  params.low_threshold = params.high_threshold = 10;
  params.thin_edges = false;
  for (const int rows : {kRows, kRows + 1}) {
    Bytes picture(kColumns * kApart, rows * kApart);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < kColumns; ++x) picture.row(y * kApart + 2)[x * kApart + 2] = 255;
    const canny::ConstFrame input = {picture.samples.data(), picture.width, picture.width,
                                     picture.height};
    Bytes map(picture.width, picture.height);
    canny::Frame output = {map.samples.data(), map.width, map.width, map.height};
    Components components;
    output.components = &components;
    canny::Status status = detector.set_size(picture.width, picture.height);
    if (status.ok()) status = detector.detect(params, input, output, nullptr);
    std::string failure = status.message();
    if (failure.empty()) failure = check(components, expected_of(params, input, 1));
    if (components.size() != canny::kMaxComponents) failure += " not as many as there may be";
    if (components.is_full() != (rows > kRows)) failure += " is_full() is wrong";
    tally.count(backend, std::to_string(rows) + " rows of dots", failure);
  }
}

// A mask with as many components in a tile as it can have: with neighbors, none, and above others.
void test_dense(Backend backend, Detector& detector) {
  canny::Params params;
  params.sigma = 0;
  params.low_threshold = params.high_threshold = 10;
  params.thin_edges = false;
  for (const auto& [width, height] : {std::pair(32, 32), std::pair(40, 70), std::pair(130, 33)}) {
    Bytes picture(width, height), mask(width, height), map(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        picture.row(y)[x] = static_cast<std::uint8_t>(255 * ((x + 1) / 2 % 2));
        mask.row(y)[x] = x % 2 == 0 && y % 2 == 0;
      }
    canny::Region region;
    region.mask = {mask.samples.data(), width};
    canny::ConstFrame input = {picture.samples.data(), width, width, height};
    input.region = &region;
    canny::Frame output = {map.samples.data(), width, width, height};
    Components components;
    output.components = &components;
    canny::Status status = detector.set_size(width, height);
    if (status.ok()) status = detector.detect(params, input, output, nullptr);
    std::string failure = status.message();
    if (failure.empty()) failure = check(components, expected_of(params, input, 1));
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

// A gray picture with edges.
class Picture {
 public:
  Picture(std::uint64_t seed, int width, int height) : bytes_(width, height) {
    reference::Random random(seed);
    bytes_.samples = cases::fill_image(cases::Fill::kBlocks, width, height, random);
  }

  const Bytes& bytes() const { return bytes_; }
  canny::ConstFrame frame(const std::uint8_t* data, Memory memory) const {
    return {data, bytes_.width, bytes_.width, bytes_.height, canny::PixelFormat::kGray8, memory};
  }
  canny::ConstFrame frame() const { return frame(bytes_.samples.data(), Memory::kHost); }
  List expected(unsigned min_pixels = 1) const { return expected_of({}, frame(), min_pixels); }

 private:
  Bytes bytes_;
};

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
        failure = check(components[done], done % 3 == 2 ? List() : pictures[done].expected(done));
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
  tally.count(backend, "moved to",
              status.ok() ? check(moved, found.picture.expected()) : status.message());
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
              status.ok() ? check(found.components, found.picture.expected(5)) : status.message());
}

// Input and output are in device memory, so only the components come to the host.
void test_on_device(Detector& detector) {
  const Picture picture(8, 1001, 402);
  canny::Status status = detector.set_size(1001, 402);
  const device_memory::Block input(picture.bytes().samples);
  const device_memory::Block output(std::vector<std::uint8_t>(std::size_t{1001} * 402));
  Components components;
  canny::Frame to = {output.data(), 1001, 1001, 402, canny::PixelFormat::kGray8, Memory::kDevice};
  to.components = &components;
  if (status.ok())
    status = detector.detect({}, picture.frame(input.data(), Memory::kDevice), to, nullptr);
  tally.count(Backend::kCuda, "components of a frame in device memory",
              status.ok() ? check(components, picture.expected()) : status.message());
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

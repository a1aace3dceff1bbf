// SPDX-License-Identifier: LGPL-2.1-or-later
// Compares contours with chains that are written down here and with the reference, and tests what
// is refused.
#include "canny/contours.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "canny/canny.h"
#include "canny/chain_trace.h"
#include "cases.h"
#include "device_chains.h"
#include "device_memory.h"
#include "drawn_chains.h"
#include "frames.h"
#include "harness.h"
#include "reference/contours.h"
#include "reference/reference.h"
#include "small_maps.h"
#include "targets.h"

namespace {

using canny::Backend;
using canny::Contours;
using canny::Detector;
using canny::StatusCode;
using canny::View;
using cases::Fill;
using frames::Picture;
using reference::ChainPoints;
using Bytes = std::vector<std::uint8_t>;
using drawn_chains::Chains;
using drawn_chains::Drawn;

harness::Tally tally;

Chains chains_of(const Contours& contours) {
  Chains chains;
  for (std::size_t i = 0; i < contours.size(); ++i) {
    ChainPoints points;
    for (const canny::Point& point : contours[i]) points.emplace_back(point.x, point.y);
    chains.push_back(points);
  }
  return chains;
}

Chains chains_of(const canny::Chains& all) {
  Chains chains;
  const canny::Point* point = all.points.data();
  for (std::size_t i = 0; i < all.chain_count; ++i) {
    chains.emplace_back();
    for (; point < all.points.data() + all.ends[i]; ++point)
      chains.back().emplace_back(point->x, point->y);
  }
  return chains;
}

// Returns an error unless the contours are these chains, also as points and ends; "" if they are.
std::string check(const Contours& contours, const Chains& expected) {
  const std::uint32_t* ends = contours.ends();
  if (!std::is_sorted(ends, ends + contours.size()) ||
      (contours.size() > 0 && ends[contours.size() - 1] != contours.point_count()))
    return "wrong ends";
  const Chains actual = chains_of(contours);
  if (actual.size() != expected.size())
    return std::to_string(actual.size()) + " chains, not " + std::to_string(expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (actual[i] != expected[i]) return "chain " + std::to_string(i) + " differs";
  std::size_t end = 0;
  for (std::size_t i = 0; i < contours.size(); ++i) {
    if (contours[i].points != contours.points() + end) return "chains have gaps";
    end += contours[i].size;
    if (contours.ends()[i] != end) return "a wrong end";
    if (contours[i].is_closed() != reference::is_closed(expected[i])) return "closed or not";
  }
  return contours.point_count() == end ? "" : "a wrong number of points";
}

canny::ConstFrame map_of(const Bytes& pixels, int width, int height) {
  return {pixels.data(), width, width, height};
}

void test_drawn(const Drawn& drawn) {
  Bytes pixels;
  for (const std::string& row : drawn.rows)
    for (const char c : row) pixels.push_back(c == '#' ? 1 : 0);
  const int width = static_cast<int>(drawn.rows[0].size());
  const int height = static_cast<int>(drawn.rows.size());
  Contours contours;
  const canny::Status status = contours.trace(map_of(pixels, width, height));
  std::string failure = status.ok() ? check(contours, drawn.chains) : status.message();
  if (failure.empty() && reference::contours(pixels, width, height) != drawn.chains)
    failure = "the reference has other chains";
  const auto closed = std::count_if(drawn.chains.begin(), drawn.chains.end(), reference::is_closed);
  if (failure.empty() && closed != drawn.closed) failure = "the reference has other closed chains";
  tally.count(Backend::kCpu, drawn.name, failure);
}

// Compares maps of all kinds and sizes, in frames with gaps between rows, with the reference. One
// object traces all of them.
void test_maps(std::uint64_t seed) {
  Contours contours;
  reference::Random random(seed);
  for (const int width : {1, 2, 3, 7, 8, 9, 62, 63, 64, 65, 66, 127, 128, 129, 193}) {
    for (int fill = 0; fill < cases::kFills; ++fill) {
      const int height = random.between(1, 100);
      const Bytes pixels = cases::fill_mask(static_cast<Fill>(fill), width, height, random);
      harness::GuardedFrame frame(width, height, canny::PixelFormat::kGray8, random.between(0, 9),
                                  random.between(0, 9), random.between(0, 1) == 1);
      Bytes bytes = pixels;
      for (std::uint8_t& byte : bytes)
        if (byte != 0) byte = static_cast<std::uint8_t>(random.between(1, 255));
      frame.set_bytes(bytes.data(), bytes.size());
      const canny::Status status = contours.trace(frame.const_frame());
      tally.count(Backend::kCpu,
                  std::to_string(width) + "x" + std::to_string(height) + ", " +
                      cases::name(static_cast<Fill>(fill)),
                  status.ok() ? check(contours, reference::contours(pixels, width, height))
                              : status.message());
    }
  }
}

// Maps of every size. One object traces all of them.
void test_sizes(std::uint64_t step) {
  canny::EdgeBits bits;
  canny::Tracer tracer;
  canny::Chains chains;
  small_maps::for_each(step, [&](std::uint64_t number, const reference::Bytes& map,
                                 canny::Arena* arena, reference::Random&) {
    small_maps::pack(map, &bits);
    tracer.trace(&bits, 1, arena, &chains);
    const bool is_equal =
        chains_of(chains) == reference::contours(map.samples, map.width, map.height);
    tally.count(Backend::kCpu,
                "map " + std::to_string(number) + ", threads " + std::to_string(arena->threads()),
                is_equal ? "" : "differs");
  });
}

Chains without_short(const Chains& chains, std::size_t least) {
  Chains kept;
  for (const ChainPoints& chain : chains)
    if (chain.size() >= least) kept.push_back(chain);
  return kept;
}

void test_min_points() {
  reference::Random random(5);
  const Bytes pixels = cases::fill_mask(Fill::kBlackWhite, 90, 60, random);
  const Chains all = reference::contours(pixels, 90, 60);
  Contours contours;
  for (const unsigned least : {0u, 1u, 2u, 9u, 100000u}) {
    contours.set_min_points(least);
    const canny::Status status = contours.trace(map_of(pixels, 90, 60));
    tally.count(Backend::kCpu, "chains of at least " + std::to_string(least) + " points",
                status.ok() ? check(contours, without_short(all, least)) : status.message());
  }
}

// All pixels of a map are edges, more than chains have points or as many.
void test_most_points() {
  constexpr int kSide = 4096;
  static_assert(kSide * kSide == canny::kMaxContourPoints);
  const Bytes pixels((kSide + 3) * kSide, 1);
  Contours contours;
  for (const int width : {kSide + 3, kSide}) {
    const canny::Status status = contours.trace(map_of(pixels, width, kSide));
    std::string failure = status.message();
    if (contours.is_full() != (width > kSide)) failure += " is_full() is wrong";
    constexpr std::size_t kPoints = canny::kMaxContourPoints;
    if (contours.point_count() != kPoints || contours.size() == 0 ||
        contours.ends()[contours.size() - 1] != kPoints)
      failure += " a wrong number of points";
    for (std::size_t i = 0; i < contours.point_count() && failure.empty(); ++i)
      if (std::size_t{contours.points()[i].y} * width + contours.points()[i].x >= kPoints)
        failure = "a late point";
    tally.count(Backend::kCpu, std::to_string(width) + " columns of edges", failure);
  }
}

void test_refusals() {
  const Bytes pixels(64, 1);
  const canny::ConstFrame good = map_of(pixels, 8, 8);
  Contours contours;
  const auto expect = [&](const char* what, const canny::ConstFrame& frame, StatusCode code,
                          const char* part) {
    static_cast<void>(contours.trace(good));
    tally.expect(Backend::kCpu, what, contours.trace(frame), code, part);
    tally.count(Backend::kCpu, std::string(what) + " leaves no chains", check(contours, {}));
  };
  const auto* bytes = pixels.data();
  constexpr auto kGray = canny::PixelFormat::kGray8;
  expect("null", {nullptr, 8, 8, 8}, StatusCode::kInvalidFrame, "data is null");
  expect("a short stride", {bytes, 7, 8, 8}, StatusCode::kInvalidFrame, "stride_bytes 7");
  expect("colors", {bytes, 24, 8, 8, canny::PixelFormat::kRgb}, StatusCode::kInvalidFrame,
         "not kGray8");
  expect("device memory", {bytes, 8, 8, 8, kGray, canny::Memory::kDevice},
         StatusCode::kInvalidFrame, "not in host memory");
  expect("no column", {bytes, 8, 0, 8}, StatusCode::kInvalidSize, "0x8");
  expect("too many rows", {bytes, 8, 8, canny::kMaxSide + 1}, StatusCode::kInvalidSize, "16385");

  static_cast<void>(contours.trace(good));
  Contours moved = std::move(contours);
  tally.count(Backend::kCpu, "moved to", moved.point_count() == 64 ? "" : "other points");
  contours = Contours();
  tally.count(Backend::kCpu, "new", check(contours, {}));
}

// The chains of the edges, whatever the view.
Chains expected_of(const canny::Params& params, const canny::ConstFrame& input) {
  return reference::contours(reference::detect(params, input), input.width, input.height);
}

// The chains of a frame do not depend on the view that its output shows, nor on other settings of
// the way from candidates to edges; views without edges have none.
void test_views(Backend backend, Detector& detector) {
  Contours contours;
  for (int i = 0; i < 60; ++i) {
    const int width = 40 + 7 * i, height = 30 + 5 * (i % 7);
    const Picture picture(i, width, height);
    canny::Params params;
    params.high_threshold = 60;
    params.hysteresis_passes = i % 3;
    params.min_length = i % 4 == 1 ? 12 : 0;
    params.measure_stages = i % 5 == 0;
    params.view = static_cast<View>(i % (static_cast<int>(View::kBlurred) + 1));
    Chains expected = expected_of(params, picture.frame());
    std::string failure = expected.empty() ? "the picture has no edges" : "";
    if (!shows_edges(params.view)) expected.clear();
    Bytes output(picture.pixels().size());
    canny::Frame to = {output.data(), width, width, height};
    to.contours = &contours;
    canny::Status status = detector.set_size(width, height);
    if (status.ok()) status = detector.detect(params, picture.frame(), to, nullptr);
    if (failure.empty()) failure = status.ok() ? check(contours, expected) : status.message();
    tally.count(backend, std::string("chains beside the view ") + canny::name(params.view),
                failure);
  }
}

// Nearly any map: the gradients of noise exceed the thresholds in nearly all pixels, and a mask
// leaves those of the map.
void test_masks(Backend backend, Detector& detector, const harness::Options& options) {
  Contours contours;
  reference::Random random(options.seed);
  int map = 0;
  for (const int width : {1, 2, 31, 32, 33, 63, 64, 65, 97, 128, 130, 257, 519}) {
    for (int fill = 0; fill <= cases::kFills; ++fill) {
      const int height = random.between(1, 140);
      const bool is_pairs = fill == cases::kFills;
      const Bytes mask = is_pairs
                             ? device_chains::pairs_across_tiles(width, height)
                             : cases::fill_mask(static_cast<Fill>(fill), width, height, random);
      const Bytes pixels = random.bytes(mask.size());
      Bytes edges(mask.size());
      if (map++ % options.step != 0) continue;
      canny::Region region;
      region.mask = {mask.data(), width};
      canny::ConstFrame from = map_of(pixels, width, height);
      from.region = &region;
      canny::Frame to = {edges.data(), width, width, height};
      to.contours = &contours;
      const std::size_t least = random.between(0, 1) * random.between(0, 9);
      contours.set_min_points(static_cast<std::uint32_t>(least));
      canny::Params params;
      params.sigma = 0;
      params.thin_edges = false;
      params.low_threshold = params.high_threshold = 0;
      canny::Status status = detector.set_size(width, height);
      if (status.ok()) status = detector.detect(params, from, to, nullptr);
      const Chains all = expected_of(params, from);
      tally.count(backend,
                  "a mask of " + std::to_string(width) + "x" + std::to_string(height) + ", " +
                      (is_pairs ? "pairs across tiles" : cases::name(static_cast<Fill>(fill))),
                  status.ok() ? check(contours, without_short(all, least)) : status.message());
    }
  }
}

// Several frames are in flight, every third one without contours.
void test_flight(Backend backend, Detector& detector) {
  constexpr int kFrames = 9, kAhead = 3;
  constexpr int kWidth = 333, kHeight = 210;
  Contours contours[kFrames];
  Bytes outputs[kFrames];
  std::vector<Picture> pictures;
  for (int i = 0; i < kFrames; ++i) pictures.emplace_back(100 + i, kWidth, kHeight);
  std::string failure = detector.set_size(kWidth, kHeight, kAhead).message();
  for (int i = 0; i < kFrames + kAhead && failure.empty(); ++i) {
    if (i >= kAhead) {
      const int done = i - kAhead;
      failure = detector.wait(nullptr).message();
      if (failure.empty())
        failure = check(contours[done],
                        done % 3 == 2 ? Chains() : expected_of({}, pictures[done].frame()));
    }
    if (i >= kFrames || !failure.empty()) continue;
    outputs[i].resize(static_cast<std::size_t>(kWidth) * kHeight);
    canny::Frame to = {outputs[i].data(), kWidth, kWidth, kHeight};
    if (i % 3 != 2) to.contours = &contours[i];
    failure = detector.submit({}, pictures[i].frame(), to).message();
  }
  tally.count(backend, "chains of frames in flight", failure);
}

// A frame with chains, and the memory of its output.
struct Traced {
  Traced() { to.contours = &contours; }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

  canny::ConstFrame from() const { return picture.frame(); }
  // Returns an error unless there are chains now.
  std::string trace(Detector& detector) {
    canny::Status status = detector.set_size(100, 80);
    if (status.ok()) status = detector.detect({}, from(), to, nullptr);
    return !status.ok() ? status.message() : contours.size() > 0 ? "" : "no chains before";
  }

  const Picture picture{7, 100, 80};
  Bytes output = Bytes(100 * 80);
  Contours contours;
  canny::Frame to = {output.data(), 100, 100, 80};
};

// A frame that was given up on has no chains, even if its Contours had some.
void test_drop(Backend backend, Detector& detector) {
  Traced traced;
  std::string failure = traced.trace(detector);
  if (failure.empty()) failure = detector.submit({}, traced.from(), traced.to).message();
  detector.drop();
  tally.count(backend, "chains of a dropped frame",
              failure.empty() ? check(traced.contours, {}) : failure);
}

// A frame that is refused has no chains either.
void test_failure(Backend backend, Detector& detector) {
  Traced traced;
  const std::string failure = traced.trace(detector);
  traced.to.stride_bytes = 99;
  tally.expect(backend, "a frame with chains that is refused",
               detector.detect({}, traced.from(), traced.to, nullptr), StatusCode::kInvalidFrame);
  tally.count(backend, "chains of a frame that is refused",
              failure.empty() ? check(traced.contours, {}) : failure);
}

// Chains of frames in flight have the number of points that was set before.
void test_late_min_points(Backend backend, Detector& detector) {
  Traced traced;
  canny::Status status = detector.set_size(100, 80);
  if (status.ok()) status = detector.submit({}, traced.from(), traced.to);
  traced.contours.set_min_points(1000000);
  if (status.ok()) status = detector.wait(nullptr);
  tally.count(
      backend, "a number of points that is set late",
      status.ok() ? check(traced.contours, expected_of({}, traced.from())) : status.message());
}

// Input and output are in device memory, so only the chains are copied to the host.
void test_on_device(Detector& detector) {
  const Picture picture(8, 1001, 402);
  canny::Status status = detector.set_size(1001, 402);
  const device_memory::Block input(picture.pixels());
  const device_memory::Block output(Bytes(static_cast<std::size_t>(1001) * 402));
  Contours contours;
  canny::Frame to = {output.data(),         1001, 1001, 402, canny::PixelFormat::kGray8,
                     canny::Memory::kDevice};
  to.contours = &contours;
  if (status.ok())
    status = detector.detect({}, picture.frame(input.data(), canny::Memory::kDevice), to, nullptr);
  tally.count(Backend::kCuda, "chains of a frame in device memory",
              status.ok() ? check(contours, expected_of({}, picture.frame())) : status.message());
}

void test_detector(Backend backend, Detector& detector, const harness::Options& options) {
  test_views(backend, detector);
  test_masks(backend, detector, options);
  test_flight(backend, detector);
  test_drop(backend, detector);
  test_failure(backend, detector);
  test_late_min_points(backend, detector);
  device_chains::test_refusals(backend, detector, &tally);
  if (backend != Backend::kCuda) return;
  test_on_device(detector);
  device_chains::test(detector, &tally);
}

}  // namespace

int main(int argc, char** argv) {
  const harness::Options options = harness::parse(argc, argv, {});
  if (options.cpu) {
    for (const Drawn& drawn : drawn_chains::kDrawn) test_drawn(drawn);
    for (const stages::Target& target : stages::targets()) {
      stages::force_target(target);
      test_maps(options.seed);
    }
    stages::use_best_target();
    test_sizes(options.step);
    test_min_points();
    test_most_points();
    test_refusals();
  }
  harness::for_backends(options, &tally, test_detector);
  return tally.summary();
}

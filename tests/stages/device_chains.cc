// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device_chains.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "canny/contours.h"
#include "device_memory.h"
#include "reference/contours.h"
#include "reference/reference.h"

namespace device_chains {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Chains = std::vector<reference::ChainPoints>;

// Device memory for so many points and chains, which begins beside multiples of 16 bytes.
class ChainMemory {
 public:
  static constexpr std::size_t kUnaligned = 4;

  ChainMemory(std::size_t points, std::size_t chains)
      : points_(Bytes(kUnaligned + points * sizeof(canny::Point))),
        ends_(Bytes(kUnaligned + chains * sizeof(std::uint32_t))),
        memory_{reinterpret_cast<canny::Point*>(points_.data() + kUnaligned),
                reinterpret_cast<std::uint32_t*>(ends_.data() + kUnaligned), points, chains} {}

  const canny::DeviceChains& memory() const { return memory_; }

  // Returns an error unless the first of these chains are there, as far as there is room.
  std::string check(const canny::Contours& contours, const Chains& expected) const {
    std::vector<std::uint16_t> points;
    std::vector<std::uint32_t> ends;
    for (const reference::ChainPoints& chain : expected) {
      for (const auto& [x, y] : chain)
        points.insert(points.end(), {std::uint16_t(x), std::uint16_t(y)});
      ends.push_back(static_cast<std::uint32_t>(points.size() / 2));
    }
    if (contours.point_count() != points.size() / 2 || contours.size() != ends.size())
      return "wrong numbers";
    if (contours.points() != nullptr || contours.ends() != nullptr) return "chains on the host";
    const bool has_room =
        ends.size() <= memory_.most_chains && points.size() / 2 <= memory_.most_points;
    if (contours.is_full() == has_room) return "is_full() is wrong";
    points.resize(std::min(points.size(), 2 * memory_.most_points));
    ends.resize(std::min(ends.size(), memory_.most_chains));
    return !begins_with(points_, points) ? "other points"
           : !begins_with(ends_, ends)   ? "other ends"
                                         : "";
  }

 private:
  template <class Number>
  static bool begins_with(const device_memory::Block& block, const std::vector<Number>& numbers) {
    const Bytes bytes = block.bytes();
    return std::memcmp(bytes.data() + kUnaligned, numbers.data(),
                       numbers.size() * sizeof(Number)) == 0;
  }

  device_memory::Block points_, ends_;
  canny::DeviceChains memory_;
};

}  // namespace

std::vector<std::uint8_t> pairs_across_tiles(int width, int height) {
  Bytes mask(static_cast<std::size_t>(width) * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if ((y % 2 == 0 && (x + 1) % 32 < 2) || (x % 2 == 0 && (y + 1) % 32 < 2))
        mask[y * static_cast<std::size_t>(width) + x] = 255;
  return mask;
}

void test(canny::Detector& detector, harness::Tally* tally) {
  constexpr int kWidth = 321, kHeight = 200, kPictures = 2;
  const Bytes mask = pairs_across_tiles(kWidth, kHeight);
  const Bytes pixels = reference::Random(3).bytes(kPictures * mask.size());
  Bytes edges(pixels.size());
  canny::Region regions[kPictures];
  for (canny::Region& region : regions) region.mask = {mask.data(), kWidth};
  struct Case {
    const char* what;
    std::size_t points, chains;
    bool has_offsets, has_region;
    unsigned pictures;
  };
  for (const Case& c : {Case{"with room", 70000, 20000, false, false, 1},
                        Case{"with room for 1001 points", 1001, 20000, false, false, 1},
                        Case{"with room for 9 chains", 70000, 9, false, false, 1},
                        Case{"with offsets", 70000, 20000, true, false, 1},
                        Case{"with many pieces", 70000, 20000, false, true, 1},
                        Case{"of a batch", 70000, 20000, false, false, kPictures},
                        Case{"of a batch, with little room", 1001, 9, false, false, kPictures}}) {
    canny::ConstFrame from = {pixels.data(), kWidth, kWidth, kHeight};
    canny::Frame to = {edges.data(), kWidth, kWidth, kHeight};
    from.batch = {c.pictures, kWidth * kHeight, nullptr};
    to.batch = {c.pictures, kWidth * kHeight, nullptr};
    if (c.has_region) from.region = regions;
    canny::Params params;
    params.sigma = 0;
    params.thin_edges = !c.has_region;
    params.low_threshold = params.high_threshold = c.has_region ? 0 : 300;
    std::vector<canny::Contours> contours(c.pictures);
    std::vector<std::unique_ptr<ChainMemory>> chains;
    for (canny::Contours& each : contours) {
      chains.push_back(std::make_unique<ChainMemory>(c.points, c.chains));
      each.set_memory(chains.back()->memory());
      each.set_precision(c.has_offsets);
    }
    to.contours = contours.data();
    canny::Status status = detector.set_size(kWidth, kHeight, 1, kPictures);
    if (status.ok()) status = detector.detect(params, from, to, nullptr);
    std::string failure = status.message();
    for (unsigned i = 0; i < c.pictures && failure.empty(); ++i) {
      const auto first = edges.begin() + i * kWidth * kHeight;
      const Chains expected =
          reference::contours(Bytes(first, first + kWidth * kHeight), kWidth, kHeight);
      if (expected.size() < 10) failure = "few edges";
      if (failure.empty()) failure = chains[i]->check(contours[i], expected);
      if (failure.empty() && (contours[i].offsets() != nullptr) != c.has_offsets)
        failure = "offsets or none";
    }
    tally->count(canny::Backend::kCuda, std::string("chains in device memory, ") + c.what, failure);
  }
}

void test_refusals(canny::Backend backend, canny::Detector& detector, harness::Tally* tally) {
  constexpr int kSide = 64;
  const Bytes pixels = pairs_across_tiles(kSide, kSide);
  Bytes edges(pixels.size());
  canny::Contours contours;
  alignas(4) canny::Point points[2];
  std::uint32_t ends[1];
  contours.set_memory({points, ends, 1, 1});
  const canny::ConstFrame from = {pixels.data(), kSide, kSide, kSide};
  canny::Frame to = {edges.data(), kSide, kSide, kSide};
  to.contours = &contours;
  std::string failure = detector.set_size(kSide, kSide).message();
  tally->expect(backend, "host memory for chains", detector.detect({}, from, to, nullptr),
                canny::StatusCode::kInvalidFrame,
                backend == canny::Backend::kCuda
                    ? "points of contours: data is not in memory of CUDA device"
                    : "contours: device memory needs a detector on a CUDA device");
  contours.set_memory({reinterpret_cast<canny::Point*>(&points[0].y), ends, 1, 1});
  tally->expect(backend, "memory for chains between words", detector.detect({}, from, to, nullptr),
                canny::StatusCode::kInvalidFrame, "must begin at a multiple of 4 bytes");
  contours.set_memory({});
  if (failure.empty()) failure = detector.detect({}, from, to, nullptr).message();
  if (failure.empty() && (contours.size() == 0 || contours.points() == nullptr))
    failure = "no chains";
  tally->count(backend, "chains in host memory again", failure);
}

}  // namespace device_chains

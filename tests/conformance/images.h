// SPDX-License-Identifier: LGPL-2.1-or-later
/// Random images, and their comparison with what they must be.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "random.h"
#include "reference.h"

namespace conformance {

/// The cases that were compared.
extern int passed, failed;

/// 255 for an edge, 0 elsewhere: suppression, double threshold and hysteresis of the reference.
reference::Bytes reference_edges(const reference::Response& response, double low, double high,
                                 canny::Norm norm, reference::Operator op);

/// OpenCV's view of the image, on the same samples.
template <class Sample>
cv::Mat view(const reference::Plane<Sample>& image) {
  return {image.height, image.width, cv::DataType<Sample>::type,
          const_cast<Sample*>(image.samples.data())};
}

/// Counts a case: passed if the samples, of 8 or 16 bits, are equal. Prints the first difference.
template <class Sample>
void compare(const std::string& title, const cv::Mat& expected,
             const reference::Plane<Sample>& got);

/// Counts a case that needs no picture to tell what is wrong.
void check(bool is_right, const std::string& failure);

/// Prints the counts. Returns the program's exit status.
int summary();

/// Random cases, each of which follows from its seed: that of case i of kind k is
/// k * kSeedsPerKind + i.
inline constexpr std::uint64_t kSeedsPerKind = 1000000;
struct Kind {
  const char* name;
  std::uint64_t cases;
  void (*check)(std::uint64_t seed);
};

/// Runs all cases, or that of the command line `PROGRAM --seed N`, in which titles name the seeds.
/// Returns whether it was all; ends the program with a message if there are other arguments or no
/// such case. The message also names `more`, which the caller takes.
bool run(int argc, char** argv, const std::vector<Kind>& kinds, const char* more = "");

/// Contents that reveal different errors: ties, plateaus, saturation, slow slopes.
enum class Content {
  kNoise,
  kBinary,
  kFewLevels,
  kBlocks,
  kSmooth,
  kNearMax,
  kDots,
  kTangent,
  kCount
};

Content random_content(reference::Random& random);

/// `channels` interleaved samples for each of width x height pixels.
std::vector<std::uint8_t> random_samples(reference::Random& random, Content content, int width,
                                         int height, int channels);

/// A gray image of random sides.
reference::Bytes random_image(reference::Random& random, Content content);

/// 1..100 pixels, now and then so few that every pixel is at a border.
int random_side(reference::Random& random);

/// A number in 0..1 with 30 random bits.
double fraction(reference::Random& random);

/// Integers and others, from 0 to beyond the largest magnitude of the Sobel operator.
double random_threshold(reference::Random& random);

std::string title_of(const char* kind, std::uint64_t seed, Content content);

}  // namespace conformance

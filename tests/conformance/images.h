// SPDX-License-Identifier: LGPL-2.1-or-later
/// Random images, and their comparison with what OpenCV makes of them.
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

/// Counts a case: passed if the reference's bytes equal OpenCV's. Prints the first difference.
void compare(const std::string& title, const cv::Mat& opencv, const reference::Bytes& got);

/// OpenCV's view of the image, on the same bytes.
cv::Mat view(const reference::Bytes& image);

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

/// 1..100 pixels, now and then so few that every pixel is at a border.
int random_side(reference::Random& random);

/// A number in 0..1 with 30 random bits.
double fraction(reference::Random& random);

/// Integers and others, from 0 to beyond the largest magnitude of the Sobel operator.
double random_threshold(reference::Random& random);

std::string title_of(const char* kind, std::uint64_t seed, Content content);

}  // namespace conformance

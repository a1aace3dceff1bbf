// SPDX-License-Identifier: LGPL-2.1-or-later
// The edges of images: those of the library, of the reference and of OpenCV.
#pragma once

#include <opencv2/core.hpp>
#include <string>

#include "canny/canny.h"

namespace quality {

/// Finds edges with the library. Throws std::runtime_error if a call of the library fails.
class Edges {
 public:
  explicit Edges(canny::Backend backend);

  /// The edge map, 255 for an edge and 0 elsewhere, of an image of gray or RGB bytes. `contours`,
  /// if not null, gets its chains.
  cv::Mat find(const canny::Params& params, const cv::Mat& image,
               canny::Contours* contours = nullptr);

  /// The backend and device in use, as text.
  std::string device() const;

 private:
  canny::Detector detector_;
  cv::Size size_;
};

/// The edge map by the reference, the definition as plain loops on one thread.
cv::Mat reference_edges(const canny::Params& params, const cv::Mat& image);

/// The edge map by OpenCV's cvtColor, GaussianBlur and Canny. Thresholds are parameters, the
/// operator is one of the three of Sobel, and edges are thin, of luma and until stable.
cv::Mat opencv_edges(const canny::Params& params, const cv::Mat& image);

/// The luma of an image of gray or RGB bytes.
cv::Mat luma(const cv::Mat& image);

}  // namespace quality

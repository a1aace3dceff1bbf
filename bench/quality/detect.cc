// SPDX-License-Identifier: LGPL-2.1-or-later
// Calls the detectors.
#include "detect.h"

#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "reference.h"

namespace quality {
namespace {

void require(const canny::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

canny::ConstFrame frame_of(const cv::Mat& image) {
  canny::ConstFrame frame;
  frame.data = image.data;
  frame.stride_bytes = std::ptrdiff_t(image.step);
  frame.width = image.cols;
  frame.height = image.rows;
  frame.format = image.channels() == 3 ? canny::PixelFormat::kRgb : canny::PixelFormat::kGray8;
  return frame;
}

int aperture_of(canny::Operator op) {
  switch (op) {
    case canny::Operator::kSobel:
      return 3;
    case canny::Operator::kSobel5:
      return 5;
    case canny::Operator::kSobel7:
      return 7;
    default:
      throw std::runtime_error("OpenCV's Canny has no such operator");
  }
}

}  // namespace

Edges::Edges(canny::Backend backend) {
  canny::Options options;
  options.backend = backend;
  require(canny::Detector::create(options, &detector_));
}

cv::Mat Edges::find(const canny::Params& params, const cv::Mat& image, canny::Contours* contours) {
  if (size_ != image.size()) require(detector_.set_size(image.cols, image.rows));
  size_ = image.size();
  cv::Mat edges(image.size(), CV_8UC1);
  canny::Frame output;
  output.data = edges.data;
  output.stride_bytes = std::ptrdiff_t(edges.step);
  output.width = edges.cols;
  output.height = edges.rows;
  output.contours = contours;
  require(detector_.detect(params, frame_of(image), output, nullptr));
  return edges;
}

std::string Edges::device() const {
  return std::string(canny::name(detector_.info().backend)) + ", " + detector_.info().device;
}

cv::Mat reference_edges(const canny::Params& params, const cv::Mat& image) {
  return cv::Mat(reference::detect(params, frame_of(image)), true).reshape(1, image.rows);
}

cv::Mat opencv_edges(const canny::Params& params, const cv::Mat& image) {
  cv::Mat blurred = luma(image), edges;
  if (params.sigma > 0) cv::GaussianBlur(luma(image), blurred, {}, params.sigma);
  cv::Canny(blurred, edges, params.low_threshold, params.high_threshold,
            aperture_of(params.gradient_operator), params.norm == canny::Norm::kL2);
  return edges;
}

cv::Mat luma(const cv::Mat& image) {
  if (image.channels() == 1) return image;
  cv::Mat gray;
  cv::cvtColor(image, gray, cv::COLOR_RGB2GRAY);
  return gray;
}

}  // namespace quality

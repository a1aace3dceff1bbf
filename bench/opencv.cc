// SPDX-License-Identifier: LGPL-2.1-or-later
// Runs the OpenCV functions that the CPU backend replaces.
#include "opencv.h"

#include <array>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "canny/batch.h"

namespace bench {
namespace {

// Returns the conversion to gray, -1 if none is needed, or nothing if OpenCV has none.
std::optional<int> conversion(canny::PixelFormat format) {
  switch (format) {
    case canny::PixelFormat::kGray8:
      return -1;
    case canny::PixelFormat::kRgb:
      return cv::COLOR_RGB2GRAY;
    case canny::PixelFormat::kBgr:
      return cv::COLOR_BGR2GRAY;
    case canny::PixelFormat::kRgbx:
      return cv::COLOR_RGBA2GRAY;
    case canny::PixelFormat::kBgrx:
      return cv::COLOR_BGRA2GRAY;
    default:
      return {};
  }
}

// The size of OpenCV's operator, or 0 if its Canny does not have these parameters.
int aperture_of(canny::Params params) {
  const canny::Operator op = std::exchange(params.gradient_operator, canny::Operator::kSobel);
  if (!is_plain(params)) return 0;
  return op == canny::Operator::kSobel    ? 3
         : op == canny::Operator::kSobel5 ? 5
         : op == canny::Operator::kSobel7 ? 7
                                          : 0;
}

}  // namespace

std::function<void()> opencv_call(const Picture& picture, const canny::Params& params,
                                  unsigned threads) {
  const canny::ConstFrame frame = picture.frame(picture.bytes.data(), canny::Memory::kHost);
  const std::optional<int> code = conversion(frame.format);
  const int aperture = aperture_of(params);
  if (!code || aperture == 0 || params.hysteresis_passes > 0) return {};
  cv::setNumThreads(static_cast<int>(threads));
  // OpenCV does not write to its input.
  std::vector<cv::Mat> inputs;
  for (unsigned i = 0; i < frame.batch.count; ++i)
    inputs.emplace_back(frame.height, frame.width, CV_8UC(canny::bytes_per_pixel(frame.format)),
                        const_cast<std::uint8_t*>(canny::picture_of(frame, i).data),
                        static_cast<std::size_t>(frame.stride_bytes));
  const auto images = std::make_shared<std::array<cv::Mat, 3>>();
  return [inputs, code, params, aperture, images] {
    auto& [gray, blurred, edges] = *images;
    for (const cv::Mat& input : inputs) {
      if (*code >= 0) cv::cvtColor(input, gray, *code);
      const cv::Mat& luma = *code >= 0 ? gray : input;
      if (params.sigma > 0) cv::GaussianBlur(luma, blurred, {}, params.sigma);
      cv::Canny(params.sigma > 0 ? blurred : luma, edges, params.low_threshold,
                params.high_threshold, aperture, params.norm == canny::Norm::kL2);
    }
  };
}

}  // namespace bench

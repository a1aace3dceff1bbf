// SPDX-License-Identifier: LGPL-2.1-or-later
/// The choices of properties that are enums.
#pragma once

#include <initializer_list>

#include "canny/canny.h"
#include "region.h"

namespace gst_cuda_canny {

template <class T>
struct Choice {
  T value;  ///< name() of it is the nick
  const char* description;
};

/// An enum's name and choices in GObject, which numbers a choice by its place in the list, not by
/// its value in the library.
template <class T>
struct Enum {
  const char* name;
  std::initializer_list<Choice<T>> choices;
};
template <class T>
extern const Enum<T> kEnum;

template <>
inline constexpr Enum<canny::Norm> kEnum<canny::Norm> = {
    "GstCudaCannyNorm",
    {{canny::Norm::kL2, "L2: root of the sum of squares"},
     {canny::Norm::kL1, "L1: sum of absolute values"}}};

template <>
inline constexpr Enum<canny::Operator> kEnum<canny::Operator> = {
    "GstCudaCannyOperator",
    {{canny::Operator::kSobel, "Sobel, 3x3 pixels; default thresholds 50 and 150"},
     {canny::Operator::kSobel5, "Sobel, 5x5 pixels; 600 and 1800"},
     {canny::Operator::kSobel7, "Sobel, 7x7 pixels; 8000 and 24000"},
     {canny::Operator::kScharr, "Scharr, 3x3 pixels; 200 and 600"},
     {canny::Operator::kPrewitt, "Prewitt, 3x3 pixels; 37.5 and 112.5"},
     {canny::Operator::kKroon, "Kroon, 3x3 pixels; 1187.5 and 3562.5"},
     {canny::Operator::kRoberts, "Roberts' cross, 2x2 pixels; 12.5 and 37.5"},
     {canny::Operator::kRobinson, "Robinson's compass, 8 masks of 3x3 pixels; 50 and 150"},
     {canny::Operator::kKirsch, "Kirsch's compass, 8 masks of 3x3 pixels; 187.5 and 562.5"}}};

template <>
inline constexpr Enum<canny::ColorMode> kEnum<canny::ColorMode> = {
    "GstCudaCannyColorMode",
    {{canny::ColorMode::kLuma, "Luma"},
     {canny::ColorMode::kLargestChannel, "The largest gradient of red, green and blue"}}};

template <>
inline constexpr Enum<canny::LumaDepth> kEnum<canny::LumaDepth> = {
    "GstCudaCannyLumaDepth",
    {{canny::LumaDepth::kFull, "All bits"}, {canny::LumaDepth::k8, "The 8 most significant bits"}}};

template <>
inline constexpr Enum<canny::ThresholdMode> kEnum<canny::ThresholdMode> = {
    "GstCudaCannyThresholdMode",
    {{canny::ThresholdMode::kAbsolute, "low-threshold and high-threshold"},
     {canny::ThresholdMode::kRelative, "Relative to the largest gradient magnitude"},
     {canny::ThresholdMode::kQuantile, "A quantile of the gradient magnitudes"},
     {canny::ThresholdMode::kOtsu, "Otsu's threshold of the gradient magnitudes"},
     {canny::ThresholdMode::kMedian, "Relative to the median of the luma"}}};

template <>
inline constexpr Enum<canny::View> kEnum<canny::View> = {
    "GstCudaCannyOutput",
    {{canny::View::kEdges, "Edges in white on black"},
     {canny::View::kOverlay, "The input, with edges in edge-color"},
     {canny::View::kMasked, "The input on edges, black elsewhere"},
     {canny::View::kGradient, "Gradient magnitudes"},
     {canny::View::kSuppressed, "Gradient magnitudes after non-maximum suppression"},
     {canny::View::kDirection, "Gradient directions"},
     {canny::View::kClasses,
      "Pixels above the high threshold in white, others above the low one in gray"},
     {canny::View::kPasses,
      "Pixels above the high threshold in white, and those that a hysteresis pass adds in the "
      "color of the pass"},
     {canny::View::kLuma, "Luma"},
     {canny::View::kBlurred, "Luma after the blur"}}};

inline const char* name(GstCudaCannyRoiMode mode) {
  return mode == GstCudaCannyRoiMode::kMeta ? "meta" : "none";
}

template <>
inline constexpr Enum<GstCudaCannyRoiMode> kEnum<GstCudaCannyRoiMode> = {
    "GstCudaCannyRoiMode",
    {{GstCudaCannyRoiMode::kNone, "The rectangles of roi, or the whole frame"},
     {GstCudaCannyRoiMode::kMeta,
      "The rectangles of roi and the boxes of the buffer's region and detection metas"}}};

template <>
inline constexpr Enum<canny::Backend> kEnum<canny::Backend> = {
    "GstCudaCannyBackend",
    {{canny::Backend::kAuto,
      "CUDA if a usable device is found, else OpenCL on a GPU, else the CPU"},
     {canny::Backend::kCuda, "CUDA device"},
     {canny::Backend::kCpu, "CPU"},
     {canny::Backend::kOpenCl, "OpenCL device, for frames in system memory"}}};

}  // namespace gst_cuda_canny

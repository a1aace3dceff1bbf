// SPDX-License-Identifier: LGPL-2.1-or-later
// Lists the cases of each paper.
#include "papers_cases.h"

#include <algorithm>

namespace papers {
namespace {

using bench::Size;
using canny::PixelFormat;

// The largest sigmas, in tenths, whose blur has the 3 and the 5 taps of the papers.
constexpr double kSigma3Taps = 0.4, kSigma5Taps = 0.7;

canny::Params canny_params(double sigma, unsigned passes) {
  canny::Params params = bench::params(sigma, canny::Norm::kL2, canny::Operator::kSobel);
  params.hysteresis_passes = passes;
  return params;
}

/// A detector without blur, suppression and hysteresis: all pixels above one threshold are strong,
/// so a single pass finds nothing more.
canny::Params plain_params(canny::Operator op) {
  canny::Params params = bench::params(0, canny::Norm::kL2, op);
  params.low_threshold = params.high_threshold;
  params.thin_edges = false;
  params.hysteresis_passes = 1;
  return params;
}

std::string text(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// Four passes, and until stable as OpenCV does it.
void add_luo(Content content, const std::vector<Size>& sizes, std::vector<Case>* cases) {
  for (const Size size : sizes) {
    const std::string row = std::string(name(content)) + " " + text(size);
    cases->push_back({"luo", row, "", content, size, canny_params(1.4, 4), PixelFormat::kRgb});
    cases->push_back(
        {"luo", row, "stable_", content, size, canny_params(1.4, 0), PixelFormat::kRgb});
  }
}

/// Five passes, the default of the paper's code.
void add_lam(std::vector<Case>* cases) {
  for (const int side : {256, 512, 1024, 2048, 4096})
    for (const int sigma : {1, 2, 3, 4})
      cases->push_back({"lam", text({side, side}), "sigma" + std::to_string(sigma) + "_",
                        Content::kPortrait, Size{side, side}, canny_params(sigma, 5),
                        PixelFormat::kRgb});
}

void add_emrani(std::vector<Case>* cases) {
  const auto add = [&](const std::string& detector, const canny::Params& params) {
    for (const int side : {64, 128, 256, 512, 1024})
      cases->push_back({"emrani", detector + " " + text({side, side}), "", Content::kPortrait,
                        Size{side, side}, params, PixelFormat::kGray8});
  };
  add("Canny", canny_params(kSigma3Taps, 0));
  add("Sobel", plain_params(canny::Operator::kSobel));
  add("Prewitt", plain_params(canny::Operator::kPrewitt));
  add("Roberts", plain_params(canny::Operator::kRoberts));
}

/// Thresholds are shares of the largest gradient, and one pass is the least that there is.
void add_jans(std::vector<Case>* cases) {
  canny::Params params = canny_params(kSigma5Taps, 1);
  params.threshold_mode = canny::ThresholdMode::kRelative;
  for (const Size size : {Size{256, 256}, Size{512, 512}, Size{1024, 1024}, Size{2048, 2048},
                          Size{4096, 4096}, Size{4096, 6144}})
    cases->push_back(
        {"jans", text(size), "", Content::kPortrait, size, params, PixelFormat::kGray8});
}

void add_song(std::vector<Case>* cases) {
  for (const Size size :
       {Size{256, 256}, Size{512, 512}, Size{640, 480}, Size{720, 576}, Size{990, 650},
        Size{1280, 720}, Size{1024, 1024}, Size{2048, 1536}, Size{3500, 3500}, Size{7452, 8024}})
    cases->push_back({"song", text(size), "", Content::kPortrait, size,
                      canny_params(kSigma3Taps, 1), PixelFormat::kGray8});
}

}  // namespace

std::vector<Case> all_cases(bool quick) {
  std::vector<Case> cases;
  add_luo(Content::kPortrait, {{256, 256}, {512, 512}, {1024, 1024}, {2048, 2048}, {3936, 3936}},
          &cases);
  add_luo(Content::kBusy, {{256, 240}, {512, 496}, {1024, 992}, {2048, 1968}, {4096, 3936}},
          &cases);
  add_lam(&cases);
  add_emrani(&cases);
  add_jans(&cases);
  add_song(&cases);
  const auto is_large = [](const Case& each) {
    return each.size.width > 512 || each.size.height > 512;
  };
  if (quick) cases.erase(std::remove_if(cases.begin(), cases.end(), is_large), cases.end());
  return cases;
}

}  // namespace papers

// SPDX-License-Identifier: LGPL-2.1-or-later
// bench_detector's command line.
#pragma once

#include <string>
#include <vector>

#include "canny/canny.h"

namespace bench {

struct Size {
  int width, height;  ///< pixels
};

/// A rectangle in the middle of a frame, as a share of its area; 0 = no region.
struct RegionShare {
  double share = 0;
  bool is_wide = false;  ///< whether it has the frame's width, not its aspect

  canny::Rectangle rectangle(Size size) const;
  std::string name() const;  ///< as on the command line
};

/// Before a picture or a mask: a picture in black and white alone, with 255 where the green sample
/// exceeds 127, or where the mask has candidates, and 0 elsewhere.
inline constexpr char kHard[] = "hard-";

bool is_hard(const std::string& content);
/// The picture or mask without kHard.
std::string soft(const std::string& content);

/// The combinations to time. An empty list has a default that depends on the machine.
struct Options {
  std::vector<Size> sizes;
  std::vector<std::string> contents;  ///< names of pictures and masks, or of hard ones
  std::vector<double> sigmas{1.4};
  std::vector<canny::Norm> norms{canny::Norm::kL2};
  std::vector<unsigned> passes{0};
  std::vector<canny::Operator> operators{canny::Operator::kSobel};
  std::vector<canny::ColorMode> color_modes{canny::ColorMode::kLuma};
  std::vector<canny::LumaDepth> luma_depths{canny::LumaDepth::kFull};
  std::vector<canny::ThresholdMode> threshold_modes{canny::ThresholdMode::kAbsolute};
  std::vector<unsigned> min_lengths{0};
  std::vector<canny::View> views{canny::View::kEdges};
  std::vector<RegionShare> regions{{}};
  bool thick = false;
  std::vector<canny::PixelFormat> formats{canny::PixelFormat::kRgb};
  std::vector<canny::Backend> backends;
  std::string tiles_folder;
  std::string json_path;
  std::string counts_path;  ///< of a file that count_instructions wrote
  unsigned in_flight = canny::kMaxFramesInFlight;
  unsigned batch = 1;       ///< pictures of a frame
  unsigned components = 0;  ///< fewest pixels of a component to find, 0 = find none
  unsigned threads = 0;
  double cpu_budget = 2e6;  ///< microseconds to time a picture on the CPU, without its stages
  std::string target;       ///< Highway's name, empty for the best
  bool once = false;
  bool kernels = false;
  bool npp = false;
  bool window = false;
  bool stages = false;
  bool help = false;
};

extern const char kUsage[];

const char* name(canny::PixelFormat format);

/// Parameters with thresholds 50 and 100 of the Sobel operator. Those of other operators are as
/// many times larger as their gradients are.
canny::Params params(double sigma, canny::Norm norm, canny::Operator op);

/// Whether only sigma, the norm and the passes differ from params().
bool is_plain(const canny::Params& params);

/// Every combination of the options that has candidates of its own: without passes, lengths and
/// views.
std::vector<canny::Params> all_params(const Options& options);

/// Reads the command line. Throws std::invalid_argument if it is wrong.
Options parse(int argc, char** argv);

}  // namespace bench

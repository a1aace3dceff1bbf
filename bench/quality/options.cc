// SPDX-License-Identifier: LGPL-2.1-or-later
// Reads the arguments.
#include "options.h"

#include <stdexcept>

namespace quality {
namespace {

canny::Backend backend(const std::string& name) {
  for (const auto each : {canny::Backend::kAuto, canny::Backend::kCuda, canny::Backend::kCpu})
    if (name == canny::name(each)) return each;
  throw std::invalid_argument("--backend: \"" + name + "\" is not one of auto, cuda, cpu");
}

}  // namespace

const char kUsage[] =
    "usage: quality [--backend auto|cuda|cpu] [--boundaries FOLDER] [--markdown] [--json FILE]\n"
    "               [PICTURE]...\n"
    "\n"
    "Rates the edges of PICTUREs, binary PPM or PGM files, and of drawn shapes. Without a\n"
    "PICTURE, takes those of the tests, from the folder CANNY_TEST_PICTURES or, if that is not\n"
    "set, from tests/conformance/pictures in the build folder.\n"
    "\n"
    "  --backend NAME       the backend that finds the edges (auto)\n"
    "  --boundaries FOLDER  also compares the edges with those of FOLDER/NAME.pgm, where the\n"
    "                       PICTURE is NAME.ppm or NAME.pgm: pixels that are not 0\n"
    "  --markdown           prints the tables in Markdown\n"
    "  --json FILE          writes the tables to FILE as well\n"
    "\n"
    "The exit status is 1 if a pixel of a PICTURE differs from OpenCV or from the reference.\n";

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto value = [&]() -> const std::string& {
      if (i + 1 == arguments.size() || arguments[i + 1].empty())
        throw std::invalid_argument(name + " needs a value");
      return arguments[++i];
    };
    if (name == "--backend") {
      options.backend = backend(value());
    } else if (name == "--boundaries") {
      options.boundaries = value();
    } else if (name == "--json") {
      options.json = value();
    } else if (name == "--markdown") {
      options.markdown = true;
    } else if (name == "--help") {
      options.help = true;
    } else if (name.empty() || name[0] == '-') {
      throw std::invalid_argument("unknown option \"" + name + "\"; --help lists them");
    } else {
      options.pictures.push_back(name);
    }
  }
  return options;
}

}  // namespace quality

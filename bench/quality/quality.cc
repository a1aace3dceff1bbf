// SPDX-License-Identifier: LGPL-2.1-or-later
/// Prints metrics of the quality of edges in pictures and in drawn shapes.
/// docs/internals/quality.md explains them; --help lists the options.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "canny/settings.h"
#include "rate.h"

namespace {

using namespace quality;

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

canny::Backend backend_of(const std::string& name) {
  const auto backend = canny::find<canny::Backend>(name);
  if (backend && backend != canny::Backend::kOpenCl) return *backend;
  bench::refuse(name, "is not one of auto, cuda, cpu");
}

/// The folder of the pictures that the tests use.
std::string picture_folder() {
  const char* folder = std::getenv("CANNY_TEST_PICTURES");
  if (folder != nullptr && *folder != '\0') return folder;
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto build = program.parent_path().parent_path().parent_path();
  return build / "tests" / "conformance" / "pictures";
}

int run(int argc, char** argv) {
  canny::Backend backend = canny::Backend::kAuto;
  std::string boundaries, json;
  bool is_markdown = false, help = false;
  std::vector<std::string> paths = bench::read_arguments(
      argc, argv,
      {{"--backend", [&](const std::string& name) { backend = backend_of(name); }},
       {"--boundaries", bench::store(&boundaries)},
       {"--json", bench::store(&json)}},
      {{"--markdown", &is_markdown}, {"--help", &help}});
  if (help) return std::fputs(kUsage, stdout) < 0;

  Edges edges(backend);
  if (paths.empty()) paths = pictures_in(picture_folder());
  const std::vector<Picture> pictures = read_pictures(paths);
  bool are_equal = false;
  std::vector<Table> tables = rate_pictures(pictures, &edges, &are_equal);
  if (!boundaries.empty()) tables.push_back(rate_boundaries(pictures, boundaries, &edges));
  for (const Table& table : rate_shapes(&edges)) tables.push_back(table);
  tables.push_back(rate_steps(&edges));

  if (!is_markdown) std::printf("%s\n\n", edges.device().c_str());
  std::fputs((is_markdown ? markdown(tables) : text(tables)).c_str(), stdout);
  if (!json.empty() && !write_json(json, edges.device(), tables))
    throw std::runtime_error(json + ": can't be written");
  if (!are_equal) std::fprintf(stderr, "quality: edges differ from OpenCV or the reference\n");
  return are_equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  int status = 1;
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    status = 2;
    std::fprintf(stderr, "quality: %s\n", error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quality: %s\n", error.what());
  }
  return status;
}

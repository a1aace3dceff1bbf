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

#include "options.h"
#include "rate.h"

namespace {

using namespace quality;

/// The folder of the pictures that the tests use.
std::string picture_folder() {
  const char* folder = std::getenv("CANNY_TEST_PICTURES");
  if (folder != nullptr && *folder != '\0') return folder;
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  const auto build = program.parent_path().parent_path().parent_path();
  return build / "tests" / "conformance" / "pictures";
}

int run(const Options& options) {
  Edges edges(options.backend);
  const std::vector<Picture> pictures =
      read_pictures(options.pictures.empty() ? pictures_in(picture_folder()) : options.pictures);
  bool are_equal = false;
  std::vector<Table> tables = rate_pictures(pictures, &edges, &are_equal);
  if (!options.boundaries.empty())
    tables.push_back(rate_boundaries(pictures, options.boundaries, &edges));
  for (const Table& table : rate_shapes(&edges)) tables.push_back(table);
  tables.push_back(rate_steps(&edges));

  if (!options.markdown) std::printf("%s\n\n", edges.device().c_str());
  std::fputs((options.markdown ? markdown(tables) : text(tables)).c_str(), stdout);
  if (!options.json.empty() && !write_json(options.json, edges.device(), tables))
    throw std::runtime_error(options.json + ": can't be written");
  if (!are_equal) std::fprintf(stderr, "quality: edges differ from OpenCV or the reference\n");
  return are_equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse({argv + 1, argv + argc});
    if (!options.help) return run(options);
    std::fputs(kUsage, stdout);
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "quality: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quality: %s\n", error.what());
    return 1;
  }
}

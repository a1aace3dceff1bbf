// SPDX-License-Identifier: LGPL-2.1-or-later
// Times whole frames on the chosen backends, over sizes, contents, parameters and formats. A result
// that differs from the reference is not timed.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench.h"
#include "canny/frame.h"
#include "check.h"
#include "options.h"
#include "pictures.h"
#include "reference/masks.h"
#include "report.h"

namespace {

using bench::EdgeMap;
using bench::Options;
using bench::Size;
using reference::Candidates;

using Benches = std::vector<std::unique_ptr<bench::Bench>>;

/// State that the functions below share.
struct Run {
  const Options& options;
  const Benches& benches;
  const pictures::Tiles& tiles;
  bench::Report& report;
};

double percent(const std::vector<std::uint8_t>& flags) {
  const auto zeros = std::count(flags.begin(), flags.end(), 0);
  return 100.0 - 100.0 * static_cast<double>(zeros) / static_cast<double>(flags.size());
}

EdgeMap edge_map(const Candidates& candidates, unsigned passes, unsigned min_length) {
  reference::Bytes edges = reference::hysteresis(candidates, passes);
  reference::remove_short(min_length, &edges);
  for (std::uint8_t& edge : edges.samples) edge = edge ? 255 : 0;
  return std::move(edges.samples);
}

/// Returns the columns that every content has. `bytes_in` is the size of a frame's input.
bench::Row row_of(const std::string& content, Size size, unsigned passes, double bytes_in,
                  const Candidates& candidates, const EdgeMap& expected) {
  bench::Row row;
  row.content = content;
  row.size = std::to_string(size.width) + "x" + std::to_string(size.height);
  row.passes = passes;
  row.pixels = 1.0 * size.width * size.height;
  row.bytes = bytes_in + row.pixels;
  row.candidates_percent = percent(candidates.candidate.samples);
  row.edges_percent = percent(expected);
  return row;
}

void time_mask(const Run& run, masks::Mask mask, Size size) {
  const Candidates candidates = masks::draw(mask, size.width, size.height);
  for (unsigned passes : run.options.passes) {
    const EdgeMap expected = edge_map(candidates, passes, 0);
    const double bytes_in = 2.0 * size.width * size.height / 8;  // the two planes
    bench::Row row = row_of(masks::name(mask), size, passes, bytes_in, candidates, expected);
    row.format = "mask";
    for (const auto& bench : run.benches) {
      row.backend = name(bench->backend());
      row.outcome = bench->run(candidates, passes, expected);
      run.report.add(row);
    }
  }
}

/// A painted picture, before its conversion to formats.
struct Painting {
  std::string content;
  Size size;
  std::vector<std::uint8_t> rgb;
  std::string region_name;
  const canny::Region* region;
};

/// Whether the edge map of this format differs from that of the painting: colors have other numbers
/// of bits, another order that counts, or are no longer there.
bool differs(canny::PixelFormat format, const canny::Params& params) {
  const bool needs_colors = params.color_mode != canny::ColorMode::kLuma;
  const canny::PixelLayout& pixel = canny::layout(format);
  return pixel.green_bits > 0 || canny::is_deep(format) ||
         (needs_colors && (!canny::has_colors(format) || canny::is_blue_first(pixel)));
}

/// Returns the reference's output for a view other than edges.
bench::Output render(const canny::Params& params, const canny::ConstFrame& input) {
  const canny::PixelFormat format = bench::output_format(params, input.format);
  bench::Output bytes(bench::tight_bytes(input.width, input.height, format));
  reference::render(
      params, input,
      bench::tight_frame(bytes.data(), input.width, input.height, format, canny::Memory::kHost));
  return bytes;
}

/// Times all formats on all backends.
void time_formats(const Run& run, const Painting& painting, const canny::Params& params,
                  const Candidates& candidates) {
  const EdgeMap map = edge_map(candidates, params.hysteresis_passes, params.min_length);
  const Size size = painting.size;
  for (canny::PixelFormat format : run.options.formats) {
    bench::Picture picture =
        bench::convert(painting.rgb, size.width, size.height, format, run.options.window);
    picture.shape.region = painting.region;
    const canny::ConstFrame frame = picture.frame(picture.bytes.data(), canny::Memory::kHost);
    const EdgeMap edges = differs(format, params) ? reference::detect(params, frame) : map;
    const bool is_view = params.view != canny::View::kEdges;
    bench::Picture expected = {is_view ? render(params, frame) : edges, 0, {}, ""};
    const double bytes_in =
        1.0 * canny::row_bytes(format, size.width) * canny::planes(format) * size.height;
    bench::Row row =
        row_of(painting.content, size, params.hysteresis_passes, bytes_in, candidates, edges);
    row.bytes = bytes_in + static_cast<double>(expected.bytes.size());
    row.batch = run.options.batch;
    row.pixels *= row.batch;
    row.bytes *= row.batch;
    bench::repeat(row.batch, &picture);
    bench::repeat(row.batch, &expected);
    row.format = bench::name(format);
    row.window = run.options.window;
    row.region = painting.region_name;
    row.params = params;
    picture.subject = bench::subject(row);
    for (const auto& bench : run.benches) {
      row.backend = name(bench->backend());
      row.outcome = bench->run(picture, params, expected.bytes);
      run.report.add(row);
    }
  }
}

void time_parameters(const Run& run, const Painting& painting) {
  const Size size = painting.size;
  canny::ConstFrame rgb = {painting.rgb.data(), 3 * size.width,           size.width,
                           size.height,         canny::PixelFormat::kRgb, canny::Memory::kHost};
  rgb.region = painting.region;
  for (canny::Params params : bench::all_params(run.options)) {
    const Candidates candidates = reference::front(params, rgb);
    for (const unsigned min_length : run.options.min_lengths) {
      for (const unsigned passes : run.options.passes) {
        for (const canny::View view : run.options.views) {
          params.min_length = min_length;
          params.hysteresis_passes = passes;
          params.view = view;
          time_formats(run, painting, params, candidates);
        }
      }
    }
  }
}

/// Paints a picture, or the hard picture of a picture or a mask, in tight RGB.
std::vector<std::uint8_t> paint(const Run& run, const std::string& content, Size size) {
  const std::string name = bench::soft(content);
  std::vector<std::uint8_t> rgb;
  if (const auto mask = masks::find(name)) {
    for (const std::uint8_t candidate : masks::candidates(*mask, size.width, size.height).samples)
      rgb.insert(rgb.end(), 3, candidate != 0 ? 255 : 0);
    return rgb;
  }
  rgb = pictures::paint(*pictures::find(name), size.width, size.height, run.tiles);
  if (!bench::is_hard(content)) return rgb;
  for (std::size_t i = 0; i < rgb.size(); i += 3)
    std::fill_n(rgb.data() + i, 3, rgb[i + 1] > 127 ? 255 : 0);
  return rgb;
}

void time_picture(const Run& run, const std::string& content, Size size) {
  for (const bench::RegionShare& share : run.options.regions) {
    const canny::Rectangle rectangle = share.rectangle(size);
    canny::Region region;
    region.rectangles = &rectangle;
    region.rectangle_count = 1;
    const std::vector<canny::Region> regions(run.options.batch, region);
    time_parameters(run, {content, size, paint(run, content, size), share.name(),
                          share.share > 0 ? regions.data() : nullptr});
  }
}

void time_all(const Run& run) {
  run.report.print_head();
  for (const Size size : run.options.sizes) {
    for (const std::string& content : run.options.contents) {
      if (const auto mask = masks::find(content))
        time_mask(run, *mask, size);
      else
        time_picture(run, content, size);
    }
  }
}

/// Whether all parameters that have no columns of their own by default are the usual ones.
bool is_plain(const Options& options) {
  const auto all = bench::all_params(options);
  return std::all_of(all.begin(), all.end(), bench::is_plain) &&
         options.min_lengths == Options().min_lengths && options.views == Options().views &&
         options.regions.size() == 1 && options.regions.front().share == 0;
}

/// Opens the backends that --backends names, by default CUDA or else the CPU. If one that it names
/// can't be opened, prints the reason and returns none.
Benches open(const Options& options, bench::Machine* machine) {
  Benches benches;
  const auto add = [&](canny::Backend backend) {
    std::string why;
    auto bench = backend == canny::Backend::kCuda ? bench::open_cuda(options, machine, &why)
                                                  : bench::open_cpu(options, machine, &why);
    if (!bench) std::fprintf(stderr, "bench_detector: no %s: %s\n", name(backend), why.c_str());
    if (bench) benches.push_back(std::move(bench));
    return !benches.empty();
  };
  if (options.backends.empty()) {
    if (!add(canny::Backend::kCuda)) add(canny::Backend::kCpu);
    return benches;
  }
  for (const canny::Backend backend : options.backends) add(backend);
  if (benches.size() < options.backends.size()) benches.clear();
  return benches;
}

bool has(const Benches& benches, canny::Backend backend) {
  return std::any_of(benches.begin(), benches.end(),
                     [&](const auto& bench) { return bench->backend() == backend; });
}

void fill_in_defaults(const Benches& benches, Options* options) {
  const bool cuda = has(benches, canny::Backend::kCuda);
  if (options->sizes.empty()) {
    options->sizes = {{1920, 1080}, {3840, 2160}};
    if (cuda) options->sizes.push_back({7680, 4320});
  }
  if (options->contents.empty())
    options->contents = {options->tiles_folder.empty() ? "shapes" : "photo", "noise"};
}

/// Reads the tiles if a content needs them.
pictures::Tiles tiles_for(const Options& options) {
  const auto& contents = options.contents;
  const auto needs_tiles = [](const std::string& name) { return bench::soft(name) == "photo"; };
  if (std::none_of(contents.begin(), contents.end(), needs_tiles)) return {};
  if (options.tiles_folder.empty()) bench::fail("photo needs --tiles", 2);
  return pictures::read_tiles(options.tiles_folder);
}

}  // namespace

int main(int argc, char** argv) try {
  Options options = bench::parse(argc, argv);
  if (options.help) return std::fputs(bench::kUsage, stdout) < 0;
  bench::Machine machine;
  const Benches benches = open(options, &machine);
  if (benches.empty()) return 1;
  fill_in_defaults(benches, &options);
  const pictures::Tiles tiles = tiles_for(options);

  const bool cpu = has(benches, canny::Backend::kCpu);
  const bench::Columns columns = {options.npp,
                                  cpu,
                                  cpu && options.threads != 1,
                                  !is_plain(options),
                                  options.stages,
                                  options.kernels,
                                  options.batch > 1};
  bench::Report report(machine, columns, options.json_path);
  report.save();
  time_all({options, benches, tiles, report});
  if (report.any_wrong()) bench::fail("an output differs from the reference");
} catch (const std::invalid_argument& wrong) {
  bench::fail(wrong.what(), 2);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Writes any view as pixels of every format.
#include <algorithm>
#include <array>
#include <map>

#include "pixel_formats.h"
#include "reference.h"

namespace reference {
namespace {

using canny::ConstFrame;
using canny::Frame;
using canny::Params;
using canny::PixelFormat;

// ---- edges over the input ----

/// A sample of a frame: its bytes in both frames, the component that it is, and the pixels that it
/// belongs to, from (left, top) to before (right, bottom).
struct Site {
  const std::uint8_t* from;
  std::uint8_t* to;
  int component;  ///< 0 red or Y, 1 green or U, 2 blue or V, -1 none
  int left, top, right, bottom;
};
using Sites = std::vector<Site>;

void add_chroma(const ConstFrame& input, const Frame& output, Sites* sites) {
  const auto& from = input.chroma;
  const auto& to = output.chroma;
  const int across = 1 << to.shift_x;
  const int down = 1 << to.shift_y;
  for (int y = 0; y * down < output.height; y++) {
    for (int x = 0; x * across < output.width; x++) {
      const int left = x * across;
      const int top = y * down;
      sites->push_back({from.u.data + y * from.u.stride_bytes + x * from.step_bytes,
                        to.u.data + y * to.u.stride_bytes + x * to.step_bytes, 1, left, top,
                        left + across, top + down});
      sites->push_back({from.v.data + y * from.v.stride_bytes + x * from.step_bytes,
                        to.v.data + y * to.v.stride_bytes + x * to.step_bytes, 2, left, top,
                        left + across, top + down});
    }
  }
}

/// The components of a pixel's bytes, for formats of whole bytes in one plane. Chroma of two pixels
/// is 3.
std::vector<int> components(PixelFormat format) {
  switch (format) {
    case PixelFormat::kGray8:
      return {0};
    case PixelFormat::kYuy2:
      return {0, 3};
    case PixelFormat::kUyvy:
      return {3, 0};
    case PixelFormat::kAyuv:
      return {-1, 0, 1, 2};
    case PixelFormat::kVuya:
      return {2, 1, 0, -1};
    default:
      break;
  }
  const Layout at = layout(format);
  std::vector<int> result(std::size_t(at.bytes), -1);
  result[std::size_t(at.r)] = 0;
  result[std::size_t(at.g)] = 1;
  result[std::size_t(at.b)] = 2;
  return result;
}

void add_bytes(const ConstFrame& input, const Frame& output, Sites* sites) {
  const std::vector<int> bytes = components(output.format);
  for (int y = 0; y < output.height; y++) {
    const std::uint8_t* from = input.data + y * input.stride_bytes;
    std::uint8_t* to = output.data + y * output.stride_bytes;
    for (int x = 0; x < output.width; x++) {
      for (const int component : bytes) {
        if (component == 3)
          sites->push_back({from++, to++, 1 + x % 2, x - x % 2, y, x - x % 2 + 2, y + 1});
        else
          sites->push_back({from++, to++, component, x, y, x + 1, y + 1});
      }
    }
  }
}

void add_plane(const canny::BasicPlane<const std::uint8_t>& from,
               const canny::BasicPlane<std::uint8_t>& to, int component, const Frame& output,
               Sites* sites) {
  for (int y = 0; y < output.height; y++)
    for (int x = 0; x < output.width; x++)
      sites->push_back({from.data + y * from.stride_bytes + x, to.data + y * to.stride_bytes + x,
                        component, x, y, x + 1, y + 1});
}

Sites sites_of(const ConstFrame& input, const Frame& output) {
  Sites sites;
  if (output.format == PixelFormat::kRgbPlanes) {
    add_plane({input.data, input.stride_bytes}, {output.data, output.stride_bytes}, 0, output,
              &sites);
    add_plane(input.green, output.green, 1, output, &sites);
    add_plane(input.blue, output.blue, 2, output, &sites);
    return sites;
  }
  add_bytes(input, output, &sites);
  if (output.chroma.u.data != nullptr) add_chroma(input, output, &sites);
  return sites;
}

/// How a view changes a sample.
struct Change {
  int alpha;  ///< of overlay
  int color[3];
  bool is_mask;
  int black[3];

  int operator()(int sample, int component, bool is_edge) const {
    if (is_mask) return is_edge ? sample : black[component];
    return is_edge ? (alpha * color[component] + (255 - alpha) * sample + 127) / 255 : sample;
  }
};

bool is_yuv(const Frame& frame) {
  switch (frame.format) {
    case PixelFormat::kGray8:
      return frame.chroma.u.data != nullptr;
    case PixelFormat::kYuy2:
    case PixelFormat::kUyvy:
    case PixelFormat::kAyuv:
    case PixelFormat::kVuya:
      return true;
    default:
      return false;
  }
}

Change change_of(const Params& params, const Frame& output) {
  const auto part = [&](int i) { return int(params.edge_color >> (24 - 8 * i) & 255); };
  Change change = {part(0), {part(1), part(2), part(3)}, params.view == View::kMasked, {}};
  if (is_yuv(output)) {
    change.black[0] = 16;
    change.black[1] = change.black[2] = 128;
  }
  return change;
}

bool any(const Bytes& edges, const Site& site) {
  for (int y = site.top; y < std::min(site.bottom, edges.height); y++)
    for (int x = site.left; x < std::min(site.right, edges.width); x++)
      if (edges.row(y)[x]) return true;
  return false;
}

/// A word of colors: the colors from the highest bits down.
void change_word(const ColorBits& at, const Change& change, bool is_edge, const std::uint8_t* from,
                 std::uint8_t* to) {
  const int word = from[0] + 256 * from[1];
  int changed = 0;
  for (int i = 2, lowest = 0; i >= 0; lowest += at.bits[i--]) {
    const int bits = at.bits[i];
    const int wide = widen((word >> lowest) % (1 << bits), bits);
    changed += change(wide, at.is_blue_first ? 2 - i : i, is_edge) >> (8 - bits) << lowest;
  }
  to[0] = std::uint8_t(changed % 256);
  to[1] = std::uint8_t(changed / 256);
}

void change_words(const ColorBits& at, const Change& change, const Bytes& edges,
                  const ConstFrame& input, const Frame& output) {
  for (int y = 0; y < output.height; y++)
    for (int x = 0; x < output.width; x++)
      change_word(at, change, edges.row(y)[x] != 0, input.data + y * input.stride_bytes + 2 * x,
                  output.data + y * output.stride_bytes + 2 * x);
}

void show_input(const Params& params, const Bytes& edges, const ConstFrame& input,
                const Frame& output) {
  const Change change = change_of(params, output);
  if (const auto bits = color_bits(output.format))
    return change_words(*bits, change, edges, input, output);
  for (const Site& site : sites_of(input, output)) {
    *site.to = site.component < 0
                   ? *site.from
                   : std::uint8_t(change(*site.from, site.component, any(edges, site)));
  }
}

// ---- values ----

using Color = std::array<int, 3>;  ///< red, green, blue

/// The color of a value in formats of red, green and blue.
Color color_of(View view, int value) {
  static const std::map<int, Color> kDirectionColors = {{0, {0, 0, 0}},
                                                        {64, {255, 0, 0}},
                                                        {128, {0, 255, 0}},
                                                        {192, {0, 0, 255}},
                                                        {255, {255, 255, 0}}};
  static const std::vector<Color> kPasses = {
      {0, 0, 0},     {255, 0, 0},   {0, 255, 0},   {0, 0, 255},   {255, 255, 0},  {255, 0, 255},
      {0, 255, 255}, {255, 128, 0}, {128, 0, 255}, {0, 128, 255}, {128, 255, 0},  {255, 0, 128},
      {0, 255, 128}, {128, 0, 0},   {0, 128, 0},   {0, 0, 128},   {128, 128, 128}};
  if (view == View::kDirection) return kDirectionColors.at(value);
  if (view == View::kPasses && value < 255) return kPasses[std::size_t(std::min(value, 16))];
  return {value, value, value};
}

void show_word(const ColorBits& at, const Color& color, std::uint8_t* pixel) {
  int word = 0;
  for (int i = 0; i < 3; i++) {
    const int value = color[std::size_t(at.is_blue_first ? 2 - i : i)];
    word = (word << at.bits[i]) + (value >> (8 - at.bits[i]));
  }
  pixel[0] = std::uint8_t(word % 256);
  pixel[1] = std::uint8_t(word / 256);
}

void show_pixel(const Color& color, const Frame& output, int x, int y) {
  std::uint8_t* row = output.data + y * output.stride_bytes;
  if (const auto at = floats(output.format)) {
    for (int i = 0; i < at->colors; i++)
      store_float(*at, float(color[std::size_t(i)]) / 255.0F, float_sample(output, x, y, i));
    return;
  }
  if (output.format == PixelFormat::kRgbPlanes) {
    row[x] = std::uint8_t(color[0]);
    output.green.data[y * output.green.stride_bytes + x] = std::uint8_t(color[1]);
    output.blue.data[y * output.blue.stride_bytes + x] = std::uint8_t(color[2]);
    return;
  }
  if (const auto bits = color_bits(output.format)) return show_word(*bits, color, row + 2 * x);
  const Layout at = layout(output.format);
  std::uint8_t* pixel = row + x * at.bytes;
  for (int i = 0; i < at.bytes; i++)
    if (at.rest[i] >= 0) pixel[i] = std::uint8_t(at.rest[i]);
  pixel[at.r] = std::uint8_t(color[0]);
  pixel[at.g] = std::uint8_t(color[1]);
  pixel[at.b] = std::uint8_t(color[2]);
  if (output.format == PixelFormat::kGray16Le) pixel[1] = pixel[0];
}

bool has_colors(PixelFormat format) {
  if (format == PixelFormat::kRgbPlanes || color_bits(format)) return true;
  if (const auto at = floats(format)) return at->colors == 3;
  return layout(format).r != layout(format).g;
}

void show_values(View view, const Bytes& values, const Frame& output) {
  for (int y = 0; y < output.height; y++) {
    for (int x = 0; x < output.width; x++) {
      const int value = values.row(y)[x];
      show_pixel(has_colors(output.format) ? color_of(view, value) : Color{value, value, value},
                 output, x, y);
    }
  }
}

bool has_edges(View view) {
  return view == View::kEdges || view == View::kOverlay || view == View::kMasked;
}

/// Whether the view depends on the candidates.
bool needs_candidates(View view) {
  return has_edges(view) || view == View::kClasses || view == View::kPasses;
}

/// What the pixels of a view other than an edge map, overlay or mask show.
Bytes values_of(const Params& params, const ConstFrame& input, bool in_color,
                const Candidates& candidates) {
  const View shown = params.view;
  if (shown == View::kLuma || shown == View::kBlurred) {
    const double sigma = shown == View::kLuma ? 0 : params.sigma;
    return is_deep(params, input) ? highest(blur(deep_luma(input), sigma))
                                  : blur(luma(input), sigma);
  }
  if (shown == View::kPasses && in_color) return pass_numbers(candidates, params.hysteresis_passes);
  return view(shown, respond(params, input), candidates, params.norm, params.gradient_operator,
              params.hysteresis_passes);
}

std::uint64_t count_ones(const Bytes& plane) {
  return std::uint64_t(std::count(plane.samples.begin(), plane.samples.end(), 1));
}

}  // namespace

void output(const std::vector<std::uint8_t>& edges, const Frame& frame) {
  for (int y = 0; y < frame.height; y++) {
    for (int x = 0; x < frame.width; x++) {
      const int edge = edges[std::size_t(y) * std::size_t(frame.width) + std::size_t(x)];
      show_pixel({edge, edge, edge}, frame, x, y);
    }
  }
}

Rendered render(const Params& params, const ConstFrame& input, const Frame& output) {
  Rendered result;
  if (params.threshold_mode == ThresholdMode::kAbsolute) {
    result.limits = {std::min(params.low_threshold, params.high_threshold),
                     std::max(params.low_threshold, params.high_threshold)};
  }
  Candidates candidates;
  if (needs_candidates(params.view)) {
    candidates = front(params, input, &result.limits);
    result.strong = count_ones(candidates.strong);
    result.candidates = count_ones(candidates.candidate);
  }
  if (!has_edges(params.view)) {
    const bool in_color = has_colors(output.format);
    show_values(params.view, values_of(params, input, in_color, candidates), output);
    return result;
  }
  Bytes edges = edges_of(params, candidates);
  result.edges = count_ones(edges);
  result.components = count_components(edges);
  for (std::uint8_t& edge : edges.samples) edge = edge ? 255 : 0;
  if (params.view == View::kEdges)
    reference::output(edges.samples, output);
  else
    show_input(params, edges, input, output);
  return result;
}

}  // namespace reference

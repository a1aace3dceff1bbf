// SPDX-License-Identifier: LGPL-2.1-or-later
/// Draws times as bars.
#include "tools/plot.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tools/ref.h"

namespace tuner {

namespace {

constexpr double kLegendHeight = 16;

struct Color {
  double red, green, blue;
};
constexpr std::array<Color, kStageNames.size()> kColors = {{{0.55, 0.35, 0.75},
                                                            {0.25, 0.55, 0.85},
                                                            {0.95, 0.60, 0.20},
                                                            {0.35, 0.70, 0.35},
                                                            {0.85, 0.35, 0.45}}};
constexpr Color kWhole = {0.6, 0.6, 0.6};
constexpr Color kBackground = {0.15, 0.15, 0.15};
constexpr Color kMark = {1, 1, 1};

void set_color(cairo_t* cairo, const Color& color) {
  cairo_set_source_rgb(cairo, color.red, color.green, color.blue);
}

double total_ms(const Statistics& frame) {
  if (!frame.has_stages()) return frame.last_ms;
  return std::accumulate(frame.stages_ms.begin(), frame.stages_ms.end(), 0.0);
}

/// The time of the top: the longest or, if a few frames are much slower than the others, a fourth
/// more than 95 % of them take.
double top_ms(const History& history) {
  std::vector<double> times;
  for (const Statistics& frame : history.all()) times.push_back(total_ms(frame));
  std::sort(times.begin(), times.end());
  const double usual = times[(times.size() - 1) * 95 / 100];
  return std::min(times.back(), 1.25 * usual);
}

void draw_bar(cairo_t* cairo, const Statistics& frame, double x, double width, double bottom,
              double pixels_per_ms) {
  const auto draw = [&](const Color& color, double ms) {
    set_color(cairo, color);
    cairo_rectangle(cairo, x, bottom - ms * pixels_per_ms, width, ms * pixels_per_ms);
    cairo_fill(cairo);
    bottom -= ms * pixels_per_ms;
  };
  if (!frame.has_stages()) return draw(kWhole, frame.last_ms);
  for (std::size_t i = 0; i < frame.stages_ms.size(); ++i) draw(kColors[i], frame.stages_ms[i]);
}

/// The names of the stages that took time, in their colors.
void draw_legend(cairo_t* cairo, const Statistics& latest, double top_ms) {
  cairo_set_font_size(cairo, 11);
  cairo_move_to(cairo, 2, 12);
  set_color(cairo, {0.9, 0.9, 0.9});
  cairo_show_text(cairo, take(g_strdup_printf("%.2f ms  ", top_ms)).c_str());
  for (std::size_t i = 0; i < kStageNames.size(); ++i) {
    if (latest.stages_ms[i] == 0) continue;
    set_color(cairo, kColors[i]);
    cairo_show_text(cairo, kStageNames[i]);
    cairo_show_text(cairo, "  ");
  }
}

/// Shows that a bar goes on above the top.
void mark_top(cairo_t* cairo, double x, double width) {
  set_color(cairo, kBackground);
  cairo_rectangle(cairo, x, 0, width, kLegendHeight);
  cairo_fill(cairo);
  set_color(cairo, kMark);
  cairo_rectangle(cairo, x, kLegendHeight, width, 3);
  cairo_fill(cairo);
}

}  // namespace

void draw_plot(cairo_t* cairo, const History& history, double width, double height) {
  set_color(cairo, kBackground);
  cairo_paint(cairo);
  if (history.all().empty()) return;
  const double top = top_ms(history);
  const double pixels_per_ms = top > 0 ? std::max(0.0, height - kLegendHeight) / top : 0;
  const double bar = width / static_cast<double>(History::kMost);
  double x = width - bar * static_cast<double>(history.all().size());
  for (const Statistics& frame : history.all()) {
    draw_bar(cairo, frame, x, bar, height, pixels_per_ms);
    if (total_ms(frame) > top) mark_top(cairo, x, bar);
    x += bar;
  }
  draw_legend(cairo, history.all().back(), top);
}

}  // namespace tuner

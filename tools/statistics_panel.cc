// SPDX-License-Identifier: LGPL-2.1-or-later
/// Shows numbers and a plot.
#include "tools/statistics_panel.h"

#include "tools/plot.h"

namespace tuner {

StatisticsPanel::StatisticsPanel(Session* session)
    : session_(session),
      box_(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)),
      names_(gtk_label_new(nullptr)),
      values_(gtk_label_new(nullptr)),
      plot_(gtk_drawing_area_new()) {
  gtk_widget_set_size_request(plot_, 240, 100);
  gtk_widget_set_tooltip_text(plot_,
                              "Times of the latest frames. Switch \"Measure stages\" on to see "
                              "the stages.");
  for (GtkWidget* label : {names_, values_}) {
    gtk_label_set_xalign(GTK_LABEL(label), 0);
    gtk_label_set_yalign(GTK_LABEL(label), 0);
    gtk_box_pack_start(GTK_BOX(box_), label, FALSE, FALSE, 0);
  }
  gtk_label_set_selectable(GTK_LABEL(values_), TRUE);
  gtk_widget_set_can_focus(values_, FALSE);
  gtk_box_pack_start(GTK_BOX(box_), plot_, TRUE, TRUE, 0);
  const auto draw = +[](GtkWidget* area, cairo_t* cairo, Session* shown) noexcept -> gboolean {
    draw_plot(cairo, shown->history(), gtk_widget_get_allocated_width(area),
              gtk_widget_get_allocated_height(area));
    return TRUE;
  };
  g_signal_connect(plot_, "draw", G_CALLBACK(draw), session);
}

void StatisticsPanel::update() {
  const History& history = session_->history();
  if (history.all().empty()) return;
  std::string names, values;
  const double rate = history.frames_per_second(g_get_monotonic_time());
  for (const auto& [name, value] : statistics_rows(history.all().back(), rate)) {
    names += (names.empty() ? "" : "\n") + name;
    values += (values.empty() ? "" : "\n") + value;
  }
  gtk_label_set_text(GTK_LABEL(names_), names.c_str());
  gtk_label_set_text(GTK_LABEL(values_), values.c_str());
  gtk_widget_queue_draw(plot_);
}

}  // namespace tuner

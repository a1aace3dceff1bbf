// SPDX-License-Identifier: LGPL-2.1-or-later
/// The part of the window that shows statistics.
#pragma once

#include <gtk/gtk.h>

#include "tools/session.h"

namespace tuner {

/// The latest numbers as text, and the times of the latest frames as a plot.
class StatisticsPanel {
 public:
  explicit StatisticsPanel(Session* session);
  StatisticsPanel(const StatisticsPanel&) = delete;
  StatisticsPanel& operator=(const StatisticsPanel&) = delete;

  GtkWidget* widget() const { return box_; }
  /// Shows the statistics of the session's latest frame.
  void update();
  std::string text() const { return gtk_label_get_text(GTK_LABEL(values_)); }

 private:
  Session* session_;
  GtkWidget* box_;
  GtkWidget* names_;
  GtkWidget* values_;
  GtkWidget* plot_;
};

}  // namespace tuner

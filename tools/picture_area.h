// SPDX-License-Identifier: LGPL-2.1-or-later
/// The part of the window that shows input and output.
#pragma once

#include <gtk/gtk.h>

#include "tools/session.h"

namespace tuner {

/// Shows the session's pictures. The border of Layout::kSplit follows the mouse and the keys Left
/// and Right.
class PictureArea {
 public:
  explicit PictureArea(Session* session);
  PictureArea(const PictureArea&) = delete;
  PictureArea& operator=(const PictureArea&) = delete;

  GtkWidget* widget() const { return area_; }
  Layout layout() const { return layout_; }
  void set_layout(Layout layout);
  double split() const { return split_; }
  void set_split(double split);
  void redraw() { gtk_widget_queue_draw(area_); }

 private:
  static gboolean on_draw(GtkWidget* area, cairo_t* cairo, gpointer self) noexcept;
  static gboolean on_press(GtkWidget* area, GdkEventButton* event, gpointer self) noexcept;
  static gboolean on_motion(GtkWidget* area, GdkEventMotion* event, gpointer self) noexcept;
  static gboolean on_key(GtkWidget* area, GdkEventKey* event, gpointer self) noexcept;
  void drag_to(double x);

  Session* session_;
  GtkWidget* area_;
  Layout layout_ = Layout::kSideBySide;
  double split_ = 0.5;
};

}  // namespace tuner

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Draws pictures and moves the border between them.
#include "tools/picture_area.h"

#include <algorithm>

namespace tuner {

PictureArea::PictureArea(Session* session) : session_(session), area_(gtk_drawing_area_new()) {
  gtk_widget_set_size_request(area_, 320, 240);
  gtk_widget_set_can_focus(area_, TRUE);
  gtk_widget_add_events(area_,
                        GDK_BUTTON_PRESS_MASK | GDK_BUTTON1_MOTION_MASK | GDK_KEY_PRESS_MASK);
  g_signal_connect(area_, "draw", G_CALLBACK(on_draw), this);
  g_signal_connect(area_, "button-press-event", G_CALLBACK(on_press), this);
  g_signal_connect(area_, "motion-notify-event", G_CALLBACK(on_motion), this);
  g_signal_connect(area_, "key-press-event", G_CALLBACK(on_key), this);
}

void PictureArea::set_layout(Layout layout) {
  layout_ = layout;
  redraw();
}

void PictureArea::set_split(double split) {
  split_ = std::clamp(split, 0.0, 1.0);
  redraw();
}

gboolean PictureArea::on_draw(GtkWidget* area, cairo_t* cairo, gpointer self) noexcept {
  auto* picture = static_cast<PictureArea*>(self);
  const Session& session = *picture->session_;
  draw_pictures(cairo, picture->layout_, session.input(), session.output(),
                gtk_widget_get_allocated_width(area), gtk_widget_get_allocated_height(area),
                picture->split_);
  return TRUE;
}

gboolean PictureArea::on_press(GtkWidget* area, GdkEventButton* event, gpointer self) noexcept {
  gtk_widget_grab_focus(area);
  static_cast<PictureArea*>(self)->drag_to(event->x);
  return TRUE;
}

gboolean PictureArea::on_motion(GtkWidget*, GdkEventMotion* event, gpointer self) noexcept {
  static_cast<PictureArea*>(self)->drag_to(event->x);
  return TRUE;
}

gboolean PictureArea::on_key(GtkWidget*, GdkEventKey* event, gpointer self) noexcept {
  auto* picture = static_cast<PictureArea*>(self);
  const bool is_left = event->keyval == GDK_KEY_Left;
  if (picture->layout_ != Layout::kSplit || (!is_left && event->keyval != GDK_KEY_Right)) {
    return FALSE;
  }
  picture->set_split(picture->split_ + (is_left ? -0.02 : 0.02));
  return TRUE;
}

void PictureArea::drag_to(double x) {
  const Picture& output = session_->output();
  if (layout_ != Layout::kSplit || output == nullptr) return;
  const Place place =
      fit(output, 0, gtk_widget_get_allocated_width(area_), gtk_widget_get_allocated_height(area_));
  set_split((x - place.x) / (place.scale * width_of(output)));
}

}  // namespace tuner

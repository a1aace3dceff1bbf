// SPDX-License-Identifier: LGPL-2.1-or-later
/// The widgets of one property.
#pragma once

#include <gtk/gtk.h>

#include "tools/session.h"

namespace tuner {

/// Shows and changes a property of the element. Its tooltip is the property's blurb. It is
/// insensitive while the property has no effect, and leaves the mouse wheel to its container.
class Control {
 public:
  Control(Session* session, const Property& property);
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  const Property& property() const { return property_; }
  /// A switch, a spin button, a menu, a color button or an entry.
  GtkWidget* editor() const { return editor_; }
  /// A second widget for numbers that are live, else null.
  GtkWidget* slider() const { return slider_; }
  /// Shows the value in effect, and whether it has one.
  void reload();

 private:
  void on_edit();
  void on_slide();
  void create_editor();
  void create_slider();
  void show_number(double value);
  double edited_number() const;
  void write(double value);
  void write_text();
  void mark_refusal();

  Session* session_;
  Property property_;
  GtkWidget* editor_ = nullptr;
  GtkWidget* slider_ = nullptr;
  bool is_loading_ = false;  ///< the widgets change, not the user
};

}  // namespace tuner

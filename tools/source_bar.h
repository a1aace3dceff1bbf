// SPDX-License-Identifier: LGPL-2.1-or-later
/// The part of the window that chooses the source.
#pragma once

#include <gtk/gtk.h>

#include <string>

#include "tools/session.h"

namespace tuner {

/// An entry for a source, buttons that fill it in, and a menu of formats.
class SourceBar {
 public:
  explicit SourceBar(Session* session);
  SourceBar(const SourceBar&) = delete;
  SourceBar& operator=(const SourceBar&) = delete;

  GtkWidget* widget() const { return box_; }
  /// Opens a source as if it was entered. The menu shows its name if it is a pattern.
  void open(const std::string& text);
  /// Lets the user choose a file.
  void choose_file();
  GtkWidget* entry() const { return entry_; }
  GtkWidget* patterns() const { return patterns_; }
  GtkWidget* formats() const { return formats_; }

 private:
  void on_enter();
  void on_camera();
  void on_pattern();
  void on_format();
  void add(GtkWidget* widget, const char* tooltip);

  Session* session_;
  GtkWidget* box_;
  GtkWidget* entry_;
  GtkWidget* patterns_;
  GtkWidget* formats_;
};

}  // namespace tuner

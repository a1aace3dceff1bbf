// SPDX-License-Identifier: LGPL-2.1-or-later
/// The tuner's window.
#pragma once

#include <gtk/gtk.h>

#include <string>

#include "tools/controls.h"
#include "tools/picture_area.h"
#include "tools/source_bar.h"
#include "tools/statistics_panel.h"

namespace tuner {

/// Shows a session, whose callbacks it takes. Closing it ends the main loop of GTK.
class Window {
 public:
  explicit Window(Session* session);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  GtkWidget* widget() const { return window_; }
  SourceBar& source() { return source_; }
  Controls& controls() { return controls_; }
  PictureArea& picture() { return picture_; }
  const StatisticsPanel& statistics() const { return statistics_; }
  /// What the info bar says, empty while it is hidden.
  std::string message() const;

  void toggle_playing();
  void step();
  void toggle_looping();
  void copy_launch_line();
  void copy_cpp();
  void save_picture(const std::string& path);
  void reset();
  void load_preset(const std::string& name);
  void save_preset(const std::string& name);

  /// Runs the action of a key. False if it has none.
  bool press(guint key, guint modifiers);

 private:
  struct Key;
  static const Key kKeys[];

  void on_loop();
  void on_layout();
  void connect();
  void create();
  GtkWidget* create_player_bar();
  GtkWidget* create_result_bar();
  template <void (Window::*kRun)()>
  GtkWidget* add_button(GtkWidget* box, const char* text, const char* tooltip);
  void show(GtkMessageType type, const std::string& text);
  void hide_message();
  void show_state();
  void fill_presets();
  void copy(const std::string& text, const char* name);
  void choose_picture();
  void load_chosen_preset();
  void save_chosen_preset();
  void set_layout(Layout layout);

  Session* session_;
  std::string letters_;  ///< of mnemonics
  SourceBar source_;
  Controls controls_;
  PictureArea picture_;
  StatisticsPanel statistics_;
  GtkWidget* window_;
  GtkWidget* info_bar_;
  GtkWidget* info_text_;
  GtkWidget* play_button_ = nullptr;
  GtkWidget* loop_button_ = nullptr;
  GtkWidget* layouts_ = nullptr;
  GtkWidget* presets_ = nullptr;
};

}  // namespace tuner

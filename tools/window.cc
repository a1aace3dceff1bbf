// SPDX-License-Identifier: LGPL-2.1-or-later
/// Lays the window out and runs its actions.
#include "tools/window.h"

#include "tools/ref.h"
#include "tools/texts.h"

namespace tuner {

namespace {

/// Letters of the mnemonics outside the controls.
const char kLetters[] = "ofuy";

constexpr guint kControl = GDK_CONTROL_MASK;

GtkWidget* scrolled(GtkWidget* widget) {
  GtkWidget* scrolled = gtk_scrolled_window_new(nullptr, nullptr);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_container_add(GTK_CONTAINER(scrolled), widget);
  return scrolled;
}

GtkWidget* new_bar() { return gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6); }

void pack(GtkWidget* box, GtkWidget* widget, bool takes_space = false) {
  gtk_box_pack_start(GTK_BOX(box), widget, takes_space, takes_space, 0);
}

}  // namespace

struct Window::Key {
  guint key;
  guint modifiers;
  void (*run)(Window* window);
  bool is_typed = false;  ///< entries take the key as a character
};

const Window::Key Window::kKeys[] = {
    {GDK_KEY_space, 0, [](Window* window) { window->toggle_playing(); }, true},
    {GDK_KEY_period, 0, [](Window* window) { window->step(); }, true},
    {GDK_KEY_Escape, 0, [](Window* window) { window->hide_message(); }},
    {GDK_KEY_F2, 0, [](Window* window) { window->set_layout(Layout::kSideBySide); }},
    {GDK_KEY_F3, 0, [](Window* window) { window->set_layout(Layout::kSplit); }},
    {GDK_KEY_F4, 0, [](Window* window) { window->set_layout(Layout::kOverlay); }},
    {GDK_KEY_l, kControl, [](Window* window) { window->toggle_looping(); }},
    {GDK_KEY_o, kControl, [](Window* window) { window->source_.choose_file(); }},
    {GDK_KEY_s, kControl, [](Window* window) { window->choose_picture(); }},
    {GDK_KEY_q, kControl, [](Window*) { gtk_main_quit(); }},
    {GDK_KEY_l, kControl | GDK_SHIFT_MASK, [](Window* window) { window->copy_launch_line(); }},
    {GDK_KEY_c, kControl | GDK_SHIFT_MASK, [](Window* window) { window->copy_cpp(); }},
    {GDK_KEY_s, kControl | GDK_SHIFT_MASK, [](Window* window) { window->save_chosen_preset(); }},
};

Window::Window(Session* session)
    : session_(session),
      letters_(kLetters),
      source_(session),
      controls_(session, &letters_),
      picture_(session),
      statistics_(session),
      window_(gtk_window_new(GTK_WINDOW_TOPLEVEL)),
      info_bar_(gtk_info_bar_new()),
      info_text_(gtk_label_new(nullptr)) {
  create();
  connect();
  show_state();
  gtk_widget_show_all(window_);
  hide_message();
  gtk_widget_grab_focus(picture_.widget());
}

Window::~Window() {
  session_->on_pair = nullptr;
  session_->player().on_state = nullptr;
  session_->on_open = nullptr;
  session_->on_error = nullptr;
  gtk_widget_destroy(window_);
}

void Window::connect() {
  session_->on_pair = [this] {
    picture_.redraw();
    statistics_.update();
  };
  session_->player().on_state = [this] { show_state(); };
  session_->on_open = [this] { hide_message(); };
  session_->on_error = [this](const std::string& text) { show(GTK_MESSAGE_ERROR, text); };
  const auto quit = +[]() noexcept -> gboolean {
    gtk_main_quit();
    return TRUE;
  };
  g_signal_connect(window_, "delete-event", G_CALLBACK(quit), nullptr);
  const auto press_key = +[](GtkWidget*, GdkEventKey* event, Window* self) noexcept -> gboolean {
    return self->press(event->keyval, event->state);
  };
  g_signal_connect(window_, "key-press-event", G_CALLBACK(press_key), this);
  g_signal_connect_swapped(info_bar_, "response", G_CALLBACK(gtk_widget_hide), info_bar_);
}

// ---- widgets ----

void Window::create() {
  gtk_window_set_title(GTK_WINDOW(window_), "cudacanny tuner");
  gtk_window_set_default_size(GTK_WINDOW(window_), 1180, 760);
  gtk_info_bar_set_show_close_button(GTK_INFO_BAR(info_bar_), TRUE);
  gtk_label_set_line_wrap(GTK_LABEL(info_text_), TRUE);
  gtk_label_set_selectable(GTK_LABEL(info_text_), TRUE);
  gtk_label_set_xalign(GTK_LABEL(info_text_), 0);
  gtk_container_add(GTK_CONTAINER(gtk_info_bar_get_content_area(GTK_INFO_BAR(info_bar_))),
                    info_text_);

  GtkWidget* left = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  pack(left, picture_.widget(), true);
  pack(left, create_player_bar());
  pack(left, statistics_.widget());

  GtkWidget* panes = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
  gtk_paned_pack1(GTK_PANED(panes), left, TRUE, FALSE);
  gtk_paned_pack2(GTK_PANED(panes), scrolled(controls_.widget()), FALSE, FALSE);

  GtkWidget* all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  g_object_set(all, "margin", 6, nullptr);
  pack(all, source_.widget());
  pack(all, info_bar_);
  pack(all, panes, true);
  pack(all, create_result_bar());
  gtk_container_add(GTK_CONTAINER(window_), all);
}

template <void (Window::*kRun)()>
GtkWidget* Window::add_button(GtkWidget* box, const char* text, const char* tooltip) {
  GtkWidget* button = gtk_button_new_with_label(text);
  gtk_widget_set_tooltip_text(button, tooltip);
  connect_signal<kRun>(button, "clicked", this);
  pack(box, button);
  return button;
}

GtkWidget* Window::create_player_bar() {
  GtkWidget* bar = new_bar();
  play_button_ = add_button<&Window::toggle_playing>(bar, "Pause", "Pauses or plays (Space)");
  add_button<&Window::step>(bar, "Step", "Pauses and shows the next frame (period)");
  loop_button_ = gtk_check_button_new_with_label("Loop");
  gtk_widget_set_tooltip_text(loop_button_, "Plays again from the start at the end (Ctrl+L)");
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(loop_button_), session_->player().is_looping());
  connect_signal<&Window::on_loop>(loop_button_, "toggled", this);
  pack(bar, loop_button_);

  GtkWidget* output = gtk_label_new_with_mnemonic("O_utput");
  gtk_label_set_mnemonic_widget(GTK_LABEL(output), controls_.output()->editor());
  pack(bar, output);
  pack(bar, controls_.output()->editor());

  layouts_ = gtk_combo_box_text_new();
  for (const char* name : {"side by side", "split", "overlay"}) {
    gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(layouts_), name);
  }
  gtk_combo_box_set_active(GTK_COMBO_BOX(layouts_), 0);
  gtk_widget_set_tooltip_text(layouts_,
                              "How input and output are shown (F2, F3, F4); the mouse or the keys "
                              "Left and Right move the border of a split");
  connect_signal<&Window::on_layout>(layouts_, "changed", this);
  GtkWidget* layout = gtk_label_new_with_mnemonic("La_yout");
  gtk_label_set_mnemonic_widget(GTK_LABEL(layout), layouts_);
  pack(bar, layout);
  pack(bar, layouts_);
  return bar;
}

GtkWidget* Window::create_result_bar() {
  GtkWidget* bar = new_bar();
  add_button<&Window::copy_launch_line>(bar, "Copy launch line",
                                        "Copies a line for a shell (Ctrl+Shift+L)");
  add_button<&Window::copy_cpp>(bar, "Copy C++",
                                "Copies the settings of libcudacanny (Ctrl+Shift+C)");
  add_button<&Window::choose_picture>(bar, "Save picture…",
                                      "Saves the output as a PNG file (Ctrl+S)");
  presets_ = gtk_combo_box_text_new_with_entry();
  gtk_widget_set_tooltip_text(presets_, "The name of a preset");
  GtkWidget* label = gtk_label_new("Preset");
  gtk_widget_set_margin_start(label, 12);
  pack(bar, label);
  pack(bar, presets_);
  add_button<&Window::reset>(bar, "Defaults", "Gives all properties their defaults");
  add_button<&Window::load_chosen_preset>(bar, "Load preset",
                                          "Sets the edges and the output as the preset does");
  add_button<&Window::save_chosen_preset>(
      bar, "Save preset", "Saves the edges and the output under this name (Ctrl+Shift+S)");
  fill_presets();
  return bar;
}

void Window::fill_presets() {
  gtk_combo_box_text_remove_all(GTK_COMBO_BOX_TEXT(presets_));
  for (const std::string& name : session_->preset_names()) {
    gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(presets_), name.c_str());
  }
}

// ---- messages ----

void Window::show(GtkMessageType type, const std::string& text) {
  gtk_info_bar_set_message_type(GTK_INFO_BAR(info_bar_), type);
  gtk_label_set_text(GTK_LABEL(info_text_), text.c_str());
  gtk_widget_show(info_bar_);
}

void Window::hide_message() { gtk_widget_hide(info_bar_); }

std::string Window::message() const {
  return gtk_widget_get_visible(info_bar_) ? gtk_label_get_text(GTK_LABEL(info_text_)) : "";
}

void Window::show_state() {
  const bool is_playing = session_->player().is_playing();
  gtk_button_set_label(GTK_BUTTON(play_button_), is_playing ? "Pause" : "Play");
}

// ---- actions ----

void Window::toggle_playing() { session_->player().set_playing(!session_->player().is_playing()); }

void Window::step() { session_->player().step(); }

void Window::toggle_looping() {
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(loop_button_), !session_->player().is_looping());
}

void Window::on_loop() {
  session_->player().set_looping(gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(loop_button_)));
}

void Window::on_layout() {
  const gint place = gtk_combo_box_get_active(GTK_COMBO_BOX(layouts_));
  if (place >= 0) picture_.set_layout(static_cast<Layout>(place));
}

void Window::set_layout(Layout layout) {
  gtk_combo_box_set_active(GTK_COMBO_BOX(layouts_), static_cast<gint>(layout));
}

void Window::copy(const std::string& text, const char* name) {
  GtkClipboard* clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
  gtk_clipboard_set_text(clipboard, text.c_str(), -1);
  show(GTK_MESSAGE_INFO, std::string("Copied ") + name + ":\n" + text);
}

void Window::copy_launch_line() { copy(session_->launch_line(), "the launch line"); }

void Window::copy_cpp() { copy(cpp_text(session_->element()), "the C++ code"); }

void Window::choose_picture() {
  GtkWidget* dialog = gtk_file_chooser_dialog_new(
      "Save the output", GTK_WINDOW(window_), GTK_FILE_CHOOSER_ACTION_SAVE, "_Cancel",
      GTK_RESPONSE_CANCEL, "_Save", GTK_RESPONSE_ACCEPT, nullptr);
  gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(dialog), TRUE);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), "edges.png");
  std::string path;
  if (gtk_dialog_run(GTK_DIALOG(dialog)) == GTK_RESPONSE_ACCEPT) {
    path = take(gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog)));
  }
  gtk_widget_destroy(dialog);
  if (!path.empty()) save_picture(path);
}

void Window::save_picture(const std::string& path) {
  std::string error;
  if (tuner::save_picture(session_->output(), path, &error)) {
    show(GTK_MESSAGE_INFO, "Saved " + path + ".");
  } else {
    show(GTK_MESSAGE_ERROR, error);
  }
}

void Window::reset() {
  session_->reset();
  controls_.reload();
}

void Window::load_chosen_preset() {
  load_preset(take(gtk_combo_box_text_get_active_text(GTK_COMBO_BOX_TEXT(presets_))));
}

void Window::load_preset(const std::string& name) {
  if (session_->load_preset(name)) controls_.reload();
}

void Window::save_chosen_preset() {
  save_preset(take(gtk_combo_box_text_get_active_text(GTK_COMBO_BOX_TEXT(presets_))));
}

void Window::save_preset(const std::string& name) {
  if (!session_->save_preset(name)) return;
  fill_presets();
  show(GTK_MESSAGE_INFO, "Saved the preset \"" + name + "\".");
}

// ---- keys ----

bool Window::press(guint key, guint modifiers) {
  modifiers &= GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_MOD1_MASK;
  GtkWidget* focus = gtk_window_get_focus(GTK_WINDOW(window_));
  for (const Key& each : kKeys) {
    if (each.key != gdk_keyval_to_lower(key) || each.modifiers != modifiers) continue;
    if (each.is_typed && GTK_IS_ENTRY(focus)) return false;
    // A typed number counts without Enter, as it does for a button, which takes the focus.
    if (GTK_IS_SPIN_BUTTON(focus)) gtk_spin_button_update(GTK_SPIN_BUTTON(focus));
    each.run(this);
    return true;
  }
  const Property& output = controls_.output()->property();
  const int digit = key == GDK_KEY_0 ? 9 : static_cast<int>(key) - GDK_KEY_1;
  if (modifiers != GDK_CONTROL_MASK || digit < 0 || digit > output.maximum) return false;
  gtk_combo_box_set_active(GTK_COMBO_BOX(controls_.output()->editor()), digit);
  return true;
}

}  // namespace tuner

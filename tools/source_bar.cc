// SPDX-License-Identifier: LGPL-2.1-or-later
/// Chooses files, cameras, patterns and formats.
#include "tools/source_bar.h"

#include "tools/ref.h"

namespace tuner {

namespace {

/// Formats that change what the element can do: colors for color-mode, 16 bits for luma-depth.
constexpr const char* kFormats[] = {"RGB", "GRAY8", "I420", "RGBA64_LE", "GRAY16_LE"};

}  // namespace

SourceBar::SourceBar(Session* session)
    : session_(session),
      box_(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)),
      entry_(gtk_entry_new()),
      patterns_(gtk_combo_box_text_new()),
      formats_(gtk_combo_box_text_new()) {
  GtkWidget* file = gtk_button_new_with_mnemonic("_Open file…");
  GtkWidget* camera = gtk_button_new_with_label("Camera");
  add(file, "Opens a video or a picture (Ctrl+O)");
  add(camera, "Opens the first camera, camera:/dev/video0");
  gtk_box_pack_start(GTK_BOX(box_), entry_, TRUE, TRUE, 0);
  gtk_widget_set_tooltip_text(entry_, "A file, a URI, camera:DEVICE or pattern:NAME, then Enter");

  // The ids of patterns are what the user enters.
  for (const std::string& name : pattern_names()) {
    gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(patterns_),
                              source_text({SourceKind::kPattern, name}).c_str(), name.c_str());
  }
  GtkWidget* pattern_label = gtk_label_new("Test pattern");
  add(pattern_label, nullptr);
  add(patterns_, "Shows a test pattern");

  gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(formats_), "", "as decoded");
  for (const char* format : kFormats) {
    gtk_combo_box_text_append(GTK_COMBO_BOX_TEXT(formats_), format, format);
  }
  gtk_combo_box_set_active(GTK_COMBO_BOX(formats_), 0);
  GtkWidget* format_label = gtk_label_new_with_mnemonic("_Format");
  gtk_label_set_mnemonic_widget(GTK_LABEL(format_label), formats_);
  add(format_label, nullptr);
  add(formats_, "Format of the element's input. Color modes need RGB; luma depths need 16 bits.");

  connect_signal<&SourceBar::choose_file>(file, "clicked", this);
  connect_signal<&SourceBar::on_camera>(camera, "clicked", this);
  connect_signal<&SourceBar::on_enter>(entry_, "activate", this);
  connect_signal<&SourceBar::on_pattern>(patterns_, "changed", this);
  connect_signal<&SourceBar::on_format>(formats_, "changed", this);
}

void SourceBar::add(GtkWidget* widget, const char* tooltip) {
  gtk_widget_set_tooltip_text(widget, tooltip);
  gtk_box_pack_start(GTK_BOX(box_), widget, FALSE, FALSE, 0);
}

void SourceBar::open(const std::string& text) {
  gtk_entry_set_text(GTK_ENTRY(entry_), text.c_str());
  if (!session_->open(text)) return;
  g_signal_handlers_block_matched(patterns_, G_SIGNAL_MATCH_DATA, 0, 0, nullptr, nullptr, this);
  if (!gtk_combo_box_set_active_id(GTK_COMBO_BOX(patterns_), text.c_str())) {
    gtk_combo_box_set_active(GTK_COMBO_BOX(patterns_), -1);
  }
  g_signal_handlers_unblock_matched(patterns_, G_SIGNAL_MATCH_DATA, 0, 0, nullptr, nullptr, this);
}

void SourceBar::on_enter() { open(gtk_entry_get_text(GTK_ENTRY(entry_))); }

void SourceBar::choose_file() {
  GtkWidget* window = gtk_widget_get_toplevel(box_);
  GtkWidget* dialog = gtk_file_chooser_dialog_new(
      "Open a video or a picture", GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_OPEN, "_Cancel",
      GTK_RESPONSE_CANCEL, "_Open", GTK_RESPONSE_ACCEPT, nullptr);
  std::string path;
  if (gtk_dialog_run(GTK_DIALOG(dialog)) == GTK_RESPONSE_ACCEPT) {
    path = take(gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(dialog)));
  }
  gtk_widget_destroy(dialog);
  if (!path.empty()) open(path);
}

void SourceBar::on_camera() { open(source_text({SourceKind::kCamera, "/dev/video0"})); }

void SourceBar::on_pattern() {
  const gchar* source = gtk_combo_box_get_active_id(GTK_COMBO_BOX(patterns_));
  if (source != nullptr) open(source);
}

void SourceBar::on_format() {
  const gchar* format = gtk_combo_box_get_active_id(GTK_COMBO_BOX(formats_));
  if (format != nullptr) session_->set_format(format);
}

}  // namespace tuner

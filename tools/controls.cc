// SPDX-License-Identifier: LGPL-2.1-or-later
/// Lays the controls out.
#include "tools/controls.h"

#include <cctype>

namespace tuner {

GtkWidget* new_label(const std::string& text, GtkWidget* widget, std::string* used) {
  std::size_t place = 0;
  const auto letter = [&] { return static_cast<char>(std::tolower(text[place])); };
  while (place < text.size() &&
         (!std::isalpha(text[place]) || used->find(letter()) != std::string::npos)) {
    ++place;
  }
  std::string marked = text;
  if (place < text.size()) {
    *used += letter();
    marked.insert(place, "_");
  }
  GtkWidget* label = gtk_label_new_with_mnemonic(marked.c_str());
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), widget);
  return label;
}

Controls::Controls(Session* session, std::string* used_letters) : grid_(gtk_grid_new()) {
  gtk_grid_set_column_spacing(GTK_GRID(grid_), 12);
  gtk_grid_set_row_spacing(GTK_GRID(grid_), 2);
  g_object_set(grid_, "margin", 8, nullptr);
  for (const bool is_live : {true, false}) {
    add_heading(is_live ? "<b>Edges and output</b>"
                        : "<b>Computation (starts the element anew)</b>");
    for (const Property& property : session->properties()) {
      if (property.is_live == is_live) add(session, property, used_letters);
    }
  }
}

void Controls::add_heading(const char* markup) {
  GtkWidget* label = gtk_label_new(nullptr);
  gtk_label_set_markup(GTK_LABEL(label), markup);
  gtk_label_set_xalign(GTK_LABEL(label), 0);
  gtk_grid_attach(GTK_GRID(grid_), label, 0, rows_++, 2, 1);
}

void Controls::add(Session* session, const Property& property, std::string* used_letters) {
  auto control = std::make_unique<Control>(session, property);
  if (property.name == "output") {
    output_ = std::move(control);
    return;
  }
  GtkWidget* label = new_label(property.nick, control->editor(), used_letters);
  gtk_widget_set_tooltip_text(label, property.blurb.c_str());
  gtk_widget_set_hexpand(label, TRUE);
  g_object_bind_property(control->editor(), "sensitive", label, "sensitive", G_BINDING_SYNC_CREATE);
  gtk_grid_attach(GTK_GRID(grid_), label, 0, rows_, 1, 1);
  gtk_grid_attach(GTK_GRID(grid_), control->editor(), 1, rows_++, 1, 1);
  if (control->slider() != nullptr) {
    gtk_grid_attach(GTK_GRID(grid_), control->slider(), 0, rows_++, 2, 1);
  }
  controls_.push_back(std::move(control));
}

Control* Controls::find(const std::string& name) const {
  if (output_ != nullptr && name == output_->property().name) return output_.get();
  for (const auto& control : controls_) {
    if (control->property().name == name) return control.get();
  }
  return nullptr;
}

void Controls::reload() {
  for (const auto& control : controls_) control->reload();
  if (output_ != nullptr) output_->reload();
}

}  // namespace tuner

// SPDX-License-Identifier: LGPL-2.1-or-later
/// Makes widgets from the description of a property.
#include "tools/control.h"

#include <cstdint>
#include <set>

#include "tools/effect.h"
#include "tools/slider.h"

namespace tuner {

namespace {

/// Digits after the point that an edited number keeps.
constexpr guint kDigits = 9;

double step_of(const Property& property) {
  if (property.is_whole) return 1;
  const double range = property.maximum - property.minimum;
  if (range <= 1) return 0.01;
  return range <= 100 ? 0.1 : 1;
}

GtkWidget* new_spin_button(const Property& property) {
  const double step = step_of(property);
  GtkWidget* spin = gtk_spin_button_new_with_range(property.minimum, property.maximum, step);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(spin), property.is_whole ? 0 : kDigits);
  gtk_entry_set_width_chars(GTK_ENTRY(spin), 10);
  gtk_entry_set_max_width_chars(GTK_ENTRY(spin), 10);
  return spin;
}

/// A color as ARGB from its four components, and back.
GdkRGBA color_of(double argb) {
  const auto bits = static_cast<std::uint32_t>(argb);
  const auto part = [&](int shift) { return (bits >> shift & 255) / 255.0; };
  return {part(16), part(8), part(0), part(24)};
}

double argb_of(const GdkRGBA& color) {
  const auto part = [](double share) { return static_cast<std::uint32_t>(share * 255 + 0.5); };
  return part(color.alpha) << 24 | part(color.red) << 16 | part(color.green) << 8 |
         part(color.blue);
}

/// Writes the shortest digits of the value.
gboolean on_output(GtkSpinButton* editor) noexcept {
  const double value = gtk_adjustment_get_value(gtk_spin_button_get_adjustment(editor));
  const bool is_whole = gtk_spin_button_get_digits(editor) == 0;
  const std::string text =
      is_whole ? std::to_string(static_cast<std::int64_t>(value)) : number_text(value);
  if (text != gtk_entry_get_text(GTK_ENTRY(editor))) {
    gtk_entry_set_text(GTK_ENTRY(editor), text.c_str());
  }
  return TRUE;
}

/// Keeps the widget from changing its value. The event goes on to the widgets around it.
gboolean on_scroll(GtkWidget* widget) noexcept {
  g_signal_stop_emission_by_name(widget, "scroll-event");
  return GDK_EVENT_PROPAGATE;
}

}  // namespace

Control::Control(Session* session, const Property& property)
    : session_(session), property_(property) {
  create_editor();
  create_slider();
  g_object_ref_sink(editor_);
  if (slider_ != nullptr) g_object_ref_sink(slider_);
  gtk_widget_set_tooltip_text(editor_, property_.blurb.c_str());
  for (GtkWidget* widget : {editor_, slider_}) {
    if (widget != nullptr) g_signal_connect(widget, "scroll-event", G_CALLBACK(on_scroll), this);
  }
  std::set<std::string> others;
  for (const Unused& row : kUnused) {
    if (is_of(row, property_)) others.insert(std::string("notify::") + row.other);
  }
  if (is_threshold(property_)) others.insert("notify::" + property_.name);  // it may follow another
  for (const std::string& signal : others) {
    connect_signal<&Control::reload>(session_->element(), signal.c_str(), this);
  }
  reload();
}

/// The element and the widgets may outlive the control.
Control::~Control() {
  g_signal_handlers_disconnect_by_data(session_->element(), this);
  for (GtkWidget* widget : {editor_, slider_}) {
    if (widget == nullptr) continue;
    g_signal_handlers_disconnect_by_data(widget, this);
    g_object_unref(widget);
  }
}

void Control::create_editor() {
  const char* signal = "changed";
  switch (property_.kind) {
    case Kind::kSwitch:
      editor_ = gtk_switch_new();
      gtk_widget_set_halign(editor_, GTK_ALIGN_END);
      signal = "notify::active";
      break;
    case Kind::kNumber:
      editor_ = new_spin_button(property_);
      g_signal_connect(editor_, "output", G_CALLBACK(on_output), this);
      signal = "value-changed";
      break;
    case Kind::kChoice:
      editor_ = gtk_combo_box_text_new();
      for (const std::string& choice : property_.choices)
        gtk_combo_box_text_append_text(GTK_COMBO_BOX_TEXT(editor_), choice.c_str());
      break;
    case Kind::kColor:
      editor_ = gtk_color_button_new();
      gtk_color_chooser_set_use_alpha(GTK_COLOR_CHOOSER(editor_), TRUE);
      signal = "color-set";
      break;
    case Kind::kText:
      editor_ = gtk_entry_new();
      break;
  }
  connect_signal<&Control::on_edit>(editor_, signal, this);
}

void Control::create_slider() {
  if (property_.kind != Kind::kNumber || !property_.is_live) return;
  slider_ = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.005);
  gtk_scale_set_draw_value(GTK_SCALE(slider_), FALSE);
  gtk_widget_set_tooltip_text(slider_, property_.blurb.c_str());
  g_object_bind_property(editor_, "sensitive", slider_, "sensitive", G_BINDING_DEFAULT);
  connect_signal<&Control::on_slide>(slider_, "value-changed", this);
}

void Control::reload() {
  is_loading_ = true;
  if (property_.kind == Kind::kText) {
    gtk_entry_set_text(GTK_ENTRY(editor_), get_text(session_->element(), property_).c_str());
    mark_refusal();
  } else {
    show_number(effective_number(session_->element(), property_));
  }
  is_loading_ = false;
  gtk_widget_set_sensitive(editor_, has_effect(session_->element(), property_));
}

void Control::show_number(double value) {
  const GdkRGBA color = color_of(value);
  switch (property_.kind) {
    case Kind::kSwitch:
    case Kind::kChoice:
      g_object_set(editor_, "active", static_cast<gint>(value), nullptr);
      break;
    case Kind::kColor:
      gtk_color_chooser_set_rgba(GTK_COLOR_CHOOSER(editor_), &color);
      break;
    default:
      gtk_spin_button_set_value(GTK_SPIN_BUTTON(editor_), value);
  }
  if (slider_ == nullptr) return;
  gtk_range_set_value(GTK_RANGE(slider_), slider_position(property_, value));
}

double Control::edited_number() const {
  GdkRGBA color;
  gint active = 0;
  switch (property_.kind) {
    case Kind::kSwitch:
    case Kind::kChoice:
      g_object_get(editor_, "active", &active, nullptr);
      return active;
    case Kind::kColor:
      gtk_color_chooser_get_rgba(GTK_COLOR_CHOOSER(editor_), &color);
      return argb_of(color);
    default:
      return gtk_spin_button_get_value(GTK_SPIN_BUTTON(editor_));
  }
}

void Control::on_edit() {
  if (is_loading_) return;
  if (property_.kind == Kind::kText) return write_text();
  const double value = edited_number();
  const bool has_no_choice = property_.kind == Kind::kChoice && value < 0;
  if (!has_no_choice) write(value);
}

void Control::on_slide() {
  if (is_loading_) return;
  write(slider_value(property_, gtk_range_get_value(GTK_RANGE(slider_))));
}

/// The widgets then show what the element made of the value, about which GTK calls again.
void Control::write(double value) {
  if (value == effective_number(session_->element(), property_)) return;
  edit_number(session_->element(), property_, value);
  reload();
  session_->apply(property_);
}

void Control::write_text() {
  set_text(session_->element(), property_, gtk_entry_get_text(GTK_ENTRY(editor_)));
  mark_refusal();
  session_->apply(property_);
}

/// A property that refuses a text keeps the one before.
void Control::mark_refusal() {
  const std::string kept = get_text(session_->element(), property_);
  const bool is_refused = kept != gtk_entry_get_text(GTK_ENTRY(editor_));
  const std::string reason = "This is no value of " + property_.name + ", which keeps \"" + kept +
                             "\". " + property_.blurb + '.';
  gtk_entry_set_icon_from_icon_name(GTK_ENTRY(editor_), GTK_ENTRY_ICON_SECONDARY,
                                    is_refused ? "dialog-warning" : nullptr);
  gtk_entry_set_icon_tooltip_text(GTK_ENTRY(editor_), GTK_ENTRY_ICON_SECONDARY,
                                  is_refused ? reason.c_str() : nullptr);
}

}  // namespace tuner

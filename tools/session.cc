// SPDX-License-Identifier: LGPL-2.1-or-later
/// Connects the player, the element and their numbers.
#include "tools/session.h"

#include <glib/gstdio.h>

#include "tools/texts.h"

namespace tuner {

namespace {

/// Whether a preset can have the name, which becomes that of a group in a key file.
bool is_preset_name(const std::string& name) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  const std::string group = '[' + name + "]\n";
  return g_key_file_load_from_data(file, group.data(), group.size(), G_KEY_FILE_NONE, nullptr) &&
         g_key_file_has_group(file, name.c_str()) && name != "_presets_";  // the file's header
}

/// Puts the file of presets back: GStreamer 1.22 renames it before it writes the new one.
void restore_presets(GstElement* element) {
  const std::string name = std::string(G_OBJECT_TYPE_NAME(element)) + ".prs";
  const std::string path = take(
      g_build_filename(g_get_user_data_dir(), "gstreamer-1.0", "presets", name.c_str(), nullptr));
  if (!g_file_test(path.c_str(), G_FILE_TEST_EXISTS))
    g_rename((path + ".bak").c_str(), path.c_str());
}

}  // namespace

Session::Session() {
  if (!is_valid()) return;
  properties_ = writable_properties(element());
  edges_.on_pair = [this] { show_pair(); };
  edges_.on_error = [this](const std::string& text) {
    report(text + " Change a setting or the format to try again.");
  };
  player_.on_frame = [this](SampleRef frame) { edges_.add(std::move(frame)); };
  player_.on_error = [this](const std::string& text) { report(text); };
}

/// The player's frames need the element until the player is closed.
Session::~Session() { player_.close(); }

bool Session::open(const std::string& text) {
  std::string error;
  Source source;
  if (!parse_source(text, &source, &error)) {
    report(error);
    return false;
  }
  source_ = source;
  play();
  return true;
}

void Session::set_format(const std::string& format) {
  format_ = format;
  play();
}

void Session::play() {
  if (on_open) on_open();
  edges_.start();
  player_.open(source_, format_);
}

void Session::apply(const Property& property) { compute(!property.is_live); }

/// Computes the latest frame again, with settings that may be better than those that failed.
void Session::compute(bool needs_start) {
  if (!edges_.is_started() && on_open) on_open();
  needs_start ? edges_.restart() : edges_.refresh();
}

void Session::reset() {
  bool needs_start = false;
  for (const Property& property : properties_) {
    needs_start |= !property.is_live && !is_initial(element(), property);
    if (property.kind == Kind::kText) {
      set_text(element(), property, "");
    } else {
      set_number(element(), property, property.initial);
    }
  }
  compute(needs_start);
}

bool Session::load_preset(const std::string& name) {
  if (!gst_preset_load_preset(GST_PRESET(element()), name.c_str())) {
    report("There is no preset \"" + name + "\". Choose one from the menu.");
    return false;
  }
  compute(false);
  return true;
}

bool Session::save_preset(const std::string& name) {
  if (is_preset_name(name) && gst_preset_save_preset(GST_PRESET(element()), name.c_str()))
    return true;
  restore_presets(element());
  report("Can't save the preset \"" + name +
         "\". Enter another name, of letters and digits, and check that the folder for your data "
         "can be written.");
  return false;
}

std::vector<std::string> Session::preset_names() const {
  std::vector<std::string> names;
  g_auto(GStrv) all = gst_preset_get_preset_names(GST_PRESET(element()));
  for (gchar** name = all; name != nullptr && *name != nullptr; ++name) names.push_back(*name);
  return names;
}

std::string Session::launch_line() const { return tuner::launch_line(source_, format_, element()); }

void Session::show_pair() {
  const Pair pair = edges_.latest();
  if (pair.output == nullptr) return;
  input_ = new_picture(pair.input.get());
  output_ = new_picture(pair.output.get());
  history_.add(read_statistics(element()), g_get_monotonic_time());
  if (on_pair) on_pair();
}

void Session::report(const std::string& text) {
  if (on_error) on_error(text);
}

}  // namespace tuner

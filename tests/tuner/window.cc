// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests the window on a display: each control changes the picture as the library does, and the
/// buttons and keys do what they say.
///
///     window FOLDER [SOURCE]      writes into FOLDER; with SOURCE, writes only a picture of the
///                                 window that shows it, as FOLDER/tuner.png
#include "tools/window.h"

#include <glib/gstdio.h>

#include <cmath>
#include <set>

#include "check.h"
#include "expected.h"
#include "tools/effect.h"
#include "tools/slider.h"
#include "videos.h"

using check::expect;
using check::expect_contains;
using check::expect_equal;
using check::wait_for;
using check::wait_for_pair;

namespace {

/// Waits until a widget has its place and is drawn.
void wait_for_paint(GtkWidget* widget) {
  GdkFrameClock* clock = gtk_widget_get_frame_clock(widget);
  bool is_painted = false;
  const auto note = +[](GdkFrameClock*, gpointer data) { *static_cast<bool*>(data) = true; };
  const gulong handler = g_signal_connect(clock, "after-paint", G_CALLBACK(note), &is_painted);
  gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_PAINT);
  expect(wait_for([&] { return is_painted; }), "the window is drawn");
  g_signal_handler_disconnect(clock, handler);
}

/// Draws the window into a PNG file.
void save_screenshot(tuner::Window* window, const std::string& path) {
  GtkWidget* widget = window->widget();
  wait_for_paint(widget);
  const tuner::Picture picture(cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                                          gtk_widget_get_allocated_width(widget),
                                                          gtk_widget_get_allocated_height(widget)));
  cairo_t* cairo = cairo_create(picture.get());
  gtk_widget_draw(widget, cairo);
  cairo_destroy(cairo);
  std::string error;
  expect(tuner::save_picture(picture, path, &error), error);
}

/// Sets a control as a user does.
void edit(tuner::Window* window, const std::string& name, double value) {
  tuner::Control* control = window->controls().find(name);
  if (control == nullptr) g_error("no control %s", name.c_str());
  GtkWidget* editor = control->editor();
  if (GTK_IS_SPIN_BUTTON(editor)) {
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(editor), value);
  } else if (GTK_IS_SWITCH(editor)) {
    gtk_switch_set_active(GTK_SWITCH(editor), value != 0);
  } else if (GTK_IS_COMBO_BOX(editor)) {
    gtk_combo_box_set_active(GTK_COMBO_BOX(editor), static_cast<gint>(value));
  } else {
    const auto argb = static_cast<guint32>(value);
    const GdkRGBA color = {(argb >> 16 & 255) / 255.0, (argb >> 8 & 255) / 255.0,
                           (argb & 255) / 255.0, (argb >> 24) / 255.0};
    gtk_color_chooser_set_rgba(GTK_COLOR_CHOOSER(editor), &color);
    g_signal_emit_by_name(editor, "color-set");
  }
}

std::string active_text(GtkWidget* menu) {
  return tuner::take(gtk_combo_box_text_get_active_text(GTK_COMBO_BOX_TEXT(menu)));
}

struct Tested {
  explicit Tested(const std::string& source) : window(&session) {
    session.player().set_playing(false);
    window.source().open(source);
    expect(wait_for_pair(&session, 0), source + " is shown");
  }
  /// Edits, and waits for the frame.
  void edit(const std::string& name, double value) {
    const std::uint64_t number = session.latest().number;
    const tuner::Property& property = check::find(session, name.c_str());
    if (tuner::get_number(session.element(), property) == value) return;
    ::edit(&window, name, value);
    expect(wait_for_pair(&session, number), name + " gives a frame");
    expect(tuner::get_number(session.element(), property) == value,
           name + " is " + tuner::number_text(value));
  }
  GtkWidget* editor(const char* name) { return window.controls().find(name)->editor(); }
  double shown(const char* name) {
    return gtk_spin_button_get_value(GTK_SPIN_BUTTON(editor(name)));
  }
  void set_format(const std::string& name) {
    GtkWidget* menu = window.source().formats();
    for (int i = 0; active_text(menu) != name; ++i)
      gtk_combo_box_set_active(GTK_COMBO_BOX(menu), i);
    const auto is_shown = [&] {
      return check::format_of(session.latest().input.get()) == name && !session.is_busy();
    };
    expect(wait_for(is_shown), "frames are " + name);
  }

  tuner::Session session;
  tuner::Window window;
};

/// Whether another value of a property gives other pixels. It has its value again afterwards.
bool changes_pixels(Tested* tested, const tuner::Property& property) {
  GstElement* element = tested->session.element();
  const auto frame = [&] {
    const std::uint64_t number = tested->session.latest().number;
    tested->session.apply(property);
    expect(wait_for_pair(&tested->session, number), property.name + " gives a frame");
    return check::bytes(tested->session.latest().output.get());
  };
  const std::vector<guint8> before = frame();
  const bool is_text = property.kind == tuner::Kind::kText;
  const double number = is_text ? 0 : tuner::get_number(element, property);
  if (is_text)
    tuner::set_text(element, property, "8,8,9,9");
  else
    tuner::set_number(element, property,
                      number == property.maximum ? property.minimum : property.maximum);
  const std::vector<guint8> after = frame();
  if (is_text)
    tuner::set_text(element, property, "");
  else
    tuner::set_number(element, property, number);
  return before != after;
}

/// Every control, at the values of a case, gives the bytes of the library; its last value changes
/// them.
void test_controls() {
  Tested tested("pattern:smpte");
  std::set<std::string> seen;
  for (const check::Case& each : check::cases()) {
    const std::string& last = each.settings.back().name;
    tested.set_format(each.format);
    canny::Params params;
    std::vector<guint8> before;
    for (const check::Setting& setting : each.settings) {
      before = check::bytes(tested.session.latest().output.get());
      tested.edit(setting.name, setting.value);
      setting.apply(&params);
      seen.insert(setting.name);
    }
    const tuner::Pair pair = tested.session.latest();
    const std::string what = last + " " + tuner::number_text(each.settings.back().value);
    expect(check::is_as_library(pair, params), what + " is as in the library");
    expect(check::bytes(pair.output.get()) != before, what + " changes the picture");
    for (const check::Setting& setting : each.settings) {
      tested.edit(setting.name, check::find(tested.session, setting.name.c_str()).initial);
    }
  }
  const std::set<std::string> without_effect = {
      "stats-interval",   "roi-margin", "backend",       "roi-type",  "measure-stages",
      "frames-in-flight", "contours",   "opencl-device", "n-threads", "roi-min-confidence",
      "cuda-device-id",   "components", "roi-mode",      "roi",       "contour-precision"};
  for (const tuner::Property& property : tested.session.properties()) {
    expect(tested.window.controls().find(property.name) != nullptr,
           property.name + " has a control");
    expect(seen.count(property.name) + without_effect.count(property.name) == 1,
           property.name + " has a case");
  }
}

/// Settings of the computation change no pixel; roi-mode leaves no edge without a region.
void test_other_controls() {
  Tested tested("pattern:smpte");
  const auto edges = [&] { return check::bytes(tested.session.latest().output.get()); };
  const std::vector<guint8> before = edges();
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, double>>{{"backend", 2},
                                                   {"n-threads", 1},
                                                   {"frames-in-flight", 4},
                                                   {"contours", 20},
                                                   {"components", 20},
                                                   {"measure-stages", 1},
                                                   {"stats-interval", 1000000},
                                                   {"cuda-device-id", 3}}) {
    tested.edit(name, value);
    expect(edges() == before, name + " changes no pixel");
  }
  const auto shows_backend = [&] {
    return tested.window.statistics().text().find("cpu") != std::string::npos;
  };
  expect(wait_for(shows_backend), "the backend is shown");
  expect(wait_for([&] { return tested.session.history().all().back().has_stages(); }),
         "stages are measured");
  const std::uint64_t number = tested.session.latest().number;
  auto* roi = GTK_ENTRY(tested.editor("roi"));
  const auto icon = [&] { return gtk_entry_get_icon_name(roi, GTK_ENTRY_ICON_SECONDARY); };
  gtk_entry_set_text(roi, "8,8,9,9");
  expect(wait_for_pair(&tested.session, number) && edges() != before, "roi leaves fewer edges");
  expect(icon() == nullptr, "no sign beside a text that roi takes");
  gtk_entry_set_text(roi, "8,8,9");
  expect(icon() != nullptr, "a sign beside a text that roi refuses");
  gtk_entry_set_text(roi, "");
  tested.edit("roi-mode", 1);
  expect(edges() != before, "roi-mode=meta leaves no edges");
  gtk_entry_set_text(GTK_ENTRY(tested.editor("roi-type")), "face");
  expect_equal(tuner::get_text(tested.session.element(), check::find(tested.session, "roi-type")),
               "face", "roi-type");
}

void test_sliders() {
  Tested tested("pattern:smpte");
  tuner::Control* sigma = tested.window.controls().find("sigma");
  const std::uint64_t number = tested.session.latest().number;
  gtk_range_set_value(GTK_RANGE(sigma->slider()), 0.5);
  expect(wait_for_pair(&tested.session, number), "a slider gives a frame");
  expect(tuner::get_number(tested.session.element(), sigma->property()) == 2.68, "sigma is 2.68");
  expect_equal(gtk_entry_get_text(GTK_ENTRY(sigma->editor())), "2.68", "the spin button");
  gchar* tooltip = gtk_widget_get_tooltip_text(sigma->slider());
  expect_equal(tuner::take(tooltip), sigma->property().blurb, "the tooltip");
  expect(tested.window.controls().find("n-threads")->slider() == nullptr, "no slider");
}

/// The wheel scrolls the controls, and changes none of them.
void test_wheel() {
  Tested tested("pattern:smpte");
  const auto scroll = [](GtkWidget* widget) {
    GdkEvent* event = gdk_event_new(GDK_SCROLL);
    event->scroll.window = GDK_WINDOW(g_object_ref(gtk_widget_get_window(widget)));
    event->scroll.direction = GDK_SCROLL_DOWN;
    gdk_event_set_device(
        event, gdk_seat_get_pointer(gdk_display_get_default_seat(gdk_display_get_default())));
    gtk_propagate_event(widget, event);
    gdk_event_free(event);
  };
  GtkWidget* scrolled =
      gtk_widget_get_ancestor(tested.window.controls().widget(), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment* place = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
  wait_for_paint(scrolled);
  for (const tuner::Property& property : tested.session.properties()) {
    const tuner::Control& control = *tested.window.controls().find(property.name);
    for (GtkWidget* widget : {control.editor(), control.slider()}) {
      if (widget == nullptr) continue;
      gtk_adjustment_set_value(place, 0);
      scroll(widget);
      expect(property.name == "output" || gtk_adjustment_get_value(place) > 0,
             property.name + ": the wheel scrolls");
      expect(tuner::is_initial(tested.session.element(), property),
             property.name + ": the wheel does not change it");
    }
  }
}

/// A control is insensitive where its property changes no pixel, as its label is.
void test_effects() {
  Tested tested("pattern:smpte");
  tested.set_format("RGB");  // masked needs 8 bits
  GstElement* element = tested.session.element();
  const auto has_effect = [&](const std::string& name) {
    GtkWidget* slider = tested.window.controls().find(name)->slider();
    const bool is_sensitive = gtk_widget_get_sensitive(tested.editor(name.c_str()));
    expect(!slider || gtk_widget_get_sensitive(slider) == is_sensitive, name + ": the slider");
    return is_sensitive;
  };
  const std::set<std::string> of_computation = {"cuda-device-id", "opencl-device"};
  const auto test = [&](const tuner::Unused& row, const tuner::Property& property) {
    const tuner::Property& other = check::find(tested.session, row.other);
    const double before = tuner::get_number(element, other);
    for (std::size_t i = 0; i < other.choices.size(); ++i) {
      tuner::set_number(element, other, static_cast<double>(i));
      const bool is_unused = tuner::is_in_force(element, row);
      const std::string what = property.name + " with " + row.other + '=' + other.choices[i];
      if (is_unused) expect(!has_effect(property.name), what + " is insensitive");
      if (!is_unused || of_computation.count(property.name) > 0) continue;
      expect(!changes_pixels(&tested, property), what + " changes no pixel");
    }
    tuner::set_number(element, other, before);
  };
  for (const tuner::Unused& row : tuner::kUnused)
    for (const tuner::Property& property : tested.session.properties())
      if (tuner::is_of(row, property)) test(row, property);
  for (const char* name : {"high-ratio", "low-ratio", "edge-color", "roi-type"})
    expect(!has_effect(name), std::string(name) + " is insensitive at first");
  for (const char* name : {"low-threshold", "norm", "thin-edges", "min-length", "n-threads"})
    expect(has_effect(name), std::string(name) + " is sensitive at first");
}

/// Until a threshold is set, both follow the operator.
void test_operators() {
  Tested tested("pattern:smpte");
  const auto shown = [&](const char* name) { return tested.shown(name); };
  tested.edit("operator", 1);
  expect(shown("low-threshold") == 600 && shown("high-threshold") == 1800, "those of sobel-5");
  expect_contains(tested.session.launch_line(), "cudacanny operator=sobel-5 !");
  tested.edit("low-threshold", 20);
  tested.edit("operator", 0);
  expect(shown("low-threshold") == 20 && shown("high-threshold") == 1800, "as they were set");
}

/// A ratio that is 0 shows the usual one of the threshold mode, and stays 0 until it is moved.
void test_ratios() {
  Tested tested("pattern:smpte");
  GstElement* element = tested.session.element();
  tuner::Control* high = tested.window.controls().find("high-ratio");
  tuner::Control* low = tested.window.controls().find("low-ratio");
  const auto expect_ratios = [&](double high_shown, double low_shown, double high_set) {
    for (const auto& [control, shown] : {std::pair(high, high_shown), std::pair(low, low_shown)}) {
      const tuner::Property& property = control->property();
      auto* spin = GTK_SPIN_BUTTON(control->editor());
      gtk_spin_button_update(spin);  // as when the user leaves it
      expect_equal(gtk_entry_get_text(GTK_ENTRY(spin)), tuner::number_text(shown), property.name);
      const double position = gtk_range_get_value(GTK_RANGE(control->slider()));
      expect(std::abs(position - tuner::slider_position(property, shown)) < 1e-9,
             property.name + ": the slider");
    }
    expect(tuner::get_number(element, high->property()) == high_set, "high-ratio is as it was set");
    expect(tuner::get_number(element, low->property()) == 0, "low-ratio is 0");
  };
  expect_ratios(0, 0, 0);
  const std::pair<double, double> usual[] = {{0.2, 0.25}, {0.7, 0.4}, {1, 0.5}, {1.33, 0.5}};
  for (int mode = 1; mode <= 4; ++mode) {
    tested.edit("threshold-mode", mode);
    expect_ratios(usual[mode - 1].first, usual[mode - 1].second, 0);
  }
  expect_contains(tested.session.launch_line(), "cudacanny threshold-mode=median !");
  tested.edit("high-ratio", 0.8);
  tested.edit("threshold-mode", 2);
  expect_ratios(0.8, 0.4, 0.8);
  tested.edit("high-ratio", 0);
  expect_ratios(0.7, 0.4, 0);
  tested.window.load_preset("matlab");
  expect(tuner::get_number(element, high->property()) == 0.7, "high-ratio of the preset");
}

void test_keys(const std::string& video) {
  Tested tested(video);
  tuner::Window& window = tested.window;
  const auto press = [&](guint key, guint modifiers) {
    GdkEvent* event = gdk_event_new(GDK_KEY_PRESS);
    event->key.window = GDK_WINDOW(g_object_ref(gtk_widget_get_window(window.widget())));
    event->key.keyval = key;
    event->key.state = modifiers;
    gboolean is_handled = FALSE;
    g_signal_emit_by_name(window.widget(), "key-press-event", event, &is_handled);
    gdk_event_free(event);
    return is_handled;
  };
  tuner::Player& player = tested.session.player();
  expect(press(GDK_KEY_space, 0) && player.is_playing(), "Space plays");
  expect(press(GDK_KEY_space, 0) && !player.is_playing(), "Space pauses");
  expect(wait_for([&] { return !tested.session.is_busy(); }), "all frames are done");
  const std::uint64_t number = tested.session.latest().number;
  expect(press(GDK_KEY_period, 0) && wait_for_pair(&tested.session, number), "a period steps");
  expect(press(GDK_KEY_l, GDK_CONTROL_MASK) && !player.is_looping(), "Ctrl+L ends the loop");
  expect(press(GDK_KEY_F3, 0) && window.picture().layout() == tuner::Layout::kSplit, "F3 splits");
  expect(press(GDK_KEY_F4, 0) && window.picture().layout() == tuner::Layout::kOverlay, "F4");
  expect(press(GDK_KEY_F2, 0) && window.picture().layout() == tuner::Layout::kSideBySide, "F2");
  expect(press(GDK_KEY_4, GDK_CONTROL_MASK), "Ctrl+4");
  const tuner::Property& output = check::find(tested.session, "output");
  expect_equal(tuner::value_text(tested.session.element(), output), "gradient", "output");
  expect(press(GDK_KEY_0, GDK_CONTROL_MASK), "Ctrl+0");
  expect_equal(tuner::value_text(tested.session.element(), output), "blurred", "output");
  gtk_widget_grab_focus(window.source().entry());
  expect(!window.press(GDK_KEY_space, 0) && !player.is_playing(), "an entry takes Space");
  expect(!press(GDK_KEY_F9, 0), "F9 does nothing");
  gtk_widget_grab_focus(tested.editor("sigma"));
  gtk_entry_set_text(GTK_ENTRY(tested.editor("sigma")), "3.5");
  press(GDK_KEY_l, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  expect_contains(window.message(), " sigma=3.5 ");
}

/// The border of a split follows the mouse.
void test_split() {
  Tested tested("pattern:smpte");
  tuner::PictureArea& picture = tested.window.picture();
  picture.set_layout(tuner::Layout::kSplit);
  wait_for_paint(picture.widget());
  const auto drag = [&](double x) {
    GdkEvent* event = gdk_event_new(GDK_MOTION_NOTIFY);
    event->motion.window = GDK_WINDOW(g_object_ref(gtk_widget_get_window(picture.widget())));
    event->motion.x = x;
    gboolean is_handled = FALSE;
    g_signal_emit_by_name(picture.widget(), "motion-notify-event", event, &is_handled);
    gdk_event_free(event);
  };
  drag(-10);
  expect(picture.split() == 0, "the left end");
  drag(gtk_widget_get_allocated_width(picture.widget()) / 2.0);
  expect(std::abs(picture.split() - 0.5) < 0.01, "the middle");
  drag(1e6);
  expect(picture.split() == 1, "the right end");
}

void test_results(const std::string& folder) {
  Tested tested("pattern:ball");
  tuner::Window& window = tested.window;
  tested.edit("sigma", 2.5);
  GtkClipboard* clipboard = gtk_clipboard_get(GDK_SELECTION_CLIPBOARD);
  window.copy_launch_line();
  const std::string line = tuner::take(gtk_clipboard_wait_for_text(clipboard));
  expect_contains(line, "videotestsrc pattern=ball");
  expect_contains(line, "cudacanny sigma=2.5 !");
  window.copy_cpp();
  expect_equal(tuner::take(gtk_clipboard_wait_for_text(clipboard)),
               "canny::Params params;\nparams.sigma = 2.5;\n", "C++ in the clipboard");

  const std::string path = folder + "/output.png";
  window.save_picture(path);
  expect_equal(window.message(), "Saved " + path + ".", "message");
  window.save_picture("/no/such/folder/output.png");
  expect_contains(window.message(), "Choose a folder");

  window.save_preset("window");
  tested.edit("sigma", 1);
  window.load_preset("window");
  expect(tuner::get_number(tested.session.element(), check::find(tested.session, "sigma")) == 2.5,
         "the preset's sigma");
  expect(tested.shown("sigma") == 2.5, "the control shows it");
  tested.edit("n-threads", 2);
  gtk_entry_set_text(GTK_ENTRY(tested.editor("roi")), "8,8,9,9");
  const std::uint64_t number = tested.session.latest().number;
  window.reset();
  expect(wait_for_pair(&tested.session, number), "the defaults give a frame");
  for (const tuner::Property& property : tested.session.properties())
    expect(tuner::is_initial(tested.session.element(), property),
           property.name + " is the default");
  expect_equal(gtk_entry_get_text(GTK_ENTRY(tested.editor("roi"))), "", "the control of roi");
  window.load_preset("nothing");
  expect_contains(window.message(), "Choose one from the menu");
}

void test_messages() {
  Tested tested("pattern:smpte");
  tuner::Window& window = tested.window;
  expect(window.message().empty(), "no message at first");
  window.source().open("/no/such/file.mp4");
  expect_contains(window.message(), "There is no file /no/such/file.mp4");
  expect(window.press(GDK_KEY_Escape, 0) && window.message().empty(), "Escape hides it");
  window.source().open("camera:/dev/no-camera");
  expect_contains(window.message(), "Connect one");
  const std::uint64_t number = tested.session.latest().number;
  gtk_combo_box_set_active(GTK_COMBO_BOX(window.source().patterns()), 1);
  expect(wait_for_pair(&tested.session, number) && window.message().empty(), "a pattern is shown");
  expect_equal(gtk_entry_get_text(GTK_ENTRY(window.source().entry())), "pattern:snow", "entry");
}

/// The menu names the pattern that plays.
void test_patterns(const std::string& video) {
  Tested tested("pattern:smpte");
  tuner::SourceBar& source = tested.window.source();
  const auto shown = [&] { return active_text(source.patterns()); };
  expect_equal(shown(), "smpte", "the pattern at first");
  gtk_entry_set_text(GTK_ENTRY(source.entry()), "pattern:ball");
  gtk_widget_activate(source.entry());
  expect_equal(shown(), "ball", "the pattern that was entered");
  source.open("/no/such/file.mp4");
  expect_equal(shown(), "ball", "the pattern still plays");
  source.open(video);
  expect_equal(shown(), "", "a video is no pattern");
}

void test_screenshots(const std::string& folder, const std::string& source) {
  Tested tested(source);
  tested.edit("measure-stages", 1);
  for (int i = 1; i <= 60; ++i) tested.edit("sigma", 1.4 + 0.01 * (i % 2));
  save_screenshot(&tested.window, folder + "/tuner.png");
  tested.window.picture().set_layout(tuner::Layout::kSplit);
  save_screenshot(&tested.window, folder + "/tuner-split.png");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) g_error("usage: window FOLDER [SOURCE]");
  const std::string folder = argv[1];
  g_mkdir_with_parents(argv[1], 0755);
  g_setenv("XDG_DATA_HOME", argv[1], TRUE);
  g_unlink((folder + "/gstreamer-1.0/presets/GstCudaCanny.prs").c_str());
  gst_init(nullptr, nullptr);
  gtk_init(nullptr, nullptr);
  if (argc > 2) {
    test_screenshots(folder, argv[2]);
    return check::finish();
  }
  test_controls();
  test_other_controls();
  test_sliders();
  test_operators();
  test_ratios();
  test_wheel();
  test_effects();
  const std::string video = check::write_video(folder, 25);
  test_keys(video);
  test_split();
  test_results(folder);
  test_messages();
  test_patterns(video);
  test_screenshots(folder, "pattern:smpte");
  return check::finish();
}

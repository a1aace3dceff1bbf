// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tests what the tuner computes: properties, sliders, sources, launch lines, C++ code, statistics
/// and pictures.
///
///     model COMPILER SOURCE_DIR FOLDER      writes into FOLDER
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>

#include "check.h"
#include "tools/effect.h"
#include "tools/picture.h"
#include "tools/plot.h"
#include "tools/property.h"
#include "tools/ref.h"
#include "tools/slider.h"
#include "tools/source.h"
#include "tools/statistics.h"
#include "tools/texts.h"

using check::expect;
using check::expect_contains;
using check::expect_equal;
using tuner::ElementRef;
using tuner::Kind;
using tuner::Property;

namespace {

ElementRef new_element() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  if (element == nullptr) g_error("GStreamer does not find cudacanny");
  return ElementRef(GST_ELEMENT(gst_object_ref_sink(element)));
}

Property find(GstElement* element, const std::string& name) {
  for (const Property& property : tuner::writable_properties(element)) {
    if (property.name == name) return property;
  }
  g_error("no property %s", name.c_str());
}

/// Gives every property a value that is not its default.
void change_all(GstElement* element) {
  for (const Property& property : tuner::writable_properties(element)) {
    if (property.kind == Kind::kText) {
      const char* text = "red \"car\" $1";
      if (property.name == "roi") text = "8,-8,64,48; 0,0,9,9";
      if (property.name == "roi-margin") text = "10%";
      tuner::set_text(element, property, text);
    } else if (property.kind == Kind::kColor) {
      tuner::set_number(element, property, 0x80ffee01u);
    } else if (property.kind == Kind::kNumber) {
      const double range = property.maximum - property.minimum;
      tuner::set_number(element, property, property.minimum + std::min(7.0, range * 0.7));
    } else {
      tuner::set_number(element, property, property.maximum - property.initial);
    }
  }
}

// ---- properties and sliders ----

void test_properties() {
  const ElementRef element = new_element();
  const Property sigma = find(element.get(), "sigma");
  expect(sigma.kind == Kind::kNumber && !sigma.is_whole && sigma.is_live, "sigma is a live number");
  expect(sigma.minimum == 0 && sigma.maximum == 20 && sigma.initial == 1.4, "range of sigma");
  expect_contains(sigma.blurb, "Standard deviation");
  const Property gradient_operator = find(element.get(), "operator");
  expect(gradient_operator.kind == Kind::kChoice && gradient_operator.choices.size() == 9 &&
             gradient_operator.choices[1] == "sobel-5",
         "choices of operator");
  expect(find(element.get(), "edge-color").kind == Kind::kColor, "edge-color is a color");
  expect(find(element.get(), "thin-edges").initial == 1, "thin-edges is on");
  expect(find(element.get(), "roi-type").kind == Kind::kText, "roi-type is a text");
  expect(!find(element.get(), "n-threads").is_live, "n-threads is not live");
  for (const Property& property : tuner::writable_properties(element.get())) {
    expect(tuner::is_initial(element.get(), property), property.name + " is initial");
    expect(property.name != "stats", "stats is not writable");
  }
  change_all(element.get());
  for (const Property& property : tuner::writable_properties(element.get())) {
    expect(!tuner::is_initial(element.get(), property), property.name + " was changed");
  }
}

/// Each row of the table names properties, and choices of another one.
void test_effects() {
  const ElementRef element = new_element();
  const auto words = [](const char* text) {
    std::istringstream all(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(all), {});
  };
  for (const tuner::Unused& row : tuner::kUnused) {
    for (const std::string& name : words(row.names))
      expect(tuner::is_of(row, find(element.get(), name)), name + " is of its row");
    const std::vector<std::string> choices = find(element.get(), row.other).choices;
    for (const std::string& value : words(row.values))
      expect(std::count(choices.begin(), choices.end(), value) == 1, value + " is a choice");
  }
  gst_util_set_object_arg(G_OBJECT(element.get()), "backend", "opencl");
  expect(tuner::has_effect(element.get(), find(element.get(), "n-threads")),
         "contours and components have threads with each backend");
}

void test_sliders() {
  const ElementRef element = new_element();
  for (const Property& property : tuner::writable_properties(element.get())) {
    if (property.kind != Kind::kNumber || !property.is_live) continue;
    expect(tuner::slider_value(property, 0) == property.minimum, property.name + " at the left");
    expect(tuner::slider_value(property, 1) == property.maximum, property.name + " at the right");
    double before = property.minimum;
    for (double position = 0.05; position < 1; position += 0.05) {
      const double value = tuner::slider_value(property, position);
      const double back = tuner::slider_value(property, tuner::slider_position(property, value));
      expect(value >= before && std::abs(back - value) <= 1e-9 * value,
             property.name + " at " + tuner::number_text(position));
      before = value;
    }
  }
  const Property high = find(element.get(), "high-threshold");
  expect(std::abs(tuner::slider_position(high, 150) - 0.4) < 1e-9, "the default is at 0.4");
  expect_equal(tuner::number_text(tuner::slider_value(find(element.get(), "sigma"), 0.5)), "2.68",
               "three digits of sigma");
}

// ---- sources ----

void expect_source(const std::string& text, const std::string& elements) {
  tuner::Source source;
  std::string error;
  expect(tuner::parse_source(text, &source, &error), text + ": " + error);
  expect_equal(tuner::source_elements(source), elements, text);
  expect_equal(tuner::source_text(source), text, "text of the source");
}

void expect_no_source(const std::string& text, const std::string& advice) {
  tuner::Source source;
  std::string error;
  expect(!tuner::parse_source(text, &source, &error), text + " is a source");
  expect_contains(error, advice);
}

void test_sources(const std::string& folder) {
  expect_source("pattern:ball", "videotestsrc pattern=ball ! video/x-raw,width=640,height=480");
  expect_source("camera:/dev/null", "v4l2src device=\"/dev/null\" ! decodebin");
  expect_source("https://h.invalid/a?b=1&c=$2",
                "uridecodebin uri=\"https://h.invalid/a?b=1&c=%242\"");
  const std::string path = folder + "/it's (1) & 2 ä.avi";
  std::ofstream(path) << "x";
  tuner::Source source;
  std::string error;
  expect(tuner::parse_source(path, &source, &error), error);
  expect_equal(tuner::source_text(source), path, "path of the source");
  expect_no_source("", "Enter a file");
  expect_no_source("pattern:nothing", "Choose one from the menu");
  expect_no_source("camera:/dev/no-camera", "Connect one");
  expect_no_source("/no/such/file.mp4", "There is no file /no/such/file.mp4");
  expect_no_source("file:///no/such/file.mp4", "There is no file /no/such/file.mp4");
  expect_no_source(folder, "There is no file");
}

// ---- texts ----

/// The pipeline that gst-launch-1.0 makes of a line in a shell.
ElementRef parse_as_shell(const std::string& line) {
  gint count = 0;
  gchar** words = nullptr;
  expect(g_shell_parse_argv(line.c_str(), &count, &words, nullptr), "the shell parses " + line);
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launchv(const_cast<const gchar**>(words) + 1, &error);
  expect(error == nullptr, line + ": " + (error != nullptr ? error->message : ""));
  g_clear_error(&error);
  g_strfreev(words);
  return ElementRef(GST_ELEMENT(gst_object_ref_sink(pipeline)));
}

GstElement* find_detector(const ElementRef& pipeline) {
  GstIterator* all =
      gst_bin_iterate_all_by_element_factory_name(GST_BIN(pipeline.get()), "cudacanny");
  GValue value = G_VALUE_INIT;
  GstElement* found = nullptr;
  if (gst_iterator_next(all, &value) == GST_ITERATOR_OK) {
    found = GST_ELEMENT(g_value_get_object(&value));
  }
  g_value_unset(&value);
  gst_iterator_free(all);
  return found;
}

void expect_same_values(GstElement* found, GstElement* expected) {
  if (!expect(found != nullptr, "the line has a cudacanny")) return;
  for (const Property& property : tuner::writable_properties(expected)) {
    expect_equal(tuner::value_text(found, property), tuner::value_text(expected, property),
                 property.name);
  }
}

void test_launch_lines() {
  const ElementRef element = new_element();
  const tuner::Source pattern;
  expect_equal(tuner::launch_line(pattern, "", element.get()),
               "gst-launch-1.0 videotestsrc pattern=smpte ! video/x-raw,width=640,height=480 "
               "! videoconvert ! cudacanny ! videoconvert ! autovideosink",
               "launch line of the defaults");
  g_object_set(element.get(), "sigma", 2.5, "thin-edges", FALSE, nullptr);
  expect_contains(tuner::launch_line(pattern, "RGB", element.get()),
                  "! videoconvert ! video/x-raw,format=RGB ! cudacanny sigma=2.5 "
                  "thin-edges=false ! videoconvert");
  g_object_set(element.get(), "low-threshold", 50.0, "high-threshold", 90.0, nullptr);
  expect_contains(tuner::launch_line(pattern, "RGB", element.get()),
                  "cudacanny low-threshold=50 high-threshold=90 sigma=2.5");
  g_object_set(element.get(), "low-threshold", 200.0, "high-threshold", 600.0, nullptr);
  gst_util_set_object_arg(G_OBJECT(element.get()), "operator", "scharr");
  expect_contains(tuner::launch_line(pattern, "RGB", element.get()),
                  "cudacanny sigma=2.5 operator=scharr thin-edges=false");
  expect_contains(tuner::cpp_text(element.get()),
                  "params.low_threshold = 200;\nparams.high_threshold = 600;\n");
  change_all(element.get());
  const std::string line = tuner::launch_line(pattern, "RGB", element.get());
  expect_same_values(find_detector(parse_as_shell(line)), element.get());
  const std::string bare = line.substr(line.find(' '));
  const ElementRef pipeline(
      GST_ELEMENT(gst_object_ref_sink(gst_parse_launch(bare.c_str(), nullptr))));
  expect_same_values(find_detector(pipeline), element.get());
}

const char kChanged[] =
    "canny::Options options;\n"
    "options.backend = canny::Backend::kOpenCl;\n"
    "options.cuda_device = 6;\n"
    "options.opencl_device = \"red \\\"car\\\" $1\";\n"
    "options.threads = 7;\n"
    "canny::Params params;\n"
    "params.low_threshold = 7;\n"
    "params.high_threshold = 7;\n"
    "params.threshold_mode = canny::ThresholdMode::kMedian;\n"
    "params.high_ratio = 7;\n"
    "params.low_ratio = 0.7;\n"
    "params.sigma = 7;\n"
    "params.color_mode = canny::ColorMode::kLargestChannel;\n"
    "params.luma_depth = canny::LumaDepth::k8;\n"
    "params.gradient_operator = canny::Operator::kKirsch;\n"
    "params.norm = canny::Norm::kL1;\n"
    "params.thin_edges = false;\n"
    "params.hysteresis_passes = 7;\n"
    "params.min_length = 7;\n"
    "params.view = canny::View::kBlurred;\n"
    "params.edge_color = 0x80ffee01;\n"
    "params.measure_stages = true;\n";

/// Every choice of every property compiles.
void test_cpp_text(const std::string& compiler, const std::string& root,
                   const std::string& folder) {
  const ElementRef element = new_element();
  expect_equal(tuner::cpp_text(element.get()), "canny::Params params;\n", "C++ of the defaults");
  change_all(element.get());
  expect_equal(tuner::cpp_text(element.get()), kChanged, "C++ of other values");
  std::ostringstream code;
  code << "#include \"canny/canny.h\"\n";
  int number = 0;
  for (const Property& property : tuner::writable_properties(element.get())) {
    for (std::size_t i = 0; i < property.choices.size(); ++i) {
      tuner::set_number(element.get(), property, static_cast<double>(i));
      code << "void f" << number++ << "() {\n" << tuner::cpp_text(element.get()) << "}\n";
    }
  }
  const std::string file = folder + "/settings.cc";
  std::ofstream(file) << code.str();
  const std::string command =
      compiler + " -std=c++17 -fsyntax-only -I'" + root + "' '" + file + "'";
  expect(std::system(command.c_str()) == 0, command);
}

// ---- statistics and pictures ----

void test_statistics() {
  tuner::Statistics frame;
  frame.backend = "cpu";
  frame.device = "a processor";
  frame.last_ms = 2;
  tuner::Rows rows = tuner::statistics_rows(frame, 25);
  expect(rows.size() == 5, "rows without stages");
  expect_equal(rows[0].second, "cpu, a processor", "backend");
  frame.stages_ms[1] = 1.5;
  rows = tuner::statistics_rows(frame, 25);
  expect(rows.size() == 10, "rows with stages");
  expect_equal(rows[5].first + " " + rows[5].second, "Front end 1.500 ms", "a stage");
  expect_equal(rows[6].first + " " + rows[6].second, "Counting, waiting 0.500 ms", "the rest");
  frame.stages_ms[2] = 0.75;
  expect_equal(tuner::statistics_rows(frame, 25)[7].second, "0.000 ms", "stages side by side");

  const char* const hint = "0: lower the high threshold, or choose otsu as threshold mode";
  const auto edges = [&] { return tuner::statistics_rows(frame, 25)[3].second; };
  expect_equal(edges(), "0", "edges before the first frame");
  frame.frames = 1;
  expect_equal(edges(), hint, "a frame without edges");
  frame.has_measured_thresholds = true;
  expect_equal(edges(), "0: lower the high ratio", "likewise with measured thresholds");
  frame.has_edges = false;
  expect_equal(edges(), "0", "an output without edges");
  frame.has_edges = true;
  frame.edge_pixels = 3;
  expect_equal(edges(), "3", "a frame with edges");

  tuner::History history;
  for (int i = 0; i < 200; ++i) history.add(frame, i * 40000);
  expect(history.all().size() == tuner::History::kMost, "length of the history");
  expect(history.frames_per_second(199 * 40000) == 25, "frames per second");
  expect(history.frames_per_second(199 * 40000 + 2000000) == 0, "frames long ago");
  const ElementRef element = new_element();
  expect_equal(tuner::read_statistics(element.get()).backend, "none", "before a start");
  expect(tuner::read_statistics(element.get()).has_edges, "the output of the default has edges");
  expect(!tuner::read_statistics(element.get()).has_measured_thresholds, "absolute thresholds");
  gst_util_set_object_arg(G_OBJECT(element.get()), "threshold-mode", "otsu");
  expect(tuner::read_statistics(element.get()).has_measured_thresholds, "thresholds of otsu");
  gst_util_set_object_arg(G_OBJECT(element.get()), "output", "gradient");
  expect(!tuner::read_statistics(element.get()).has_edges, "a gradient has no edges");
}

tuner::SampleRef new_sample(const std::vector<std::uint8_t>& rgb, int width,
                            const char* interlace_mode = "progressive") {
  GstBuffer* buffer = gst_buffer_new_memdup(rgb.data(), rgb.size());
  const int height = static_cast<int>(rgb.size()) / (3 * width);
  GstCaps* caps =
      gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "RGB", "width", G_TYPE_INT, width,
                          "height", G_TYPE_INT, height, "interlace-mode", G_TYPE_STRING,
                          interlace_mode, "framerate", GST_TYPE_FRACTION, 25, 1, nullptr);
  tuner::SampleRef sample(gst_sample_new(buffer, caps, nullptr, nullptr));
  gst_caps_unref(caps);
  gst_buffer_unref(buffer);
  return sample;
}

/// The red, green and blue of a pixel in the first row.
std::uint32_t pixel(const tuner::Picture& picture, int x) {
  cairo_surface_flush(picture.get());
  const unsigned char* row = cairo_image_surface_get_data(picture.get());
  return reinterpret_cast<const std::uint32_t*>(row)[x] & 0xffffff;
}

tuner::Picture draw(tuner::Layout layout, const tuner::Picture& input, const tuner::Picture& output,
                    int width) {
  tuner::Picture area(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, 4));
  cairo_t* cairo = cairo_create(area.get());
  tuner::draw_pictures(cairo, layout, input, output, width, 4, 0.5);
  cairo_destroy(cairo);
  return area;
}

/// Pictures of 4x1 pixels, drawn four times as large.
void test_pictures(const std::string& folder) {
  const std::vector<std::uint8_t> red = {200, 0, 0, 200, 0, 0, 200, 0, 0, 200, 0, 0};
  const std::vector<std::uint8_t> white = {0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 255, 255};
  const tuner::Picture input = tuner::new_picture(new_sample(red, 4).get());
  const tuner::Picture output = tuner::new_picture(new_sample(white, 4).get());
  expect(pixel(input, 0) == 0xc80000 && pixel(output, 1) == 0xffffff, "pixels of frames");
  std::vector<std::uint8_t> rows = red;
  rows.insert(rows.end(), red.begin(), red.end());
  const tuner::Picture interlaced = tuner::new_picture(new_sample(rows, 4, "interleaved").get());
  expect(pixel(interlaced, 0) == 0xc80000, "an interlaced frame");
  const int too_wide = 40000;  // for cairo
  const std::vector<std::uint8_t> row(std::size_t(3) * too_wide);
  expect(tuner::new_picture(new_sample(row, too_wide).get()) == nullptr, "no surface");

  const tuner::Picture side = draw(tuner::Layout::kSideBySide, input, output, 36);
  expect(pixel(side, 1) == 0xc80000 && pixel(side, 20 + 6) == 0xffffff, "side by side");
  const tuner::Picture split = draw(tuner::Layout::kSplit, input, output, 16);
  expect(pixel(split, 5) == 0xc80000 && pixel(split, 14) == 0xffffff, "split");
  const tuner::Picture overlay = draw(tuner::Layout::kOverlay, input, output, 16);
  expect(pixel(overlay, 1) == 0xc80000 && pixel(overlay, 5) == 0xffffff, "overlay");

  std::string error;
  const std::string path = folder + "/saved.png";
  expect(tuner::save_picture(output, path, &error), error);
  const tuner::Picture saved(cairo_image_surface_create_from_png(path.c_str()));
  expect(pixel(saved, 1) == 0xffffff && pixel(saved, 2) == 0, "saved picture");
  expect(!tuner::save_picture(output, "/no/such/folder/a.png", &error), "a missing folder");
  expect_contains(error, "Choose a folder");
  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit full = {16, limit.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &full);
  expect(!tuner::save_picture(input, path, &error), "a full disk");
  setrlimit(RLIMIT_FSIZE, &limit);
  expect_contains(error, "Choose a folder");
  const tuner::Picture kept(cairo_image_surface_create_from_png(path.c_str()));
  expect(tuner::width_of(kept) == 4 && pixel(kept, 1) == 0xffffff, "the picture that was there");
  expect(!tuner::save_picture(nullptr, path, &error), "no picture");
  expect_contains(error, "Open a source");
}

/// The colors of a plot of 240x56 pixels.
class Plot {
 public:
  explicit Plot(const tuner::History& history) {
    cairo_t* cairo = cairo_create(area_.get());
    tuner::draw_plot(cairo, history, 240, 56);
    cairo_destroy(cairo);
    cairo_surface_flush(area_.get());
  }
  std::uint32_t operator()(int x, int y) const {
    const auto* pixels =
        reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(area_.get()));
    return pixels[240 * y + x] & 0xffffff;
  }

 private:
  tuner::Picture area_{cairo_image_surface_create(CAIRO_FORMAT_RGB24, 240, 56)};
};

void test_plot() {
  tuner::History history;
  tuner::Statistics frame;
  frame.stages_ms[1] = 3;
  frame.stages_ms[2] = 1;
  history.add(frame, 0);
  const Plot at(history);
  expect(at(239, 50) == at(239, 28), "the lower three quarters are one stage");
  expect(at(239, 50) != at(239, 20), "the upper quarter is another one");
  expect(at(239, 20) != at(100, 20), "there is a bar");
}

/// One slow frame leaves the others their height, and has a mark.
void test_plot_of_a_slow_frame() {
  tuner::History history;
  tuner::Statistics frame;
  for (int i = 0; i < 100; ++i) {
    frame.last_ms = i == 40 ? 500 : 1;
    history.add(frame, i);
  }
  const Plot at(history);
  const int slow = 2 * 60;  // 20 of 120 places are empty
  expect(at(239, 26) == at(239, 55) && at(239, 21) != at(239, 55), "four fifths of the height");
  expect(at(slow, 21) == at(239, 55), "the slow frame is higher");
  expect(at(slow, 17) == 0xffffff && at(239, 17) != 0xffffff, "its top has a mark");
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(nullptr, nullptr);
  if (argc != 4) g_error("usage: model COMPILER SOURCE_DIR FOLDER");
  g_mkdir_with_parents(argv[3], 0755);
  test_properties();
  test_effects();
  test_sliders();
  test_sources(argv[3]);
  test_launch_lines();
  test_cpp_text(argv[1], argv[2], argv[3]);
  test_statistics();
  test_pictures(argv[3]);
  test_plot();
  test_plot_of_a_slow_frame();
  return check::finish();
}

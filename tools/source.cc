// SPDX-License-Identifier: LGPL-2.1-or-later
/// Texts of sources: what the user enters, and the elements that play it.
#include "tools/source.h"

#include <gst/gst.h>

#include <algorithm>

#include "tools/ref.h"

namespace tuner {

namespace {

const char kPattern[] = "pattern:";
const char kCamera[] = "camera:";

bool parse_pattern(const std::string& name, Source* source, std::string* error) {
  const std::vector<std::string> names = pattern_names();
  if (names.empty()) {
    *error = "There are no test patterns. Install gstreamer1.0-plugins-base.";
    return false;
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    *error = "There is no test pattern \"" + name + "\". Choose one from the menu.";
    return false;
  }
  *source = {SourceKind::kPattern, name};
  return true;
}

bool parse_camera(const std::string& device, Source* source, std::string* error) {
  *source = {SourceKind::kCamera, device.empty() ? "/dev/video0" : device};
  if (g_file_test(source->name.c_str(), G_FILE_TEST_EXISTS)) return true;
  *error = "There is no camera " + source->name + ". " + source_advice(*source);
  return false;
}

bool parse_file(const std::string& path, Source* source, std::string* error) {
  if (!g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR)) {
    *error = "There is no file " + path + ". Open another one, or enter pattern:smpte.";
    return false;
  }
  g_autoptr(GError) failure = nullptr;
  *source = {SourceKind::kUri, take(gst_filename_to_uri(path.c_str(), &failure))};
  if (failure == nullptr) return true;
  *error = std::string(failure->message) + ". Open another file.";
  return false;
}

/// Encodes the characters of a URI that have a meaning to the shell within double quotes.
std::string quoted_uri(const std::string& uri) {
  return '"' + take(g_uri_escape_string(uri.c_str(), "%:/?#[]@&'()*+,;=", TRUE)) + '"';
}

}  // namespace

bool parse_source(const std::string& text, Source* source, std::string* error) {
  const auto rest = [&](const std::string& start) { return text.substr(start.size()); };
  if (text.empty()) {
    *error = "No source. Enter a file, a URI, camera:DEVICE or pattern:NAME.";
    return false;
  }
  if (g_str_has_prefix(text.c_str(), kPattern)) return parse_pattern(rest(kPattern), source, error);
  if (g_str_has_prefix(text.c_str(), kCamera)) return parse_camera(rest(kCamera), source, error);
  if (!gst_uri_is_valid(text.c_str())) return parse_file(text, source, error);
  const std::string path = take(g_filename_from_uri(text.c_str(), nullptr, nullptr));
  if (!path.empty()) return parse_file(path, source, error);
  *source = {SourceKind::kUri, text};
  return true;
}

std::string source_text(const Source& source) {
  if (source.kind == SourceKind::kPattern) return kPattern + source.name;
  if (source.kind == SourceKind::kCamera) return kCamera + source.name;
  const std::string path = take(g_filename_from_uri(source.name.c_str(), nullptr, nullptr));
  return path.empty() ? source.name : path;
}

std::string source_elements(const Source& source) {
  switch (source.kind) {
    case SourceKind::kPattern:
      return "videotestsrc pattern=" + source.name + " ! video/x-raw,width=640,height=480";
    case SourceKind::kCamera:
      return "v4l2src device=\"" + source.name + "\" ! decodebin";
    default:
      return "uridecodebin uri=" + quoted_uri(source.name);
  }
}

std::string source_advice(const Source& source) {
  switch (source.kind) {
    case SourceKind::kPattern:
      return "Install gstreamer1.0-plugins-base.";
    case SourceKind::kCamera:
      return "Connect one, close other programs that use it, or enter another device, as in "
             "camera:/dev/video1.";
    default:
      return "Check that it is a video or a picture, or open another file.";
  }
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  const ElementRef element(gst_element_factory_make("videotestsrc", nullptr));
  if (element == nullptr) return names;
  GParamSpec* pspec = g_object_class_find_property(G_OBJECT_GET_CLASS(element.get()), "pattern");
  const GEnumClass* all = G_PARAM_SPEC_ENUM(pspec)->enum_class;
  for (guint i = 0; i < all->n_values; ++i) names.push_back(all->values[i].value_nick);
  return names;
}

}  // namespace tuner

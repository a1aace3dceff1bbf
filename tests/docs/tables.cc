// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the tables of properties in the documentation with the element, or writes them.
///
///     tables check|update FILE...
///
/// A table stands between two lines. The first line names its columns:
///
///     <!-- properties: default, description -->
///     <!-- end of properties -->
#include <gst/gst.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "cells.h"
#include "document.h"
#include "introspection.h"

namespace {

using namespace docs;
using check::is_writable;

// ---- tables ----

struct Column {
  const char* title;
  std::string (*cell)(GParamSpec* pspec);
};

constexpr Column kColumns[] = {
    {"property", name},   {"type", type},           {"range", range},
    {"default", initial}, {"takes effect", effect}, {"description", description},
};

const Column& find_column(const std::string& title) {
  for (const Column& column : kColumns) {
    if (title == column.title) return column;
  }
  throw std::runtime_error("no column \"" + title + "\"");
}

/// Properties that can be set come first. `titles` are separated by ", ".
Lines table(GstElement* element, const std::string& titles) {
  std::vector<Column> columns = {find_column("property")};
  gchar** split = g_strsplit(titles.c_str(), ", ", -1);
  for (gchar** title = split; *title != nullptr; ++title) columns.push_back(find_column(*title));
  g_strfreev(split);

  Lines lines(2);  // title and rule
  for (const Column& column : columns) {
    lines[0] += std::string("| ") + column.title + " ";
    lines[1] += "|---";
  }
  std::vector<GParamSpec*> properties = check::own_properties(element);
  std::stable_partition(properties.begin(), properties.end(), is_writable);
  for (GParamSpec* pspec : properties) {
    std::string& line = lines.emplace_back();
    for (const Column& column : columns) line += "| " + column.cell(pspec) + " ";
  }
  for (std::string& line : lines) line += "|";
  lines.insert(lines.begin(), "");
  lines.push_back("");
  return lines;
}

// ---- files ----

/// The lines, with the tables generated from the element.
Lines with_tables(GstElement* element, const Lines& lines) {
  const std::string begin = "<!-- properties: ", close = " -->", end = "<!-- end of properties -->";
  Lines result;
  bool found = false;
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    result.push_back(*line);
    if (line->compare(0, begin.size(), begin) != 0) continue;
    const auto length = line->size() - begin.size() - close.size();
    const Lines rows = table(element, line->substr(begin.size(), length));
    result.insert(result.end(), rows.begin(), rows.end());
    line = std::find(line, lines.end(), end);
    if (line == lines.end()) throw std::runtime_error("no line \"" + end + "\"");
    result.push_back(end);
    found = true;
  }
  if (!found) throw std::runtime_error("no line \"" + begin + "...\"");
  return result;
}

GstElement* new_element() {
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  return element != nullptr ? GST_ELEMENT(gst_object_ref_sink(element)) : nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const std::string task = argc > 2 ? argv[1] : "";
  GstElement* element = new_element();
  if (element == nullptr || (task != "check" && task != "update")) {
    std::printf("usage: %s check|update FILE..., with the element in GST_PLUGIN_PATH\n", argv[0]);
    return 2;
  }
  int failed = 0;
  for (int i = 2; i < argc; ++i) {
    try {
      const Lines lines = read(argv[i]);
      const Lines updated = with_tables(element, lines);
      if (task == "check") {
        compare(lines, updated, "the table of properties",
                "meson compile -C BUILD_DIR update-tables");
      }
      if (task == "update" && lines != updated) write(argv[i], updated);
    } catch (const std::exception& e) {
      std::printf("%s: %s\n", argv[i], e.what());
      ++failed;
    }
  }
  gst_object_unref(element);
  std::printf("%d passed, %d failed, 0 skipped\n", argc - 2 - failed, failed);
  return failed > 0;
}

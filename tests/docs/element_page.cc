// SPDX-License-Identifier: LGPL-2.1-or-later
/// Compares the page of the element with the element, or writes it.
///
///     element_page check|update FILE
///
/// The page states only what is the same in every build and with every version of GStreamer.
#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cells.h"
#include "document.h"
#include "introspection.h"

namespace {

using docs::code;
using docs::Lines;

std::string take(gchar* text) {
  const std::string copy = text != nullptr ? text : "";
  g_free(text);
  return copy;
}

void add(Lines* page, std::initializer_list<std::string> lines) {
  page->insert(page->end(), lines.begin(), lines.end());
}

void add_row(Lines* page, const std::string& left, const std::string& right) {
  add(page, {"| " + left + " | " + right + " |"});
}

// ---- the element ----

/// The type and its ancestors, oldest first.
std::string ancestors(GType type) {
  const GType parent = g_type_parent(type);
  const std::string own = code(g_type_name(type));
  return parent == 0 ? own : ancestors(parent) + ", " + own;
}

std::string interfaces(GType type) {
  guint count = 0;
  GType* all = g_type_interfaces(type, &count);
  std::string names;
  for (guint i = 0; i < count; ++i) names += (i > 0 ? ", " : "") + code(g_type_name(all[i]));
  g_free(all);
  return names;
}

void add_element(Lines* page, GstElement* element) {
  const auto metadata = [&](const char* key) { return gst_element_get_metadata(element, key); };
  GstPluginFeature* feature = GST_PLUGIN_FEATURE(gst_element_get_factory(element));
  GstPlugin* plugin = gst_plugin_feature_get_plugin(feature);
  const std::string rank = std::to_string(gst_plugin_feature_get_rank(feature));
  add(page,
      {"<!-- `meson compile -C BUILD_DIR update-element` writes this page. -->", "# cudacanny", "",
       std::string(metadata(GST_ELEMENT_METADATA_DESCRIPTION)) + ".", "", "| | |", "|---|---|"});
  add_row(page, "name", metadata(GST_ELEMENT_METADATA_LONGNAME));
  add_row(page, "class", code(metadata(GST_ELEMENT_METADATA_KLASS)));
  add_row(page, "rank", rank == "0" ? "0: autopluggers such as decodebin do not choose it" : rank);
  add_row(page, "plugin",
          code(gst_plugin_get_name(plugin)) + ": " + gst_plugin_get_description(plugin));
  add_row(page, "license", gst_plugin_get_license(plugin));
  add_row(page, "type and ancestors", ancestors(G_OBJECT_TYPE(element)));
  add_row(page, "interfaces", interfaces(G_OBJECT_TYPE(element)));
  gst_object_unref(plugin);
}

// ---- pads ----

/// The structure for system memory. The one for CUDA memory depends on the build.
const GstStructure* system_memory(const GstCaps* caps) {
  for (guint i = 0; i < gst_caps_get_size(caps); ++i) {
    if (gst_caps_features_is_equal(gst_caps_get_features(caps, i),
                                   GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      return gst_caps_get_structure(caps, i);
  }
  throw std::runtime_error("a pad template has no caps for system memory");
}

/// The values of a field: of formats, those of GStreamer 1.22, the oldest release that the element
/// needs.
Lines values(const GValue* value) {
  if (!GST_VALUE_HOLDS_LIST(value)) return {code(take(gst_value_serialize(value)))};
  Lines formats;
  for (guint i = 0; i < gst_value_list_get_size(value); ++i) {
    const std::string item = take(gst_value_serialize(gst_value_list_get_value(value, i)));
    if (gst_video_format_from_string(item.c_str()) <= GST_VIDEO_FORMAT_NV12_10BE_8L128)
      formats.push_back(code(item));
  }
  return formats;
}

struct Field {
  std::string name;
  Lines values;
};

/// The fields of a pad's caps.
std::vector<Field> fields(GstElement* element, const char* name) {
  GstPadTemplate* pad = gst_element_get_pad_template(element, name);
  if (pad == nullptr || GST_PAD_TEMPLATE_PRESENCE(pad) != GST_PAD_ALWAYS)
    throw std::runtime_error("pad " + std::string(name) + " is not always there");
  GstCaps* caps = gst_pad_template_get_caps(pad);
  const GstStructure* structure = system_memory(caps);
  std::vector<Field> all;
  for (gint i = 0; i < gst_structure_n_fields(structure); ++i) {
    const gchar* field = gst_structure_nth_field_name(structure, guint(i));
    all.push_back({field, values(gst_structure_get_value(structure, field))});
  }
  gst_caps_unref(caps);
  return all;
}

/// Whether two pads have equal caps, but for the order of values.
bool are_equal(const std::vector<Field>& pad, const std::vector<Field>& other) {
  const auto is_equal = [](const Field& field, const Field& same) {
    return field.name == same.name && std::is_permutation(field.values.begin(), field.values.end(),
                                                          same.values.begin(), same.values.end());
  };
  return std::equal(pad.begin(), pad.end(), other.begin(), other.end(), is_equal);
}

void add_pads(Lines* page, GstElement* element) {
  add(page, {"", "## Pads", "",
             "The pads `sink` and `src` are always present. Both have these caps, with the formats "
             "of GStreamer 1.22; newer",
             "releases add some. In builds with CUDA memory, both also have the feature "
             "`memory:CUDAMemory`, with the formats that",
             "[Memory](properties.md#memory) lists.", "", "| `video/x-raw` | |", "|---|---|"});
  const std::vector<Field> sink = fields(element, "sink");
  if (!are_equal(sink, fields(element, "src"))) throw std::runtime_error("the pads differ");
  for (const Field& field : sink) {
    std::string items;
    for (const std::string& value : field.values) items += (items.empty() ? "" : ", ") + value;
    add_row(page, code(field.name), items);
  }
}

// ---- properties ----

void add_choices(Lines* page, GParamSpec* pspec) {
  if (!G_IS_PARAM_SPEC_ENUM(pspec)) return;
  const GEnumClass* choices = G_PARAM_SPEC_ENUM(pspec)->enum_class;
  add(page, {"", "| value | number | |", "|---|---|---|"});
  for (guint i = 0; i < choices->n_values; ++i) {
    const GEnumValue& choice = choices->values[i];
    add(page, {"| " + code(choice.value_nick) + " | " + std::to_string(choice.value) + " | " +
               choice.value_name + " |"});
  }
}

void add_property(Lines* page, GParamSpec* pspec) {
  add(page, {"", "### " + docs::name(pspec), "", docs::description(pspec) + ".", "",
             "- Type: " + docs::type(pspec)});
  if (!docs::range(pspec).empty()) add(page, {"- Range: " + docs::range(pspec)});
  if (check::is_writable(pspec)) add(page, {"- Default: " + docs::initial(pspec)});
  add(page, {"- Takes effect: " + docs::effect(pspec)});
  add_choices(page, pspec);
}

void add_properties(Lines* page, GstElement* element) {
  add(page, {"", "## Properties", "",
             "[Properties](properties.md) explains the element's own properties, and the "
             "[gallery](../start/gallery.md) shows them."});
  std::vector<GParamSpec*> properties = check::own_properties(element);
  std::stable_partition(properties.begin(), properties.end(), check::is_writable);
  for (GParamSpec* pspec : properties) add_property(page, pspec);
}

// ---- statistics, signals, meta, presets ----

void add_stats(Lines* page, GstElement* element) {
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  add(page, {"", "## Messages", "",
             "With `stats-interval`, the element posts element messages named `cudacanny-stats` "
             "with the [fields](properties.md#stats)",
             std::string("of the property `stats`, a structure named `") +
                 gst_structure_get_name(stats) + "`.",
             "[Troubleshooting](../guide/troubleshooting.md) lists the errors and warnings.", "",
             "| type | fields |", "|---|---|"});
  std::map<std::string, std::string> names;  // by type
  for (gint i = 0; i < gst_structure_n_fields(stats); ++i) {
    const gchar* field = gst_structure_nth_field_name(stats, guint(i));
    std::string& same = names[g_type_name(gst_structure_get_field_type(stats, field))];
    same += (same.empty() ? "" : ", ") + code(field);
  }
  for (const auto& [type, all] : names) add_row(page, code(type), all);
  gst_structure_free(stats);
}

void add_signals(Lines* page, GstElement* element) {
  guint count = 0;
  guint* ids = g_signal_list_ids(G_OBJECT_TYPE(element), &count);
  add(page, {"", "## Signals", "", count == 0 ? "The element has no signals of its own." : ""});
  for (guint i = 0; i < count; ++i) add(page, {"- " + code(g_signal_name(ids[i]))});
  g_free(ids);
}

void add_meta(Lines* page) {
  const GstMetaInfo* info = gst_meta_get_info("cudacanny");
  if (info == nullptr) throw std::runtime_error("the meta \"cudacanny\" is not registered");
  const gchar* const* tags = gst_meta_api_type_get_tags(info->api);
  const bool has_tags = tags != nullptr && tags[0] != nullptr;
  add(page,
      {"", "## Metas", "",
       std::string("Output buffers carry a ") + (gst_meta_info_is_custom(info) ? "custom " : "") +
           "meta named `cudacanny`, " + (has_tags ? "with" : "without") + " tags:",
       "[its fields](properties.md#the-meta-cudacanny). With `roi-mode=meta`, the element reads",
       "[metas of the input](properties.md#regions-of-interest)."});
}

void add_presets(Lines* page, GstElement* element) {
  gchar** names = gst_preset_get_preset_names(GST_PRESET(element));
  if (names == nullptr || names[0] == nullptr)
    throw std::runtime_error("no presets: is GST_PRESET_PATH the folder of GstCudaCanny.prs?");
  add(page, {"", "## Presets", "", "| preset | |", "|---|---|"});
  for (gchar** name = names; *name != nullptr; ++name) {
    gchar* comment = nullptr;
    gst_preset_get_meta(GST_PRESET(element), *name, "comment", &comment);
    add_row(page, code(*name), take(comment));
  }
  g_strfreev(names);
  add(page, {"", "[Compatibility](compatibility.md#presets) lists their values."});
}

Lines page_of(GstElement* element) {
  Lines page;
  add_element(&page, element);
  add_pads(&page, element);
  add_properties(&page, element);
  add_stats(&page, element);
  add_signals(&page, element);
  add_meta(&page);
  add_presets(&page, element);
  return page;
}

bool run(const std::string& task, const char* path, GstElement* element) {
  try {
    const Lines page = page_of(element);
    if (task == "update") docs::write(path, page);
    if (task == "check")
      docs::compare(docs::read(path), page, "the page",
                    "meson compile -C BUILD_DIR update-element");
    return true;
  } catch (const std::exception& e) {
    std::printf("%s: %s\n", path, e.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const std::string task = argc == 3 ? argv[1] : "";
  GstElement* element = gst_element_factory_make("cudacanny", nullptr);
  if (element == nullptr || (task != "check" && task != "update")) {
    std::printf("usage: %s check|update FILE, with the element in GST_PLUGIN_PATH\n", argv[0]);
    return 2;
  }
  gst_object_ref_sink(element);
  const bool good = run(task, argv[2], element);
  gst_object_unref(element);
  std::printf("%d passed, %d failed, 0 skipped\n", int(good), int(!good));
  return good ? 0 : 1;
}

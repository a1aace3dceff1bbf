// SPDX-License-Identifier: LGPL-2.1-or-later
/// The table of properties, made from the tables of settings.
#include "properties.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "canny/color.h"
#include "canny/settings.h"
#include "choices.h"
#include "stats.h"

namespace {

using namespace gst_cuda_canny;

using canny::Options;
using canny::Params;
using Settings = GstCudaCannySettings;

// ---- the parts of a row ----

struct Row;

/// Reaches a member of the settings, whatever its type.
struct Member {
  GParamSpec* (*new_spec)(const Row& row);
  GstCudaCannySet (*read)(const GValue* value);
  void (*get)(const Settings& settings, GValue* value);
  double minimum, maximum;  ///< of a number
};

/// A setting.
struct Row {
  const char* name;
  const char* nick;
  const char* blurb;           ///< states the unit and special values
  GParamFlags flags;           ///< kLive, kLiveString or kAtStart
  Member member;               ///< its type is the property's, its initial value the default
  bool is_in_presets = true;   ///< if it is live
  bool is_of_stats = false;    ///< whether it changes no pixel, only what is known of the frames
  const char* twin = nullptr;  ///< the property with the same member, if there is one
};

/// Read at the start of each frame.
constexpr GParamFlags kLive =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_CONTROLLABLE |
                             GST_PARAM_MUTABLE_PLAYING);
/// Likewise, of a type that can't be controlled.
constexpr GParamFlags kLiveString = static_cast<GParamFlags>(
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
/// Read when the element starts.
constexpr GParamFlags kAtStart =
    static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);

bool is_live(const Row& row) { return (row.flags & GST_PARAM_MUTABLE_PLAYING) != 0; }

/// Whether the setting is one of the edges or the output.
bool changes_frames(const Row& row) { return is_live(row) && !row.is_of_stats; }

// ---- GObject's side of a member, by its type ----

template <class T>
GType enum_type() {
  static const GType type = [] {
    static GEnumValue values[kEnum<T>.choices.size() + 1] = {};  // zeros end the list
    gint i = 0;
    for (const auto& [value, description] : kEnum<T>.choices) {
      values[i] = {i, description, name(value)};
      ++i;
    }
    const GType registered = g_enum_register_static(kEnum<T>.name, values);
    gst_type_mark_as_plugin_api(registered, static_cast<GstPluginAPIFlags>(0));
    return registered;
  }();
  return type;
}

/// An enum.
template <class T>
struct Choices {
  static GParamSpec* new_spec(const Row& row, T initial) {
    return g_param_spec_enum(row.name, row.nick, row.blurb, enum_type<T>(), number_of(initial),
                             row.flags);
  }
  static T from_value(const GValue* value, std::string*) {
    return kEnum<T>.choices.begin()[g_value_get_enum(value)].value;
  }
  static void to_value(T member, GValue* value) { g_value_set_enum(value, number_of(member)); }

 private:
  static gint number_of(T member) {
    const auto& choices = kEnum<T>.choices;
    const auto is_member = [=](const Choice<T>& choice) { return choice.value == member; };
    return static_cast<gint>(std::find_if(choices.begin(), choices.end(), is_member) -
                             choices.begin());
  }
};

const gchar* text_of(const GstCudaCannyText& text) { return text.text(); }
const gchar* text_of(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

template <class T>
void read(const gchar* text, T* member, std::string* problem) {
  *problem = gst_cuda_canny_roi_parse(text, member);
  member->written = std::make_shared<const std::string>(text);
}
void read(const gchar* text, std::string* member, std::string*) { *member = text; }

/// A text or null. An empty text is null.
template <class T>
struct Text {
  static GParamSpec* new_spec(const Row& row, const T& initial) {
    return g_param_spec_string(row.name, row.nick, row.blurb, text_of(initial), row.flags);
  }
  static T from_value(const GValue* value, std::string* problem) {
    T member;
    const gchar* text = g_value_get_string(value);
    if (text != nullptr && *text != '\0') read(text, &member, problem);
    return member;
  }
  static void to_value(const T& member, GValue* value) {
    g_value_set_string(value, text_of(member));
  }
};

/// The property of a type: of an enum or a text, unless it has a Kind of its own. Of most kinds,
/// GObject refuses what is not valid; the others set `*problem`.
template <class T>
struct Kind : std::conditional_t<std::is_enum_v<T>, Choices<T>, Text<T>> {};

template <>
struct Kind<bool> {
  static GParamSpec* new_spec(const Row& row, bool initial) {
    return g_param_spec_boolean(row.name, row.nick, row.blurb, initial, row.flags);
  }
  static bool from_value(const GValue* value, std::string*) { return g_value_get_boolean(value); }
  static void to_value(bool member, GValue* value) { g_value_set_boolean(value, member); }
};

/// A color as a text. The number is a property of its own: GstARGBControlBinding takes no type but
/// guint, whose texts GStreamer reads as numbers alone.
struct ColorText {
  static GParamSpec* new_spec(const Row& row, guint initial) {
    return g_param_spec_string(row.name, row.nick, row.blurb, text(initial).c_str(), row.flags);
  }
  static guint from_value(const GValue* value, std::string* problem) {
    const gchar* text = g_value_get_string(value);
    const std::string color = text != nullptr ? text : "";
    const std::optional<std::uint32_t> argb = canny::color_of(color);
    if (!argb) *problem = '"' + color + "\" is not a color. Write " + canny::color_forms() + '.';
    return argb.value_or(0);
  }
  static void to_value(guint member, GValue* value) {
    g_value_set_string(value, text(member).c_str());
  }

 private:
  static std::string text(guint argb) {
    char text[16];
    g_snprintf(text, sizeof text, "#%08x", argb);
    return text;
  }
};

template <class T, auto kNewSpec, auto kGet, auto kSet>
struct Number {
  static GParamSpec* new_spec(const Row& row, T initial) {
    return kNewSpec(row.name, row.nick, row.blurb, static_cast<T>(row.member.minimum),
                    static_cast<T>(row.member.maximum), initial, row.flags);
  }
  static T from_value(const GValue* value, std::string*) { return kGet(value); }
  static void to_value(T member, GValue* value) { kSet(value, member); }
};

template <>
struct Kind<double> : Number<double, g_param_spec_double, g_value_get_double, g_value_set_double> {
};
template <>
struct Kind<gint> : Number<gint, g_param_spec_int, g_value_get_int, g_value_set_int> {};
template <>
struct Kind<guint64>
    : Number<guint64, g_param_spec_uint64, g_value_get_uint64, g_value_set_uint64> {};
template <>
struct Kind<guint> : Number<guint, g_param_spec_uint, g_value_get_uint, g_value_set_uint> {};

/// reach(settings, &Settings::params, &Params::sigma) is settings.params.sigma.
template <class Object, class... Path>
constexpr auto& reach(Object& object, Path... path) {
  return (object.*....*path);
}

/// The type of the member at the end of a path that begins in the settings.
template <auto... kPath>
using TypeOf = std::decay_t<decltype(reach(std::declval<Settings&>(), kPath...))>;

/// This member as a property of kind K.
template <class K, auto... kPath>
constexpr Member member_as(double minimum = 0, double maximum = 0) {
  return {
      [](const Row& row) {
        const Settings initial;
        return K::new_spec(row, reach(initial, kPath...));
      },
      [](const GValue* value) {
        GstCudaCannySet set;
        set.swap = [member = K::from_value(value, &set.problem)](Settings* settings) mutable {
          std::swap(reach(*settings, kPath...), member);
          return reach(*settings, kPath...) != member;
        };
        return set;
      },
      [](const Settings& settings, GValue* value) {
        K::to_value(reach(settings, kPath...), value);
      },
      minimum,
      maximum,
  };
}

/// This member, and its range if it is a number.
template <auto... kPath>
constexpr Member member(double minimum = 0, double maximum = 0) {
  return member_as<Kind<TypeOf<kPath...>>, kPath...>(minimum, maximum);
}

// ---- the settings ----

constexpr double kMaxStatsInterval = 86400e9;  // a day

constexpr std::string_view kEdgeColor = "edge-color", kEdgeColorName = "edge-color-name",
                           kMeasureStages = "measure-stages";

/// The property of a setting of edge maps.
template <std::size_t kIndex>
constexpr Row row_of_setting() {
  const canny::Setting& setting = canny::kSettings[kIndex];
  Row row = {setting.name, setting.title, setting.meaning, kLive,
             member<&Settings::params, canny::kMember<canny::kSettings, kIndex>>(setting.minimum,
                                                                                 setting.maximum)};
  row.is_of_stats = setting.name == kMeasureStages;
  if (setting.name == kEdgeColor) row.twin = kEdgeColorName.data();
  return row;
}

/// The property of an option of detectors.
template <std::size_t kIndex>
constexpr Row row_of_option() {
  const canny::Option& option = canny::kOptions[kIndex];
  return {option.name, option.title, option.meaning, kAtStart,
          member<&Settings::options, canny::kMember<canny::kOptions, kIndex>>(option.minimum,
                                                                              option.maximum)};
}

/// The element's own settings.
constexpr Row kOwnRows[] = {
    {kEdgeColorName.data(), "Edge color name",
     "edge-color as #rrggbb, #aarrggbb (alpha first), 0xaarrggbb or a color name of CSS 2.1",
     kLiveString, member_as<ColorText, &Settings::params, &Params::edge_color>(), false, false,
     kEdgeColor.data()},

    {"roi-mode", "Region of interest mode",
     "Source of the rectangles that limit edges and measured thresholds", kLive,
     member<&Settings::regions, &GstCudaCannyRoiSettings::mode>(), false},

    {"roi-type", "Region of interest type",
     "Type of the regions and label of the detections that count with roi-mode=meta; null = any",
     kLiveString, member<&Settings::regions, &GstCudaCannyRoiSettings::type>(), false},

    {"roi-min-confidence", "Least confidence of detections",
     "Least confidence of detections with roi-mode=meta; detections need GStreamer 1.24 or newer",
     kLive, member<&Settings::regions, &GstCudaCannyRoiSettings::min_confidence>(0, 1), false},

    {"roi-margin", "Region of interest margin",
     "Pixels, or per cent of the size, that the boxes of metas gain on each side: 8 or 10%; null = "
     "0",
     kLiveString, member<&Settings::regions, &GstCudaCannyRoiSettings::margin>(), false},

    {"roi", "Regions of interest",
     "Rectangles x,y,w,h in pixels, separated by semicolons; null = roi-mode alone decides",
     kLiveString, member<&Settings::regions, &GstCudaCannyRoiSettings::roi>(), false},

    {"frames-in-flight", "Frames in flight",
     "Number of frames processed at a time; 0 = 1 in most live pipelines, otherwise 3 or, in CUDA "
     "memory, 6",
     kAtStart, member<&Settings::frames_in_flight>(0, canny::kMaxFramesInFlight)},

    {"contours", "Contours", "Fewest points of a contour in the meta cudacanny; 0 = no contours",
     kAtStart, member<&Settings::contours>(0, std::numeric_limits<guint>::max())},

    {"contour-precision", "Contour precision",
     "Whether contours in the meta have offsets of their points, in 1/256 pixel", kAtStart,
     member<&Settings::contour_precision>()},

    {"components", "Components",
     "Fewest pixels of an edge whose box and numbers are in the meta cudacanny; 0 = none", kAtStart,
     member<&Settings::components>(0, std::numeric_limits<guint>::max())},

    {"stats-interval", "Statistics interval",
     "Shortest time in ns between cudacanny-stats messages with the fields of stats; 0 = none",
     kLive, member<&Settings::stats_interval>(0, kMaxStatsInterval), false, true},
};

template <std::size_t... kSetting, std::size_t... kOption, std::size_t... kOwn>
constexpr auto make_rows(std::index_sequence<kSetting...>, std::index_sequence<kOption...>,
                         std::index_sequence<kOwn...>) {
  return std::array{row_of_setting<kSetting>()..., kOwnRows[kOwn]..., row_of_option<kOption>()...};
}
constexpr auto kRows = make_rows(std::make_index_sequence<std::size(canny::kSettings)>(),
                                 std::make_index_sequence<std::size(canny::kOptions)>(),
                                 std::make_index_sequence<std::size(kOwnRows)>());

constexpr guint kFirstId = GST_CUDA_CANNY_PROP_STATS + 1;
static_assert(kFirstId + kRows.size() <= 64, "SinceStart::warned has a bit for each");

const Row& row_of(guint id) { return kRows[id - kFirstId]; }

}  // namespace

void gst_cuda_canny_properties_install(GObjectClass* klass) {
  gst_cuda_canny_stats_install(klass, GST_CUDA_CANNY_PROP_STATS);
  guint id = kFirstId;
  for (const Row& row : kRows) {
    g_object_class_install_property(klass, id++, row.member.new_spec(row));
  }
}

gchar** gst_cuda_canny_properties_in_presets(GstPreset*) noexcept {
  gchar** names = g_new0(gchar*, kRows.size() + 1);
  gchar** next = names;
  for (const Row& row : kRows) {
    if (changes_frames(row) && row.is_in_presets) *next++ = g_strdup(row.name);
  }
  return names;
}

GstCudaCannySet gst_cuda_canny_properties_read(guint id, GParamSpec* spec, const GValue* value) {
  // GObject takes a floating-point number next to the range as it is; this brings it into the
  // range.
  g_auto(GValue) valid = G_VALUE_INIT;
  g_value_init(&valid, G_VALUE_TYPE(value));
  g_value_copy(value, &valid);
  g_param_value_validate(spec, &valid);
  GstCudaCannySet result = row_of(id).member.read(&valid);
  // GStreamer's messages and structures, in which the text may end, hold UTF-8 alone.
  const gchar* text = G_VALUE_HOLDS_STRING(&valid) ? g_value_get_string(&valid) : nullptr;
  if (text != nullptr && !g_utf8_validate(text, -1, nullptr))
    result.problem = "The text is not UTF-8.";
  return result;
}

void GstCudaCannySettings::set(guint id, GstCudaCannySet* set) {
  if (!set->problem.empty()) return;
  const Row& row = row_of(id);
  const bool has_changed = set->swap(this);
  if (has_changed && changes_frames(row)) since_start.has_live_changes = true;
  set->followers = follow(row.name);
  if (has_changed && row.twin != nullptr) set->followers[0] = row.twin;
  if (!canny::shows_input(params.view)) free_view = params.view;
}

void GstCudaCannySettings::get(guint id, GValue* value) const {
  row_of(id).member.get(*this, value);
}

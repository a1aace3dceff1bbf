// SPDX-License-Identifier: LGPL-2.1-or-later
/// The table of settings, one row each, and the properties made from it.
#include "properties.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "choices.h"
#include "color.h"
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
  const char* blurb;           ///< states the unit, the range or the choices, and special values
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
    constexpr gsize kCount = std::size(Enum<T>::kChoices);
    static GEnumValue values[kCount + 1] = {};  // zeros end the list
    for (gsize i = 0; i < kCount; ++i) {
      const Choice<T>& choice = Enum<T>::kChoices[i];
      values[i] = {static_cast<gint>(i), choice.description, name(choice.value)};
    }
    const GType registered = g_enum_register_static(Enum<T>::kName, values);
    gst_type_mark_as_plugin_api(registered, static_cast<GstPluginAPIFlags>(0));
    return registered;
  }();
  return type;
}

/// An enum; other types have a Kind of their own. Of most kinds, GObject refuses what is not valid;
/// the others set `*problem`.
template <class T>
struct Kind {
  static GParamSpec* new_spec(const Row& row, T initial) {
    return g_param_spec_enum(row.name, row.nick, row.blurb, enum_type<T>(), number_of(initial),
                             row.flags);
  }
  static T from_value(const GValue* value, std::string*) {
    return Enum<T>::kChoices[g_value_get_enum(value)].value;
  }
  static void to_value(T member, GValue* value) { g_value_set_enum(value, number_of(member)); }

 private:
  static gint number_of(T member) {
    const auto& choices = Enum<T>::kChoices;
    const auto is_member = [=](const Choice<T>& choice) { return choice.value == member; };
    return static_cast<gint>(std::find_if(std::begin(choices), std::end(choices), is_member) -
                             std::begin(choices));
  }
};

template <>
struct Kind<bool> {
  static GParamSpec* new_spec(const Row& row, bool initial) {
    return g_param_spec_boolean(row.name, row.nick, row.blurb, initial, row.flags);
  }
  static bool from_value(const GValue* value, std::string*) { return g_value_get_boolean(value); }
  static void to_value(bool member, GValue* value) { g_value_set_boolean(value, member); }
};

/// A text or null. An empty text is null.
template <class T>
struct Text {
  static GParamSpec* new_spec(const Row& row, const T& initial) {
    return g_param_spec_string(row.name, row.nick, row.blurb, initial.text(), row.flags);
  }
  static void to_value(const T& member, GValue* value) { g_value_set_string(value, member.text()); }
};

template <>
struct Kind<std::string> {
  static GParamSpec* new_spec(const Row& row, const std::string& initial) {
    return g_param_spec_string(row.name, row.nick, row.blurb, text(initial), row.flags);
  }
  static std::string from_value(const GValue* value, std::string*) {
    const gchar* text = g_value_get_string(value);
    return text != nullptr ? text : "";
  }
  static void to_value(const std::string& member, GValue* value) {
    g_value_set_string(value, text(member));
  }

 private:
  static const gchar* text(const std::string& member) {
    return member.empty() ? nullptr : member.c_str();
  }
};

template <>
struct Kind<GstCudaCannyRoiType> : Text<GstCudaCannyRoiType> {
  static GstCudaCannyRoiType from_value(const GValue* value, std::string*) {
    const gchar* name = g_value_get_string(value);
    if (name == nullptr || *name == '\0') return {};
    return {std::make_shared<const std::string>(name)};
  }
};

template <>
struct Kind<GstCudaCannyRoi> : Text<GstCudaCannyRoi> {
  static GstCudaCannyRoi from_value(const GValue* value, std::string* problem) {
    GstCudaCannyRoi roi;
    *problem = gst_cuda_canny_roi_parse(g_value_get_string(value), &roi);
    return roi;
  }
};

/// A color as a text. The number is a property of its own: GstARGBControlBinding takes no type but
/// guint, whose texts GStreamer reads as numbers alone.
struct ColorText {
  static GParamSpec* new_spec(const Row& row, guint initial) {
    return g_param_spec_string(row.name, row.nick, row.blurb,
                               gst_cuda_canny_color_text(initial).c_str(), row.flags);
  }
  static guint from_value(const GValue* value, std::string* problem) {
    guint color = 0;
    const gchar* text = g_value_get_string(value);
    if (!gst_cuda_canny_color_parse(text, &color)) {
      *problem = '"' + std::string(text != nullptr ? text : "") +
                 "\" is not a color. Write #rrggbb, #aarrggbb, 0xaarrggbb or one of " +
                 gst_cuda_canny_color_names() + '.';
    }
    return color;
  }
  static void to_value(guint member, GValue* value) {
    g_value_set_string(value, gst_cuda_canny_color_text(member).c_str());
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

// Settings without a "Since" comment date from 0.1.
constexpr Row kRows[] = {
    {"low-threshold", "Low threshold",
     "Gradient magnitude that every edge pixel exceeds, in units of the operator on 8-bit luma or "
     "colors (0 to 1000000; magnitudes of sobel reach 1443; until it is set, a third of "
     "high-threshold); swapped with high-threshold if larger; used with threshold-mode=absolute",
     kLive, member<&Settings::params, &Params::low_threshold>(0, canny::kMaxThreshold)},

    {"high-threshold", "High threshold",
     "Gradient magnitude above which a pixel starts an edge, in units of the operator on 8-bit "
     "luma or colors (0 to 1000000; magnitudes of sobel reach 1443; until it is set, three times "
     "low-threshold); swapped with low-threshold if smaller; used with threshold-mode=absolute",
     kLive, member<&Settings::params, &Params::high_threshold>(0, canny::kMaxThreshold)},

    {"threshold-mode", "Threshold mode",
     "Source of the thresholds (absolute = low-threshold and high-threshold); in the other modes, "
     "the high threshold is high-ratio times a number measured in each frame (relative = the "
     "largest gradient magnitude, otsu = Otsu's threshold of the magnitudes, median = the median "
     "of the luma) or the magnitude that the share high-ratio of the pixels does not exceed "
     "(quantile)",
     kLive, member<&Settings::params, &Params::threshold_mode>()},

    {"high-ratio", "High ratio",
     "Ratio that gives the high threshold, see threshold-mode (0 to 16, 0 = the mode's default: "
     "relative 0.2, quantile 0.7, otsu 1, median 1.33); without effect with "
     "threshold-mode=absolute",
     kLive, member<&Settings::params, &Params::high_ratio>(0, canny::kMaxHighRatio)},

    {"low-ratio", "Low ratio",
     "Ratio of the low threshold to the high one (0 to 1, 0 = the threshold-mode's default: "
     "relative 0.25, quantile 0.4, otsu and median 0.5); without effect with "
     "threshold-mode=absolute",
     kLive, member<&Settings::params, &Params::low_ratio>(0, canny::kMaxLowRatio)},

    {"sigma", "Sigma", "Standard deviation of the Gaussian blur in pixels (0 to 20, 0 = no blur)",
     kLive, member<&Settings::params, &Params::sigma>(0, canny::kMaxSigma)},

    {"color-mode", "Color mode",
     "Images whose gradient is computed (luma = the luma alone, largest-channel = red, green and "
     "blue, of which the largest gradient at a pixel counts; input without these colors counts as "
     "luma)",
     kLive, member<&Settings::params, &Params::color_mode>()},

    {"luma-depth", "Luma depth",
     "Bits of luma and colors that count in input of more than 8 bits (full = all, 8 = the 8 most "
     "significant, whose number in a program is 1); without effect on other input",
     kLive, member<&Settings::params, &Params::luma_depth>()},

    {"operator", "Operator",
     "Operator that computes the gradient (sobel, scharr, prewitt and kroon = 3x3 pixels, sobel-5 "
     "= 5x5, sobel-7 = 7x7, roberts = diagonals of 2x2, robinson and kirsch = largest response of "
     "a 3x3 mask in 8 directions); it sets the unit of the thresholds",
     kLive, member<&Settings::params, &Params::gradient_operator>()},

    {"norm", "Norm",
     "Norm that combines the horizontal and vertical gradients into a magnitude (l2 = root of the "
     "sum of squares, l1 = sum of absolute values); without effect on the operators robinson and "
     "kirsch",
     kLive, member<&Settings::params, &Params::norm>()},

    {"thin-edges", "Thin edges",
     "Whether only local maxima of the gradient magnitude can be edges; if not, thinning is "
     "skipped: "
     "every pixel above the thresholds can become an edge",
     kLive, member<&Settings::params, &Params::thin_edges>()},

    {"hysteresis-passes", "Hysteresis passes",
     "Number of passes in which edges grow from the pixels above the high threshold, each within "
     "tiles of 32x32 pixels (0 to 64, 0 = until no edge grows)",
     kLive, member<&Settings::params, &Params::hysteresis_passes>(0, canny::kMaxHysteresisPasses)},

    {"min-length", "Minimum length",
     "Number of connected pixels below which an edge is removed (0 to 65535, 0 = keep all edges)",
     kLive, member<&Settings::params, &Params::min_length>(0, canny::kMaxMinLength)},

    {"output", "Output",
     "Contents of the output (edges = white on black, overlay = the input with edges in "
     "edge-color, masked = the input on edges and black elsewhere, gradient, suppressed, "
     "direction, classes, passes, luma and blurred = steps on the way to the edges); overlay and "
     "masked keep the input's format, which must have 8 bits",
     kLive, member<&Settings::params, &Params::view>()},

    {"edge-color", "Edge color",
     "Color of edges with output=overlay, big-endian ARGB (0 to 4294967295; red, the default, is "
     "0xffff0000, lime 0xff00ff00, half-transparent blue 0x800000ff); edge-color-name takes names",
     kLive, member<&Settings::params, &Params::edge_color>(0, G_MAXUINT), true, false,
     "edge-color-name"},

    {"edge-color-name", "Edge color name",
     "edge-color as a text: #rrggbb, #aarrggbb (alpha first), 0xaarrggbb or a color name of CSS "
     "2.1 (aqua, black, blue, fuchsia, gray, green, lime, maroon, navy, olive, orange, purple, "
     "red, silver, teal, white, yellow); reads as #aarrggbb",
     kLiveString, member_as<ColorText, &Settings::params, &Params::edge_color>(), false, false,
     "edge-color"},

    {"roi-mode", "Region of interest mode",
     "Where edges may lie; pixels outside are ignored, also by automatic thresholds (none = the "
     "rectangles of roi or, if it is null, the whole frame, meta = the rectangles of roi and of "
     "each buffer's GstVideoRegionOfInterestMeta; a buffer without any has no edges)",
     kLive, member<&Settings::roi_mode>(), false},

    {"roi-type", "Region of interest type",
     "Type of the regions of interest that count with roi-mode=meta (null = every type)",
     kLiveString, member<&Settings::roi_type>(), false},

    {"roi", "Regions of interest",
     "Rectangles in which edges may lie, in pixels, as x,y,w,h with w and h of at least 1, and "
     "semicolons in between; x and y may be negative (null = roi-mode alone decides)",
     kLiveString, member<&Settings::roi>(), false},

    {"backend", "Backend",
     "Backend that detects the edges (auto, cuda, cpu or opencl; auto = CUDA if a usable device is "
     "found, else OpenCL on a GPU, else the CPU); applied at the next start",
     kAtStart, member<&Settings::options, &Options::backend>()},

    {"cuda-device-id", "CUDA device id",
     "Id of the CUDA device, as numbered by CUDA (-1 to 2147483647, -1 = first usable device); "
     "applied at the next start",
     kAtStart, member<&Settings::options, &Options::cuda_device>(-1, G_MAXINT)},

    {"opencl-device", "OpenCL device",
     "The OpenCL device of the backends opencl and auto: its number in the order of clinfo -l, "
     "from "
     "0 on, or a part of its name, in upper or lower case (null = the first GPU); applied at the "
     "next start",
     kAtStart, member<&Settings::options, &Options::opencl_device>()},

    {"n-threads", "Threads",
     "Number of threads of the CPU backend (0 to 1024, 0 = one per core); applied at the next "
     "start",
     kAtStart, member<&Settings::options, &Options::threads>(0, canny::kMaxThreads)},

    {"frames-in-flight", "Frames in flight",
     "Number of frames processed at a time (0 to 8, 0 = 3, or 6 with CUDA memory on both pads, but "
     "1 in a live pipeline or if the framerate is unknown); above 1 the element behaves like a "
     "queue of that length, and each frame after the first adds one frame of latency; with CUDA "
     "memory on both pads, GStreamer 1.24 or later and no contours, 0 = 6 always, without a queue "
     "or added latency; applied at the next start",
     kAtStart, member<&Settings::frames_in_flight>(0, canny::kMaxFramesInFlight)},

    {"contours", "Contours",
     "Fewest points of the chains of edge pixels in the meta cudacanny of each frame (0 to "
     "4294967295, 0 = no chains, 1 = all); the chains of a frame whose output shows no edges are "
     "none; with chains, frames in CUDA memory leave when they are finished; applied at the next "
     "start",
     kAtStart, member<&Settings::contours>(0, std::numeric_limits<guint>::max())},

    {"measure-stages", "Measure stages",
     "Whether stats has of the last frame the times of the stages and the numbers of strong pixels "
     "(above the high threshold), candidates (above the low one) and connected edges; frames then "
     "take longer",
     kLive, member<&Settings::params, &Params::measure_stages>(), false, true},

    {"stats-interval", "Statistics interval",
     "Minimum interval between two element messages cudacanny-stats, which have the fields of "
     "stats, in "
     "nanoseconds (0 to 86400000000000, 0 = no messages)",
     kLive, member<&Settings::stats_interval>(0, kMaxStatsInterval), false, true},
};

constexpr guint kFirstId = GST_CUDA_CANNY_PROP_STATS + 1;
static_assert(kFirstId + std::size(kRows) <= 32, "GstCudaCannySettings::warned has a bit for each");

/// The row of a setting, null if no setting has this id.
const Row* row_of(guint id) {
  const bool is_setting = id >= kFirstId && id < kFirstId + std::size(kRows);
  return is_setting ? &kRows[id - kFirstId] : nullptr;
}

}  // namespace

void gst_cuda_canny_properties_install(GObjectClass* klass) {
  gst_cuda_canny_stats_install(klass, GST_CUDA_CANNY_PROP_STATS);
  guint id = kFirstId;
  for (const Row& row : kRows) {
    g_object_class_install_property(klass, id++, row.member.new_spec(row));
  }
}

gchar** gst_cuda_canny_properties_in_presets(GstPreset*) noexcept {
  gchar** names = g_new0(gchar*, std::size(kRows) + 1);
  gchar** next = names;
  for (const Row& row : kRows) {
    if (changes_frames(row) && row.is_in_presets) *next++ = g_strdup(row.name);
  }
  return names;
}

GstCudaCannySet gst_cuda_canny_properties_read(guint id, GParamSpec* spec, const GValue* value) {
  const Row* row = row_of(id);
  if (row == nullptr) return {};
  // GObject takes a floating-point number next to the range as it is; this brings it into the
  // range.
  GValue valid = G_VALUE_INIT;
  g_value_init(&valid, G_VALUE_TYPE(value));
  g_value_copy(value, &valid);
  g_param_value_validate(spec, &valid);
  GstCudaCannySet result = row->member.read(&valid);
  g_value_unset(&valid);
  return result;
}

void GstCudaCannySettings::set(guint id, GstCudaCannySet* set) {
  const Row* row = row_of(id);
  if (row == nullptr || !set->problem.empty()) return;
  const bool has_changed = set->swap(this);
  if (has_changed && changes_frames(*row)) has_live_changes = true;
  set->follower = has_changed && row->twin != nullptr ? row->twin : follow(row->name);
  if (!gst_cuda_canny_keeps_format(params.view)) free_view = params.view;
}

bool GstCudaCannySettings::get(guint id, GValue* value) const {
  const Row* row = row_of(id);
  if (row != nullptr) row->member.get(*this, value);
  return row != nullptr;
}

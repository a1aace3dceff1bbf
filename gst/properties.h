// SPDX-License-Identifier: LGPL-2.1-or-later
/// The settings of "cudacanny" and their properties.
#pragma once

#include <gst/gst.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>

#include "canny/canny.h"
#include "region.h"

/// The id of property "stats". The ids of the settings follow, in the order of their table. GObject
/// passes no other ids.
inline constexpr guint GST_CUDA_CANNY_PROP_STATS = 1;

/// The live settings of a frame.
struct GstCudaCannyFrameSettings {
  canny::Params params;
  GstCudaCannyRoiSettings regions;
  guint64 serial = 0;  ///< number of frames since the start that were the first to use a changed
                       ///< setting of the edges or the output
  guint64 stats_interval = 0;  ///< ns between messages, 0 = none
  bool is_first_swap = false;  ///< the first frame since the start that swaps the thresholds
};

/// A value that is set, and what has come of that.
struct GstCudaCannySet {
  std::array<const char*, 2> followers =
      {};               ///< other properties that have changed with it, or null
  std::string problem;  ///< why the value was refused, or empty
  /// Takes the place of the value in the settings. False if they are equal.
  std::function<bool(struct GstCudaCannySettings*)> swap;
};

/// Reads a value for the setting of this id, or the nearest valid one. This needs no lock.
GstCudaCannySet gst_cuda_canny_properties_read(guint id, GParamSpec* spec, const GValue* value);

/// The settings that are read at a start.
struct GstCudaCannyStartSettings {
  canny::Options options;
  guint frames_in_flight = 0;      ///< 0 = the element's choice
  guint contours = 0;              ///< points of the shortest chain in the meta, 0 = no chains
  bool contour_precision = false;  ///< whether the chains have offsets
  guint components = 0;            ///< pixels of the smallest one in the meta, 0 = none
};

/// The values of all writable properties.
struct GstCudaCannySettings : GstCudaCannyStartSettings {
  canny::Params params;
  GstCudaCannyRoiSettings regions;
  guint64 stats_interval = 0;  ///< ns between messages, 0 = none

  bool started = false;  ///< start-only settings have been read; changes wait for the next start
  struct SinceStart {
    guint64 warned = 0;  ///< bit n: a warning was posted that property n was set too late
    guint64 serial = 0;  ///< of the last frame
    bool has_live_changes = false;  ///< of the edges or the output, since take()
    bool has_swapped = false;       ///< a frame swaps the thresholds
    bool has_told_flat = false;     ///< a message is about thresholds of a flat frame
    bool has_told_full = false;     ///< likewise, about a frame with too many points of contours
    bool has_told_many = false;     ///< likewise, about a frame with too many components
  } since_start;

  bool low_is_set = false, high_is_set = false;  ///< a threshold that nobody has set follows the
                                                 ///< other one or, if that is not set, the operator
  canny::View free_view = canny::View::kEdges;   ///< the last view that does not keep the format

  /// Sets the setting of this id, unless the value is refused.
  void set(guint id, GstCudaCannySet* set);
  void get(guint id, GValue* value) const;
  /// Notes that the property `name` has been set. Thresholds that have not been set follow it as
  /// canny::complete_thresholds() says. Returns the names of these properties that change.
  std::array<const char*, 2> follow(std::string_view name);
  /// Returns the settings of a frame that begins. If its output can't show the input, its view is
  /// one that does not keep the format: the view has changed since the pads negotiated.
  GstCudaCannyFrameSettings take(bool can_keep_format);
  /// Whether the property just set waits for the next start, and is the first such change of it
  /// since the last start.
  bool is_first_late_set(const GParamSpec* pspec);
};

/// Installs all properties.
void gst_cuda_canny_properties_install(GObjectClass* klass);

/// The names of the properties that a preset has: those of the edges and the output, except those
/// that say where edges may lie. The vfunc `get_property_names` of GstPreset; g_strfreev() releases
/// them.
gchar** gst_cuda_canny_properties_in_presets(GstPreset* preset) noexcept;
